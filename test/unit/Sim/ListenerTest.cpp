//===- ListenerTest.cpp - The events of listeners are consistent ----------===//

#include "Simulation.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

/// Of millions of events, CHECK() would count each.
#define EXPECT(CONDITION)                                                                          \
  do {                                                                                             \
    if (!(CONDITION))                                                                              \
      FAIL(#CONDITION);                                                                            \
  } while (false)

namespace {
/// Records all events, and checks the invariants that must hold at every event.
class Recorder final : public SimListener {
public:
  explicit Recorder(const Simulation &sim)
      : sim(sim), causes(sim.placed.plan.threadblocks().size()),
        spentUntil(sim.placed.plan.threadblocks().size()),
        queues(sim.placed.placedConnections.size()), links(sim.machine.links().size()) {}

  void spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) override {
    uint32_t threadblock = step.threadblock.index();
    const Threadblock &tb = sim.placed.plan.threadblocks()[threadblock];
    EXPECT(step.step.index() >= tb.firstStep && step.step.index() < tb.firstStep + tb.numSteps);
    EXPECT(step.piece < sim.sizing.pieces);
    EXPECT(begin == spentUntil[threadblock]);
    EXPECT(begin < end);
    spentUntil[threadblock] = end;
    causes[threadblock][static_cast<size_t>(cause)] += end - begin;
  }
  void messageSent(ConnectionId connection, StepId step, Bytes size, SimTime at) override {
    EXPECT(traits(sim.placed.plan.steps()[step.index()].op).sends);
    EXPECT(size > Bytes() && at >= queues[connection.index()].lastSent);
    queues[connection.index()].lastSent = at;
    queues[connection.index()].sent.push_back(at);
  }
  void messageArrives(ConnectionId connection, SimTime now) override {
    Queue &queue = queues[connection.index()];
    EXPECT(queue.arrived.size() < queue.sent.size());
    EXPECT(queue.sent[queue.arrived.size()] <= now);
    queue.arrived.push_back(now);
  }
  void messageTaken(ConnectionId connection, StepId step, SimTime now) override {
    Queue &queue = queues[connection.index()];
    EXPECT(traits(sim.placed.plan.steps()[step.index()].op).receives);
    EXPECT(queue.taken < queue.arrived.size());
    EXPECT(queue.arrived[queue.taken++] <= now);
  }
  void slotTaken(ConnectionId connection, SimTime now) override {
    queues[connection.index()].slots.emplace_back(now, 1);
  }
  void slotFreed(ConnectionId connection, SimTime at) override {
    queues[connection.index()].slots.emplace_back(at, -1);
  }
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override {
    LinkSpans &spans = links[link.index()];
    EXPECT(begin <= end);
    spans.overlap |= begin < spans.last;
    spans.last = end;
    spans.bytes += bytes;
    spans.busy += end - begin;
  }

  void check(const SimResult &result, StringRef network) const {
    EXPECT(causes == result.causes);
    for (uint32_t t = 0; t < spentUntil.size(); ++t)
      EXPECT(spentUntil[t] == result.finished[t]);
    uint64_t slotsTaken = 0;
    for (const Queue &queue : queues) {
      EXPECT(queue.taken == queue.sent.size());
      slotsTaken += checkSlots(queue);
    }
    EXPECT(slotsTaken == result.messages);
    for (uint32_t l = 0; l < links.size(); ++l) {
      EXPECT(links[l].bytes == result.links[l].bytes);
      if (network.starts_with("maxmin") || network == "ideal")
        continue; // messages share links
      EXPECT(links[l].busy == result.links[l].busy);
      CHECK_FALSE(links[l].overlap);
    }
  }

private:
  struct Queue {
    std::vector<SimTime> sent, arrived;
    SimTime lastSent;
    size_t taken = 0;
    std::vector<std::pair<SimTime, int>> slots;
  };
  struct LinkSpans {
    Bytes bytes;
    SimTime busy, last;
    bool overlap = false;
  };

  /// Checks that the slots in use never exceed their number and that all are free at the end.
  /// Returns how many were taken.
  uint64_t checkSlots(const Queue &queue) const {
    auto slots = queue.slots;
    // A slot that is freed at a time may be taken at the same time.
    std::sort(slots.begin(), slots.end());
    int64_t inUse = 0;
    uint64_t taken = 0;
    for (auto [at, change] : slots) {
      inUse += change;
      taken += change > 0;
      EXPECT(inUse >= 0);
      if (!sim.placed.slots.isUnlimited())
        EXPECT(inUse <= int64_t(sim.placed.slots.limit()));
    }
    EXPECT(inUse == 0);
    return taken;
  }

  const Simulation &sim;
  std::vector<CauseTimes> causes;
  std::vector<SimTime> spentUntil;
  std::vector<Queue> queues;
  std::vector<LinkSpans> links;
};

void observe(const ExecPlan &plan, const Machine &machine, uint64_t bytes) {
  Simulation sim(plan, machine, bytes, DataType::F32, plan.slots());
  for (const char *network : networks) {
    INFO(machine.name << ' ' << network);
    Recorder recorder(sim);
    SimOptions options;
    options.repeat = 2;
    SimResult silent = sim.run(network, options);
    options.listeners = {&recorder};
    SimResult result = sim.run(network, options);
    recorder.check(result, network);
    EXPECT(result.time == silent.time);
    EXPECT(result.events == silent.events);
  }
}
} // namespace

TEST_CASE("the events of listeners are consistent", "[sim]") {
  const char *targets[] = {"torus2d", "ahbm", "ndv4"};
  size_t next = 0;
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    observe(plan, machine(targets[next++ % 3], {}, plan.ranks()), 100'000);
  }
  for (uint64_t seed = 0; seed < scaled(20); ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed);
    observe(plan, machine(seed % 2 ? "mesh2d" : "ndv4", {}, plan.ranks()), 40'000);
  }
}
