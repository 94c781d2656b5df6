//===- LowerTest.cpp - Lowering of plans to MSCCL++ -----------------------===//

#include "Mscclpp/Files.h"

#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Proof/PlanExecution.h"

using namespace cclc;
using namespace cclc::test;

namespace {
FailureOr<mscclpp::Plan> lowered(const ExecPlan &plan, DiagnosticEngine &diags) {
  FailureOr<mscclpp::Plan> result = mscclpp::lower(plan, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  return result;
}

std::string loweredText(const Recipe &recipe, Protocol protocol = Protocol::Simple) {
  DiagnosticEngine diags;
  FailureOr<mscclpp::Plan> plan = lowered(compiledAs(recipe, protocol), diags);
  if (failed(plan))
    FAIL(textOf(diags));
  return textOf(*plan);
}

size_t countOps(StringRef text, const std::string &name) {
  return text.count("{\"name\": \"" + name + "\"");
}
} // namespace

TEST_CASE("every program is proved again in its MSCCL++ form", "[mscclpp]") {
  size_t tried = 0;
  for (const Recipe &recipe : allRecipes())
    for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
      INFO(nameOf(recipe) << " " << protocolName(protocol).str());
      ExecPlan plan = compiledAs(recipe, protocol);
      if (!plan.info().calls.empty())
        continue;
      ++tried;
      DiagnosticEngine diags;
      FailureOr<mscclpp::Plan> result = lowered(plan, diags);
      REQUIRE(succeeded(result));
      PlanProof report = mscclpp::verify(*result, diags);
      CHECK(textOf(diags) == "");
      CHECK(report.verdict == Verdict::Ok);
      std::string text = textOf(*result);
      mscclpp::Plan again = readGoodMscclpp(text);
      CHECK(textOf(again) == text);
      DiagnosticEngine none;
      CHECK(mscclpp::verify(again, none).reductionHash == report.reductionHash);
      CHECK(textOf(none) == "");
    }
  CHECK(tried > 40);
}

TEST_CASE("programs fit the limits for the usual numbers of ranks", "[mscclpp]") {
  for (const char *program : {"allgather_ring", "allreduce_ring", "allreduce_allpairs",
                              "reducescatter_ring", "alltoall_direct", "allreduce_onestep"})
    for (uint32_t ranks : {2, 4, 8})
      for (Protocol protocol : {Protocol::Simple, Protocol::LL})
        for (const char *buffers : {"in_place", "out_of_place"}) {
          INFO(program << " " << ranks << " " << buffers);
          CHECK(judge(loweredText({program, {{"buffers", buffers}}, ranks}, protocol)) == "ok");
        }
}

TEST_CASE("random plans compute the same after lowering", "[mscclpp]") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    ExecPlan before = randomPlan(seed);
    DiagnosticEngine expected, diags;
    ConnectionTable connections(before);
    PlanControlFlow runner(before, connections);
    Placement placement =
        before.info().placements.allowsOutOfPlace() ? Placement::OutOfPlace : Placement::InPlace;
    PlanExecution execution(before, connections, runner, placement);
    bool right = succeeded(execution.checkPostCondition(expected));
    if (seed % 4 == 0)
      before = readGood(with(jsonOf(before), "\"Simple\"", "\"LL\""));
    FailureOr<mscclpp::Plan> after = lowered(before, diags);
    REQUIRE(succeeded(after));
    PlanProof report = mscclpp::verify(*after, diags);
    CHECK(report.verdict == (right ? Verdict::Ok : Verdict::WrongResult));
    // The lowered form of an incorrect plan has the same error.
    REQUIRE(diags.all().size() == expected.all().size());
    for (size_t i = 0; i < diags.all().size(); ++i)
      CHECK(diags.all()[i].text == expected.all()[i].text);
  }
}

TEST_CASE("messages are written to their destination directly if that is safe", "[mscclpp]") {
  // The all-gather part of a ring puts into the output; operands of sums pass through scratch.
  std::string ring = loweredText({"allreduce_ring", {}, 4});
  CHECK(countOps(ring, "copy") == 0);
  CHECK(ring.find("\"scratch_chunks\": 3") != std::string::npos);
  std::string gather = loweredText({"allgather_ring", {}, 4});
  CHECK(gather.find("\"scratch_chunks\": 0") != std::string::npos);
  // In place, the receiver may not yet have sent the cells that the message would overwrite.
  std::string exchange = loweredText({"alltoall_direct", {{"buffers", "in_place"}}, 2});
  CHECK(countOps(exchange, "copy") == 2);
  CHECK(judge(exchange) == "ok");
}

TEST_CASE("packets need a handshake only from receivers that may be late", "[mscclpp]") {
  CHECK(countOps(loweredText({"allreduce_ring", {}, 4}, Protocol::LL), "signal") == 0);
  // The leaves of a broadcast send no message back.
  CHECK(countOps(loweredText({"broadcast_binomial", {}, 4}, Protocol::LL), "signal") == 3);
}

TEST_CASE("long threadblocks are continued in others", "[mscclpp]") {
  for (uint32_t ranks : {8, 16, 33}) {
    std::string text = loweredText({"allreduce_ring", {}, ranks});
    CHECK(countOps(text, "sem_acquire") >= ranks);
    CHECK(judge(text) == "ok");
  }
}

TEST_CASE("any removed or modified operation is detected", "[mscclpp]") {
  const std::pair<Recipe, Protocol> plans[] = {
      {{"allreduce_ring", {}, 3}, Protocol::Simple},
      {{"allreduce_allpairs", {}, 3}, Protocol::Simple},
      {{"alltoall_direct", {}, 3}, Protocol::Simple},
      {{"allreduce_allpairs", {}, 3}, Protocol::LL},
  };
  for (const auto &[recipe, protocol] : plans) {
    std::string text = loweredText(recipe, protocol);
    size_t nops = 0, needless = 0;
    for (const OpLine &line : opLines(text)) {
      INFO(nameOf(recipe) << " " << line.text.str());
      bool noticed = judge(without(text, line)) != "ok";
      if (line.text == "{\"name\": \"nop\"}") {
        ++nops;
        needless += !noticed;
      } else {
        CHECK(noticed);
      }
      // Another index in the same buffer.
      for (size_t at = line.text.find("\"index\": "); at != StringRef::npos;
           at = line.text.find("\"index\": ", at + 1)) {
        std::string moved = line.text.str();
        moved[at + 9] ^= 1;
        CHECK(judge(replaced(text, line, moved)) != "ok");
      }
    }
    // The accesses that a nop orders may be ordered otherwise, mostly by the data of packets; most
    // nops are required.
    CHECK((protocol == Protocol::LL ? 2 : 4) * needless <= nops);
  }
}

TEST_CASE("constructs that the format cannot express are rejected", "[mscclpp]") {
  DiagnosticEngine ll128, calls, large;
  CHECK(failed(mscclpp::lower(compiledAs({"allreduce_ring", {}, 2}, Protocol::LL128), ll128)));
  CHECK(textOf(ll128) ==
        "tool: error: illegal for mscclpp: the executor has no protocol LL128; use "
        "Simple or LL (cclc --protocol)\n");
  CHECK(failed(mscclpp::lower(compiled({"allgather_hierarchical", {}, 4}), calls)));
  CHECK(StringRef(textOf(calls))
            .ends_with(": error: illegal for mscclpp: a plan is one call of a collective, and the "
                       "executor does not alternate generations; compile every call by itself\n"));
  // The program has 8 * 872 operations, which fill 109 threadblocks.
  CHECK(failed(mscclpp::lower(compiled({"allreduce_ring", {}, 873}), large)));
  CHECK(textOf(large) ==
        "tool: error: illegal for mscclpp: the steps of r0 in threadblocks of 64 operations take "
        "109 threadblocks, the limit is 108; use fewer ranks, chunks or instances (cclc --ranks, "
        "--instances)\n");
}
