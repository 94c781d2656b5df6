//===- LiftTest.cpp - Plans of MSCCL++ become plans of steps again --------===//
//
// The oracles are the proofs of the two models, which share no code beyond symbolic values: a
// lifted plan must be proved, with the same reduction hash unless operands are exchanged.
//
//===----------------------------------------------------------------------===//

#include "../../../support/MscclppPlans.h"
#include "Mscclpp/Files.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Mscclpp/Emit/Compact.h"
#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Lift/Lift.h"
#include "cclc/Mscclpp/Lift/Nodes.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ExecPlan lifted(const mscclpp::Plan &plan) {
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = liftFromMscclpp(plan, /*dialect=*/nullptr, diags);
  if (failed(result))
    FAIL(textOf(diags) << "in\n" << textOf(plan));
  return std::move(*result);
}

/// The forms of a plan in MSCCL++.
std::vector<mscclpp::Plan> formsOf(const ExecPlan &plan) {
  std::vector<mscclpp::Plan> forms;
  DiagnosticEngine diags;
  FailureOr<mscclpp::Plan> general = mscclpp::lower(plan, diags);
  REQUIRE(succeeded(general));
  forms.push_back(std::move(*general));
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect})
    if (std::optional<mscclpp::Plan> compact = emit(plan, {}))
      if (mscclpp::verify(*compact, diags).verdict == Verdict::Ok)
        forms.push_back(std::move(*compact));
  return forms;
}

/// Whether the plan stores a sum over the last operand that it adds, or over one in scratch, which
/// may have been received. In the lifted plan the others are added to that one, or it to them: the
/// result has the same bits, but another hash.
bool exchangesOperands(const mscclpp::Plan &plan) {
  return llvm::any_of(plan.ops(), [&](const mscclpp::Operation &op) {
    const mscclpp::OpTraits &does = traits(op.op);
    if (does.paired || op.src.count < 2)
      return false;
    ArrayRef<mscclpp::Place> sources = plan.sources(op);
    mscclpp::Place stored = plan.destinations(op).front();
    return mscclpp::isPackets(does.src[1]) || sources.back() == stored ||
           (stored.buffer == Buffer::Scratch && llvm::is_contained(sources, stored));
  });
}

void checkLift(const mscclpp::Plan &plan) {
  DiagnosticEngine diags;
  PlanProof before = mscclpp::verify(plan, diags);
  ExecPlan steps = lifted(plan);
  PlanProof after = verifyPlan(steps, defaultSlots, diags);
  CHECK(textOf(diags) == "");
  CHECK(after.verdict == before.verdict);
  if (!exchangesOperands(plan))
    CHECK(after.reductionHash == before.reductionHash);
}

std::vector<const Step *> stepsOf(const ExecPlan &plan, OpKind op) {
  std::vector<const Step *> found;
  for (const Step &step : plan.steps())
    if (step.op == op)
      found.push_back(&step);
  return found;
}
} // namespace

TEST_CASE("every program is proved after lowering and lifting", "[mscclpp]") {
  size_t tried = 0;
  for (const Recipe &recipe : allRecipes())
    for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
      INFO(nameOf(recipe) << " " << protocolName(protocol).str());
      ExecPlan plan = compiledAs(recipe, protocol);
      if (!plan.info().calls.empty())
        continue;
      for (const mscclpp::Plan &form : formsOf(plan)) {
        checkLift(form);
        ++tried;
      }
    }
  CHECK(tried > 80);
}

TEST_CASE("lifting finds the fused steps again", "[mscclpp]") {
  for (const char *program : {"allgather_ring", "alltoall_direct", "allreduce_halving_doubling",
                              "broadcast_binomial", "allreduce_ring"})
    for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
      INFO(program << " " << protocolName(protocol).str());
      ExecPlan plan = compiledAs({program, {}, 8}, protocol);
      std::vector<mscclpp::Plan> forms = formsOf(plan);
      size_t steps = lifted(forms.back()).steps().size(), before = plan.steps().size();
      // In Simple, a ring stores the sums that it only sends.
      bool keepsSums = StringRef(program) == "allreduce_ring" && protocol == Protocol::Simple;
      CHECK(steps == (keepsSums ? before + 8 : before));
    }
}

TEST_CASE("random plans are lifted to what they compute", "[mscclpp]") {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    ExecPlan before = randomPlan(seed);
    if (seed % 4 == 0)
      before = readGood(with(jsonOf(before), "\"Simple\"", "\"LL\""));
    DiagnosticEngine diags, expected;
    FailureOr<mscclpp::Plan> form = mscclpp::lower(before, diags);
    REQUIRE(succeeded(form));
    if (mscclpp::verify(*form, expected).verdict == Verdict::Ok)
      checkLift(*form);
  }
}

TEST_CASE("pipelines and shares are lifted as one pass and as parts", "[mscclpp]") {
  for (const std::string &text : {gatherByPort, pipelinedRelay, sharedRelay}) {
    INFO(text);
    REQUIRE(judge(text) == "ok");
    DiagnosticEngine diags;
    CHECK(verifyPlan(lifted(readGoodMscclpp(text)), defaultSlots, diags).verdict == Verdict::Ok);
    CHECK(textOf(diags) == "");
  }
}

TEST_CASE("operations of switches stay so, except for runtimes without switches", "[mscclpp]") {
  auto onSwitch = [](const ExecPlan &plan) {
    return llvm::count_if(plan.threadblocks(),
                          [](const Threadblock &tb) { return tb.usesSwitch(); });
  };
  size_t formed = 0;
  for (const Recipe &recipe : switchRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    std::optional<mscclpp::Plan> form = mscclpp::emitDirect(plan, {});
    REQUIRE(form);
    checkLift(*form);
    bool isOnSwitch = llvm::any_of(
        form->ops(), [](const mscclpp::Operation &op) { return traits(op.op).usesSwitch(); });
    CHECK((onSwitch(lifted(*form)) > 0) == isOnSwitch);
    formed += isOnSwitch;
    DiagnosticEngine diags;
    FailureOr<ExecPlan> copies = liftFromMscclpp(*form, findMscclDialect("msccl"), diags);
    REQUIRE(succeeded(copies));
    CHECK(onSwitch(*copies) == 0);
    CHECK(verifyPlan(*copies, defaultSlots, diags).verdict == Verdict::Ok);
  }
  CHECK(formed > 2);
  // A group of two ranks has no step of a switch.
  ExecPlan two = lifted(readGoodMscclpp(reduceBySwitch));
  DiagnosticEngine diags;
  CHECK(onSwitch(two) == 0);
  CHECK(verifyPlan(two, defaultSlots, diags).verdict == Verdict::Ok);
}

TEST_CASE("threadblocks that move data between the same ranks become channels", "[mscclpp]") {
  // Rank 0 puts its two chunks from two threadblocks, or from one.
  for (uint32_t instances : {1u, 2u}) {
    Recipe recipe{"allgather_ring", {}, 2, instances};
    ExecPlan steps = lifted(formsOf(compiled(recipe)).front());
    CHECK(steps.channels() == instances);
    CHECK(stepsOf(steps, OpKind::Send).size() == 2 * instances);
  }
}

TEST_CASE("channels show the nodes of the ranks", "[mscclpp]") {
  auto lowered = [](std::vector<uint32_t> nodes) {
    DiagnosticEngine diags;
    FailureOr<mscclpp::Plan> plan =
        mscclpp::lower(compiled({"allreduce_allpairs", {}, uint32_t(nodes.size())}), diags,
                       mscclpp::NodeMap(nodes));
    REQUIRE(succeeded(plan));
    return std::move(*plan);
  };
  CHECK(mscclpp::ranksPerNode(lowered({0, 0, 0, 0})) == 4u);
  CHECK(mscclpp::ranksPerNode(lowered({0, 0, 1, 1})) == 2u);
  CHECK(mscclpp::ranksPerNode(lowered({0, 1, 2, 3})) == 1u);
  CHECK(mscclpp::ranksPerNode(lowered({0, 1, 0, 1})) == std::nullopt);
  CHECK(mscclpp::ranksPerNode(lowered({0, 0, 0, 1})) == std::nullopt);
  CHECK(lifted(lowered({0, 0, 1, 1})).info().geometry.levels.front().width == 2);
  CHECK(lifted(lowered({0, 1, 0, 1})).info().geometry.levels.empty());
}

TEST_CASE("a plan that waits forever is not lifted", "[mscclpp]") {
  std::string text = gatherByPort;
  size_t at = StringRef(text).find("\"pwsf\"");
  REQUIRE(at != StringRef::npos);
  text.replace(at, 6, "\"put\"");
  mscclpp::Plan plan = readGoodMscclpp(text);
  DiagnosticEngine diags;
  CHECK(failed(mscclpp::lift(plan, diags)));
  CHECK(StringRef(textOf(diags)).contains("deadlock"));
}
