//===- RolledTest.cpp - Proofs of rolled plans against unrolled ones ------===//
//
// The oracle is the proof of the unrolled plan, which knows nothing of groups. Random mutants of
// the rolled plans of all bundled programs have the verdict of their unrolled form. A rolled plan
// may instead be undecided or not symmetric, but no wrong plan is proved. CCLC_ROLLED_MUTANTS is
// the number of mutants.
//
//===----------------------------------------------------------------------===//

#include "../support/Pick.h"
#include "../unit/Plans.h"

#include "cclc/Compiler/Compile.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
struct NamedPlan {
  std::string name;
  RolledPlan plan;
};

/// The rolled plans of all programs that have some.
std::vector<NamedPlan> rolledPlans() {
  std::vector<NamedPlan> plans;
  for (const dsl::Declaration &program : bundledPrograms().all())
    for (uint32_t ranks : {2, 4, 6, 9, 12})
      for (const char *buffers : {"in_place", "out_of_place", "both"}) {
        CompileRequest request;
        request.ranks = ranks;
        request.parameters = {{"buffers", buffers}};
        DiagnosticEngine diags;
        FailureOr<CompiledRolled> outcome = compileRolled(program, request, diags);
        if (succeeded(outcome))
          plans.push_back({program.name() + " " + std::to_string(ranks) + " " + buffers,
                           std::move(outcome->plan)});
      }
  return plans;
}

class Mutator {
public:
  Mutator(RolledPlan &plan, Generator &random) : plan(plan), random(random) {}

  void mutate() {
    for (uint32_t changes = 1 + below(2); changes > 0; --changes)
      change();
  }

private:
  uint32_t below(size_t end) { return pick(random, end); }
  Step &anyStep() { return plan.steps[below(plan.steps.size())]; }
  RolledPlan::Threadblock &anyThreadblock() {
    return plan.threadblocks[below(plan.threadblocks.size())];
  }
  RotationGroup::Element otherRank() {
    return plan.group.element(1 + below(plan.group.order() - 1));
  }

  Operand anyOperand() {
    const Collective &collective = plan.info.collective;
    uint32_t chunks[] = {collective.inputChunks(), collective.outputChunks(), plan.scratchChunks};
    uint32_t buffer = below(plan.scratchChunks ? 3 : 2);
    return Operand(static_cast<Buffer>(buffer), below(chunks[buffer]));
  }
  /// Makes the operands of \p step those that its operation uses.
  void fitOperands(Step &step) {
    const OpTraits &op = traits(step.op);
    auto fit = [&](Operand &operand, bool isUsed) {
      operand = !isUsed ? Operand() : operand.isNone() ? anyOperand() : operand;
    };
    fit(step.src, op.readsSrc);
    fit(step.dst, op.writesDst);
  }
  void replaceOperation(Step &step) {
    constexpr OpKind all[] = {OpKind::Send,           OpKind::Recv,
                              OpKind::Copy,           OpKind::Reduce,
                              OpKind::RecvCopySend,   OpKind::RecvReduceCopy,
                              OpKind::RecvReduceSend, OpKind::RecvReduceCopySend};
    step.op = all[below(std::size(all))];
    fitOperands(step);
  }
  void moveWait(Step &step) {
    std::optional<Wait> wait;
    const RolledPlan::Threadblock &other = anyThreadblock();
    if (below(2) && other.numSteps > 0) {
      uint32_t at = below(other.numSteps);
      plan.steps[other.firstStep + at].publishes = true;
      wait = Wait{ThreadblockId(&other - plan.threadblocks.data()), StepIndex(at)};
    }
    step.setWait(wait);
  }
  void insert(RolledPlan::Threadblock &tb, uint32_t at, const Step &step) {
    plan.steps.insert(plan.steps.begin() + tb.firstStep + at, step);
    ++tb.numSteps;
    renumber();
  }
  void remove(RolledPlan::Threadblock &tb, uint32_t at) {
    plan.steps.erase(plan.steps.begin() + tb.firstStep + at);
    --tb.numSteps;
    renumber();
  }
  void renumber() {
    uint32_t first = 0;
    for (RolledPlan::Threadblock &tb : plan.threadblocks) {
      tb.firstStep = first;
      first += tb.numSteps;
    }
  }
  void insertLocalStep() {
    Step step(below(3) ? OpKind::Copy : OpKind::Reduce, anyOperand(), anyOperand(), 1,
              LocTable::unknown(), LocTable::unknown());
    RolledPlan::Threadblock &tb = anyThreadblock();
    insert(tb, below(tb.numSteps + 1), step);
  }
  void changeLength() {
    RolledPlan::Threadblock &tb = anyThreadblock();
    if (tb.numSteps == 0)
      return;
    uint32_t at = below(tb.numSteps);
    if (below(2) && plan.steps.size() > 1)
      remove(tb, at);
    else
      insert(tb, at, Step(plan.steps[tb.firstStep + at]));
  }
  void movePeers() {
    if (plan.group.order() < 2)
      return;
    RolledPlan::Threadblock &tb = anyThreadblock();
    if (tb.send)
      tb.send = otherRank();
    // On both sides, or on one.
    if (tb.recv && tb.send && below(4))
      tb.recv = plan.group.difference(plan.group.identity(), *tb.send);
  }
  void changePlan() {
    if (below(2)) {
      anyThreadblock().channel = ChannelId(below(3));
      return;
    }
    const Placements all[] = {Placements::inPlace(), Placements::outOfPlace(), Placements::both()};
    plan.info.placements = all[below(3)];
  }

  void change() {
    Step &step = anyStep();
    auto elsewhere = [&](Operand &operand) {
      if (!operand.isNone())
        operand = anyOperand();
    };
    switch (below(11)) {
    case 0:
      return elsewhere(step.src);
    case 1:
      return elsewhere(step.dst);
    case 2:
      return std::swap(step, anyStep());
    case 3:
      return moveWait(step);
    case 4:
      return changeLength();
    case 5:
      return movePeers();
    case 6:
      return replaceOperation(step);
    case 7:
      step.count = 1 + below(3);
      return;
    case 8:
      step.publishes = !step.publishes;
      return;
    case 9:
      return changePlan();
    default:
      return insertLocalStep();
    }
  }

  RolledPlan &plan;
  Generator &random;
};

std::string listedText(const RolledPlan &plan) {
  DiagnosticEngine diags;
  FailureOr<ExecPlan> all = listed(plan, diags);
  return succeeded(all) ? textOf(Module(std::move(*all))) : textOf(diags);
}

/// The verdict of the unrolled plan.
PlanProof oracle(const RolledPlan &plan, DiagnosticEngine &diags) {
  PlanProof proof;
  proof.verdict = Verdict::Malformed;
  if (FailureOr<ExecPlan> all = unroll(plan, diags); succeeded(all))
    proof = verifyPlan(*all, *plan.info.slots, diags, ReductionHash::Omit);
  return proof;
}

size_t numberOfMutants() {
  const char *text = std::getenv("CCLC_ROLLED_MUTANTS");
  return text ? std::strtoull(text, nullptr, 10) : 2000;
}
} // namespace

TEST_CASE("mutants of rolled plans have the verdicts of their unrolled forms", "[rolled]") {
  const std::vector<NamedPlan> plans = rolledPlans();
  std::map<Verdict, unsigned> verdicts;
  unsigned readOnly = 0, undecided = 0, asymmetric = 0;
  for (size_t i = 0; i < numberOfMutants(); ++i) {
    Generator random(i);
    const NamedPlan &origin = plans[i % plans.size()];
    RolledPlan mutant = origin.plan;
    Mutator(mutant, random).mutate();
    DiagnosticEngine ofRolled, ofAll;
    PlanProof proof = verifyRolled(mutant, *mutant.info.slots, ofRolled);
    PlanProof expected = oracle(mutant, ofAll);
    ++verdicts[expected.verdict];
    readOnly += StringRef(textOf(ofAll)).contains("read-only");
    auto isWrong = [&] {
      if (proof.verdict == Verdict::Unsupported) {
        undecided += expected.verdict == Verdict::Ok;
        return false;
      }
      if (StringRef(textOf(ofRolled)).contains("not symmetric")) {
        ++asymmetric;
        return false;
      }
      return proof.verdict != expected.verdict ||
             (proof.verdict == Verdict::Ok && proof.slotsNeeded != expected.slotsNeeded);
    };
    if (isWrong())
      FAIL("mutant " << i << " of " << origin.name << " is " << verdictName(proof.verdict).str()
                     << ", unrolled " << verdictName(expected.verdict).str() << "\n"
                     << listedText(mutant) << textOf(ofRolled) << textOf(ofAll));
  }
  if (numberOfMutants() < 2000)
    return;
  // The mutants fail in all ways, and few are not decided.
  for (Verdict verdict :
       {Verdict::Ok, Verdict::WrongResult, Verdict::Race, Verdict::Deadlock, Verdict::Malformed})
    CHECK(verdicts[verdict] > 0);
  CHECK(readOnly > 0);
  CHECK(20 * undecided < numberOfMutants());
  CHECK(10 * asymmetric < numberOfMutants());
}
