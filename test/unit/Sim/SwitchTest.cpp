//===- SwitchTest.cpp - Multicasts and reductions of switches -------------===//
//
// Times are computed by hand: four ranks at one switch, over links of 1 GB/s (1000 ps per byte) and
// 1 us, an operation of the switch takes 100 ns, and nothing else takes time.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "cclc/Sim/PlanBound.h"

using namespace cclc;
using namespace cclc::test;

namespace {

constexpr int64_t micro = 1'000'000, nano = 1000;
constexpr uint32_t numRanks = 4;
/// Arrivals are known in advance, so that the second flight begins with the head of the first.
constexpr const char *cutThrough[] = {"cut-through", "ideal"};

Machine star(const std::string &more = "") {
  TemporaryFile file(
      R"({"name": "star", "family": "switched", "gpus_per_node": 4,
          "node_link": {"bandwidth": 1e9, "propagation": 1e-6, "switch_overhead": 0},
          "nic": {"gpus_per_nic": 1, "bandwidth": 1e9, "propagation": 1e-6},
          "queue": {"slot_size": 0, "credit_size": 0}, "launch": 0)" +
      more + "}");
  return machine(file.name(), {}, numRanks);
}
Machine switching(const std::string &more = "") {
  return star(R"(, "switch": {"latency": 100e-9)" + more + "}");
}

SmallVector<RankId, 4> othersThan(uint32_t rank) {
  SmallVector<RankId, 4> others;
  for (uint32_t r = 0; r < numRanks; ++r)
    if (r != rank)
      others.push_back(RankId(r));
  return others;
}

/// One chunk after the other between rank 0 and all others: multicasts, or sums for rank 0.
ExecPlan switchedPlan(uint32_t chunks, bool multicasts) {
  ProgramInfo info(Collective(numRanks, CustomSpec{chunks, chunks, {}}));
  info.name = "switched";
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  auto add = [&](uint32_t rank, const Peers &to, const Peers &from) {
    builder.beginThreadblock(RankId(rank), to, from, ChannelId(0));
    for (uint32_t c = 0; c < chunks; ++c)
      builder.addStep(to.empty() ? Step(OpKind::Recv, {}, Operand(Buffer::Output, c), 1, loc, loc)
                                 : Step(OpKind::Send, Operand(Buffer::Input, c), {}, 1, loc, loc));
  };
  const SmallVector<RankId, 4> others = othersThan(0);
  const SmallVector<RankId, 1> root = {RankId(0)};
  const Peers all{ArrayRef<RankId>(others)}, one{ArrayRef<RankId>(root)}, none{ArrayRef<RankId>()};
  add(0, multicasts ? all : none, multicasts ? none : all);
  for (uint32_t r = 1; r < numRanks; ++r)
    add(r, multicasts ? none : one, multicasts ? one : none);
  DiagnosticEngine diags;
  FailureOr<ExecPlan> made = std::move(builder).finish(diags);
  if (failed(made))
    FAIL(textOf(diags));
  return std::move(*made);
}

std::string errorOf(const ExecPlan &plan, const Machine &machine) {
  DiagnosticEngine diags;
  CHECK(failed(PlacedPlan::create(plan, machine, Slots(8), diags)));
  return textOf(diags);
}

/// One or three operations, whose data pass a link of each rank once.
void checkTimes(const ExecPlan &one, const ExecPlan &three, const Machine &m) {
  for (const char *network : cutThrough) {
    INFO(network);
    CHECK(Simulation(one, m, 4000).time(network) == 2 * micro + 100 * nano + 4000 * nano);
  }
  CHECK(Simulation(three, m, 3 * 4000).time("cut-through") ==
        2 * micro + 100 * nano + 12'000 * nano);
}

} // namespace

TEST_CASE("a multicast passes each link once", "[rule-62]") {
  ExecPlan one = switchedPlan(1, true);
  Machine m = switching();
  checkTimes(one, switchedPlan(3, true), m);
  // Half of the bytes on the links are payload.
  CHECK(Simulation(one, switching(R"(, "payload_efficiency": 0.5)"), 4000).time() ==
        2 * micro + 100 * nano + 8000 * nano);
  // The flight from the switch begins when that to it has ended.
  CHECK(Simulation(one, m, 4000).time("maxmin") == 2 * micro + 100 * nano + 8000 * nano);
}

TEST_CASE("a sum arrives when the last of its messages could", "[rule-63]") {
  ExecPlan one = switchedPlan(1, false);
  Machine m = switching();
  checkTimes(one, switchedPlan(3, false), m);
  SimOptions late;
  late.skew.resize(numRanks);
  late.skew[2].start = SimTime(5 * micro);
  CHECK(Simulation(one, m, 4000).run("cut-through", late).time ==
        SimTime(5 * micro + 2 * micro + 100 * nano + 4000 * nano));
}

TEST_CASE("operations take a slot of every connection", "[rule-62][rule-63]") {
  for (bool multicasts : {true, false}) {
    ExecPlan three = switchedPlan(3, multicasts);
    Machine m = switching();
    // With one slot, a message waits for the credit of the one before.
    CHECK(Simulation(three, m, 3 * 4000, DataType::F32, Slots(1)).time() ==
          3 * (2 * micro + 100 * nano + 4000 * nano) + 2 * (2 * micro));
    SimResult result = Simulation(three, m, 3 * 4000).run();
    CHECK(result.messages == 3 * (numRanks - 1));
  }
}

TEST_CASE("times of operations of switches are attributed completely", "[rule-26][rule-29]") {
  for (bool multicasts : {true, false})
    for (uint32_t slots : {1, 2, 8})
      for (const char *network : networks) {
        INFO(network << ", " << slots << " slots");
        ExecPlan three = switchedPlan(3, multicasts);
        Machine m = switching();
        SimOptions options;
        options.criticalPath = true;
        SimResult result =
            Simulation(three, m, 30'000, DataType::F32, Slots(slots)).run(network, options);
        checkCauses(three, result);
        checkNoGaps(result);
      }
}

TEST_CASE("all data are moved and added", "[rule-62][rule-63]") {
  for (const char *program : {"allreduce_nvls", "allgather_nvls", "broadcast_nvls"})
    for (std::vector<std::string> overrides :
         {std::vector<std::string>{}, {"protocols=null"}, {"switch.reduction=off"}})
      for (const char *network : {"cut-through", "maxmin"}) {
        INFO(program << " " << network);
        CompileRequest request = requestFor({program, {}, 8});
        request.target = targetRequest("dgx-h100", overrides);
        DiagnosticEngine diags;
        FailureOr<Compiled> outcome = compile(bundled(program), request, diags);
        REQUIRE(succeeded(outcome));
        const ExecPlan &plan = outcome->plan;
        CHECK(plan.usesSwitches());
        Machine m = machine("dgx-h100", overrides, 8);
        Simulation simulation(plan, m, 80'000, DataType::I32);
        DataExecutor data(simulation.placed, simulation.sizing, ReduceOp::Sum,
                          plan.info().placements.list().front(), std::nullopt);
        SimOptions options;
        options.listeners = {&data};
        simulation.run(network, options);
        data.finish();
        CHECK_FALSE(data.check());
      }
}

TEST_CASE("no plan with operations of switches is faster than its bound", "[bound]") {
  for (const char *program : {"allreduce_nvls", "allgather_nvls", "broadcast_nvls"})
    for (const char *network : {"cut-through", "ideal", "maxmin"})
      for (std::vector<std::string> overrides :
           {std::vector<std::string>{"protocols=null"},
            {"protocols=null", "switch.latency=0", "switch.payload_efficiency=1"}})
        for (uint64_t bytes : {64, 1 << 16, 1 << 24}) {
          INFO(program << " " << network << " " << bytes);
          CompileRequest request = requestFor({program, {}, 8});
          request.target = targetRequest("dgx-h100", overrides);
          DiagnosticEngine diags;
          FailureOr<Compiled> outcome = compile(bundled(program), request, diags);
          REQUIRE(succeeded(outcome));
          Machine m = machine("dgx-h100", overrides, 8);
          Simulation simulation(outcome->plan, m, bytes);
          std::optional<SizeBound> placed =
              PlanBound(simulation.placed, network, 1, BoundEffort::Limited).of(simulation.sizing);
          REQUIRE(placed);
          CHECK(simulation.run(network).time >= placed->time());
        }
}

TEST_CASE("machines without the operations reject plans that use them", "[target]") {
  const std::string note = "tool: note: compile the program for this target, so that it copies and "
                           "reduces instead\n";
  CHECK(errorOf(switchedPlan(1, true), star()) ==
        "tool: error: the plan has a multicast of r0 and r1, r2 and r3, and the switches of target "
        "star perform none ('switch')\n" +
            note);
  CHECK(errorOf(switchedPlan(1, false), switching(R"(, "reduction": "off")")) ==
        "tool: error: the plan has a reduction of r0 and r1, r2 and r3, and the switches of target "
        "star perform none ('switch')\n" +
            note);
  Machine reads = switching();
  reads.queue.reads = OneSidedReads::All;
  CHECK(errorOf(switchedPlan(1, true), reads) ==
        "tool: error: target star fetches messages with one-sided reads, which the operations of "
        "switches do not support: add --set queue.one_sided_reads=off\n");
  // Two nodes of two ranks each.
  TemporaryFile nodes(R"({"name": "nodes", "family": "switched", "gpus_per_node": 2, "nodes": 2,
      "node_link": {"bandwidth": 1e9, "propagation": 1e-6, "switch_overhead": 0},
      "nic": {"gpus_per_nic": 1, "bandwidth": 1e9, "propagation": 1e-6}, "switch": {}})");
  CHECK(errorOf(switchedPlan(1, true), machine(nodes.name())) ==
        "tool: error: the ranks of a multicast, r0, r1, r2 and r3, have no switch of target nodes "
        "in common\n");
}
