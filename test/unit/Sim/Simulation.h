//===- Simulation.h - One simulated run, for tests --------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_SIM_SIMULATION_H
#define CCL_TEST_UNIT_SIM_SIMULATION_H

#include "Plans.h"

#include "cclc/Sim/DataExecutor.h"
#include "cclc/Sim/Engine.h"

namespace cclc::test {

constexpr const char *networks[] = {"alpha-beta", "cut-through", "fifo",    "ideal",
                                    "maxmin",     "maxmin-fast", "per-flit"};

constexpr int64_t us = 1'000'000, ns = 1000; ///< in picoseconds

/// A plan bound to a machine for one size; it refers to its arguments, which must outlive it.
class Simulation {
public:
  Simulation(const ExecPlan &plan, const Machine &machine, uint64_t bytes,
             DataType type = DataType::F32, std::optional<Slots> slots = std::nullopt)
      : machine(machine),
        placed(must(PlacedPlan::create(plan, machine, slots.value_or(machine.slotsFor(plan.info())),
                                       diags))),
        sizing(must(Sizing::create(placed, Bytes(bytes), type, diags))) {}

  SimResult run(StringRef network = "", const SimOptions &options = {}) {
    auto model =
        createNetwork(network.empty() ? StringRef(machine.network) : network, placed.routes);
    REQUIRE(model);
    SimResult result = simulate(placed, sizing, *model, options);
    REQUIRE(result.completed);
    return result;
  }
  SimResult run(SimListener &listener) {
    SimOptions options;
    options.listeners = {&listener};
    return run("", options);
  }
  SimResult repeated(uint32_t repeat, StringRef network = "") {
    SimOptions options;
    options.repeat = repeat;
    return run(network, options);
  }
  int64_t time(StringRef network = "", uint32_t repeat = 1) {
    return repeated(repeat, network).time.picoseconds();
  }

private:
  DiagnosticEngine diags;
  template <class T> T must(FailureOr<T> value) {
    if (failed(value))
      FAIL(textOf(diags));
    return std::move(*value);
  }

public:
  const Machine &machine;
  PlacedPlan placed;
  Sizing sizing;
};

/// Checks that the causes of each threadblock add up to its time.
inline void checkCauses(const ExecPlan &plan, const SimResult &result) {
  REQUIRE(result.causes.size() == plan.threadblocks().size());
  for (size_t t = 0; t < result.causes.size(); ++t) {
    SimTime sum;
    for (SimTime time : result.causes[t]) {
      CHECK(time >= SimTime());
      sum += time;
    }
    if (plan.threadblocks()[t].numSteps)
      CHECK(sum == result.finished[t]);
  }
}

/// Checks that the critical path covers the time from 0 to the end of the run.
inline void checkNoGaps(const SimResult &result) {
  SimTime at;
  for (const PathSegment &segment : result.criticalPath) {
    CHECK(segment.begin == at);
    CHECK(segment.end > segment.begin);
    at = segment.end;
  }
  CHECK(at == result.time);
}

/// The time of a transfer from its definition: rounded up to a picosecond.
inline int64_t transferPs(uint64_t bytes, uint64_t bytesPerSecond) {
  __extension__ typedef unsigned __int128 Wide;
  Wide exact = Wide(bytes) * 1000000000000u;
  Wide quotient = exact / bytesPerSecond;
  return int64_t(quotient) + (exact % bytesPerSecond != 0);
}

/// \p messages serialised messages of one chunk from r0 to r1 on one channel, or each on its own
/// channel. Both ranks have one chunk per message.
inline ExecPlan stream(uint32_t messages, bool ownChannels = false, uint32_t ranks = 2) {
  ProgramInfo info(Collective(ranks, CustomSpec{messages, messages, {}}));
  info.name = "stream";
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  auto add = [&](RankId rank, OptionalId<RankId> to, OptionalId<RankId> from) {
    for (uint32_t m = 0; m < messages; ++m) {
      if (m == 0 || ownChannels)
        builder.beginThreadblock(rank, to, from, ChannelId(ownChannels ? m : 0));
      if (to)
        builder.addStep(Step(OpKind::Send, Operand(Buffer::Input, m), {}, 1, loc, loc));
      else
        builder.addStep(Step(OpKind::Recv, {}, Operand(Buffer::Output, m), 1, loc, loc));
    }
  };
  add(RankId(0), RankId(1), {});
  add(RankId(1), {}, RankId(0));
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}

} // namespace cclc::test

#endif // CCL_TEST_UNIT_SIM_SIMULATION_H
