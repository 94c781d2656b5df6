//===- AddingTest.cpp - The additions of docs/AddingThings.md -------------===//
//
// The files of examples/adding, which the document shows, are compiled into this program.
//
//===----------------------------------------------------------------------===//

#include "../../examples/adding/Adding.h"
#include "../support/Lines.h"
#include "../unit/Sim/Simulation.h"

#include "cclc/IR/Text/Parser.h"
#include "cclc/Limits/PlanCheck.h"

using namespace cclc;
using namespace cclc::test;

TEST_CASE("the added pass removes repeated copies") {
  DiagnosticEngine diags;
  PassRegistry registry;
  registerRemoveRepeatedCopies(registry);
  auto passes = registry.parsePipeline("remove-repeated-copies", diags);
  REQUIRE(succeeded(passes));
  FailureOr<Module> module = parseModule(R"(
    ccl.version 3
    chunk.program @p coll allreduce ranks 2 inplace {
      %0 = reduce r1:i[0] += r0:i[0]
      %1 = copy r0:i[0] <- r1:i[0]
      %2 = copy r0:i[0] <- r1:i[0]
    }
    )"_lines,
                                         "t.ccl", diags);
  REQUIRE(succeeded(module));
  PassContext context(diags);
  FailureOr<Module> result = passes->front()->run(std::move(*module), context);
  REQUIRE(succeeded(result));
  CHECK(std::get<ChunkProgram>(*result).ops().size() == 2);
  CHECK(context.statistics().at("remove-repeated-copies.removed") == 1);
}

TEST_CASE("the added format reads what it writes") {
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  std::string text;
  llvm::raw_string_ostream os(text);
  markedText.exec.write(plan, {}, os);
  CHECK(markedText.sniff(os.str()));
  DiagnosticEngine diags;
  FailureOr<ExecPlan> read = markedText.exec.read(text, "plan.marked", diags);
  REQUIRE(succeeded(read));
  CHECK(read->steps().size() == plan.steps().size());
  CHECK(failed(markedText.exec.read("ccl.version 3\n", "plan.marked", diags)));
  CHECK(textOf(diags) == "plan.marked:1:1: error: expected '#marked-plan'\n");
}

TEST_CASE("the added network transfers one message at a time") {
  Machine machine = test::machine("ring", {}, 4);
  auto timeOf = [&](const ExecPlan &plan, bool onBus) {
    Simulation sim(plan, machine, 65536);
    std::unique_ptr<NetworkModel> network =
        onBus ? createBusNetwork(sim.placed.routes) : createNetwork("ideal", sim.placed.routes);
    SimResult result = simulate(sim.placed, sim.sizing, *network, {});
    REQUIRE(result.completed);
    checkCauses(plan, result);
    return result.time;
  };
  // The messages of a chain do not overlap in either model.
  ExecPlan chain = compiled({"broadcast_pipeline", {{"chunks", "1"}}, 4});
  CHECK(timeOf(chain, true) == timeOf(chain, false));
  // In each round of a ring, four messages are transferred at the same time.
  ExecPlan ring = compiled({"allgather_ring", {}, 4});
  CHECK(timeOf(ring, true).picoseconds() == 4 * timeOf(ring, false).picoseconds());
}

TEST_CASE("the added limits are checked") {
  DiagnosticEngine diags;
  Constraints limits = oneChannelConstraints();
  CHECK(succeeded(limits.check(Rule::Channels, 1, {}, diags, [] { return ""; })));
  CHECK(failed(limits.check(Rule::Channels, 2, {}, diags, [] { return ""; })));
  CHECK(StringRef(textOf(diags))
            .contains("illegal for one-channel: 2 channels, the limit is 1; use fewer channels"));
  ExecPlan fused = compiled({"allreduce_ring", {}, 4});
  CHECK_FALSE(keeps(fused, limits));
}
