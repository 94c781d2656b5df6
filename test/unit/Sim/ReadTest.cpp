//===- ReadTest.cpp - Messages that their receivers fetch -----------------===//
//
// Times are computed by hand on links of 1 GB/s (1000 ps per byte) and 1 us, without costs other
// than those that a case sets.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "cclc/Limits/PlanReads.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;

namespace {

Machine reading(std::vector<std::string> more = {}, uint32_t ranks = 2) {
  more.insert(more.begin(), {"link.bandwidth=1e9", "link.propagation=1e-6", "launch=0",
                             "queue.slot_size=0", "queue.one_sided_reads=all"});
  return machine("fully-connected", more, ranks);
}

/// The number of threadblocks that fetch their messages.
uint32_t fetching(const ExecPlan &plan, OneSidedReads reads) {
  uint32_t number = llvm::count_if(
      plan.threadblocks(), [&](const Threadblock &tb) { return fetchesMessages(plan, tb, reads); });
  CHECK(hasReads(plan, reads) == (number > 0));
  return number;
}

} // namespace

TEST_CASE("a read takes a signal, a request and the data", "[rule-53]") {
  ExecPlan plan = stream(1);
  for (const char *network : networks) {
    INFO(network);
    CHECK(Simulation(plan, reading(), 4000).time(network) == 3 * us + 4000 * ns);
    CHECK(Simulation(plan, reading({"queue.credit_size=8"}), 4000).time(network) ==
          3 * us + 4016 * ns);
    // The write of the slot at the sender, the way to its DMA engine, and the dispatch of send and
    // request, but no access to a slot at the receiver.
    Machine costs = reading({"pe.dispatch=70e-9", "queue.access.tcm.latency=30e-9",
                             "queue.send_overhead=11e-9", "queue.receive_overhead=13e-9"});
    CHECK(Simulation(plan, costs, 4000).time(network) ==
          3 * us + 4000 * ns + (2 * 70 + 30 + 11 + 13) * ns);
  }
}

TEST_CASE("a slot is free when its message has been read", "[rule-54]") {
  ExecPlan plan = stream(3);
  Machine m = reading();
  auto time = [&](uint32_t slots) {
    return Simulation(plan, m, 3 * 4000, DataType::F32, Slots(slots)).time();
  };
  // The signals of later messages arrive during the first read; reads are serialised.
  CHECK(time(8) == us + 3 * (2 * us + 4000 * ns));
  CHECK(time(2) == time(8));
  // The next send waits for the credit.
  CHECK(time(1) == 3 * (3 * us + 4000 * ns) + 2 * us);
  CHECK(Simulation(plan, reading({"queue.credit_size=16"}), 3 * 4000, DataType::F32, Slots(1))
            .time() == 3 * (3 * us + 4032 * ns) + 2 * (us + 16 * ns));
}

TEST_CASE("a receiver that waits for data occupies no stream", "[rule-12][rule-54]") {
  ExecPlan plan = stream(2, /*ownChannels=*/true);
  auto time = [&](std::vector<std::string> costs) {
    return Simulation(plan, reading(costs), 2 * 4000).time("ideal");
  };
  CHECK(time({"pe.dispatch=100e-9"}) == 3 * us + 4000 * ns + 200 * ns);
  // Two sends one after the other, then two requests.
  CHECK(time({"pe.dispatch=100e-9", "pe.streams=1"}) == 3 * us + 4000 * ns + 300 * ns);
  // The DMA engine of the sender executes reads sequentially.
  CHECK(time({"pe.dma_bandwidth=2e9"}) == 3 * us + 4000 * ns + 2000 * ns);
  // Its threadblocks do not take part.
  CHECK(time({"pe.threadblock_bandwidth=1e6"}) == 3 * us + 4000 * ns);
}

TEST_CASE("data that are read share the links from sender to receiver", "[rule-53]") {
  ExecPlan plan = stream(2, /*ownChannels=*/true);
  for (const char *network : {"cut-through", "fifo", "maxmin"})
    CHECK(Simulation(plan, reading(), 2 * 4000).time(network) == 3 * us + 8000 * ns);
}

TEST_CASE("the target selects the connections that are read", "[rule-52]") {
  ExecPlan tree = compiled({"allreduce_tree", {{"arity", "3"}}, 13});
  ExecPlan doubling = compiled({"allreduce_recursive_doubling", {}, 8});
  ExecPlan star = compiled({"allreduce_centralized", {{"streams", "0"}}, 6});
  CHECK(fetching(tree, OneSidedReads::Off) == 0);
  // Children are fetched into scratch, the total is sent to them.
  CHECK(fetching(tree, OneSidedReads::Scratch) == 12);
  CHECK(fetching(tree, OneSidedReads::All) == 24);
  CHECK(fetching(star, OneSidedReads::Scratch) == 5);
  // It adds what it receives.
  CHECK(fetching(doubling, OneSidedReads::Scratch) == 0);
  CHECK(fetching(doubling, OneSidedReads::All) == 24);
}

TEST_CASE("targets with protocols have no reads", "[rule-52]") {
  DiagnosticEngine diags;
  ExecPlan plan = stream(1);
  Machine m = machine("mi300x", {"queue.one_sided_reads=all"}, 2);
  CHECK(failed(PlacedPlan::create(plan, m, Slots(8), diags)));
  CHECK(textOf(diags) ==
        "tool: error: target mi300x has 'protocols', whose messages are always sent, "
        "but 'queue.one_sided_reads' is not off\n");
}

TEST_CASE("the time of reads is attributed completely", "[rule-55][rule-26][rule-29]") {
  for (const char *name : {"allreduce_tree", "allreduce_recursive_doubling", "allreduce_ring"})
    for (const char *reads : {"scratch", "all"})
      for (const char *network : networks) {
        ExecPlan plan = compiled({name, {}, 8});
        Machine m = machine("bluefield3",
                            {std::string("queue.one_sided_reads=") + reads, "queue.slot_size=4096",
                             "queue.slots=2", "queue.credit_size=8"},
                            8);
        Simulation sim(plan, m, 40000);
        for (std::optional<uint64_t> schedule : {std::optional<uint64_t>(), {7}}) {
          SimOptions options;
          options.criticalPath = true;
          options.repeat = 2;
          options.randomSchedule = schedule;
          INFO(name << " " << reads << " " << network << " " << schedule.has_value());
          SimResult result = sim.run(network, options);
          checkCauses(plan, result);
          checkNoGaps(result);
        }
      }
}

TEST_CASE("the way of a read begins with its request", "[rule-55]") {
  ExecPlan plan = stream(1);
  Machine m = reading({"pe.dispatch=100e-9"});
  SimOptions options;
  options.criticalPath = true;
  SimResult result = Simulation(plan, m, 4000).run("", options);
  std::vector<std::pair<Cause, int64_t>> path;
  for (const PathSegment &segment : result.criticalPath)
    path.emplace_back(segment.cause, (segment.end - segment.begin).picoseconds());
  CHECK(path == std::vector<std::pair<Cause, int64_t>>{{Cause::Engine, 100 * ns},
                                                       {Cause::Link, us},
                                                       {Cause::Engine, 100 * ns},
                                                       {Cause::Link, 2 * us + 4000 * ns}});
}
