//===- Interpreted.h - Real executions against the simulator ----*- C++ -*-===//

#ifndef CCL_TEST_UNIT_RUN_INTERPRETED_H
#define CCL_TEST_UNIT_RUN_INTERPRETED_H

#include "Execution.h"

#include "cclc/Sim/DataExecutor.h"

namespace cclc::test {

/// A plan in the simulator, with random data, whose sums depend on the order.
class Interpreted {
public:
  Interpreted(const ExecPlan &plan, Slots slots)
      : target(plan.usesSwitches() ? machine("dgx-h100", {"protocols=null"}, plan.ranks())
                                   : machine("ideal", {}, plan.ranks())),
        placed([&] {
          DiagnosticEngine diags;
          FailureOr<PlacedPlan> made = PlacedPlan::create(plan, target, slots, diags);
          if (failed(made))
            FAIL(textOf(diags));
          return std::move(*made);
        }()) {}

  /// Executes \p run by threads in all placements, and compares every output bit by bit with that
  /// of the simulator for a buffer of \p elements. Returns the number of executions.
  uint32_t check(const run::PreparedPlan &run, uint64_t elements,
                 const run::RunOptions &options = {}) {
    constexpr uint64_t seed = 7;
    const run::RunSettings &settings = run.settings;
    DiagnosticEngine diags;
    FailureOr<Sizing> sizing =
        Sizing::create(placed, Bytes(elements * sizeOf(settings.type)), settings.type, diags);
    REQUIRE(succeeded(sizing));
    REQUIRE(sizing->chunkElements == run.layout.chunkElements());
    uint32_t executions = 0;
    for (Placement placement : run.plan.info().placements.list()) {
      DataExecutor simulated(placed, *sizing, settings.op, placement, seed);
      auto network = createNetwork("ideal", placed.routes);
      SimOptions simulation;
      simulation.listeners = {&simulated};
      REQUIRE(simulate(placed, *sizing, *network, simulation).completed);
      simulated.finish();

      run::RunData data(run, placement, *run::createThreadGroup());
      data.fill(InputData(run.plan.info().collective, settings.type, settings.op, seed), 0);
      execute(run, data, options);
      std::optional<DataMismatch> mismatch;
      data.compare([&](RankId r, uint32_t c,
                       uint32_t) { return simulated.chunk(r, Operand(Buffer::Output, c)); },
                   0, mismatch);
      if (mismatch)
        FAIL(mismatchText(*mismatch, placement, Bytes(0), 1));
      ++executions;
    }
    return executions;
  }

private:
  Machine target;
  PlacedPlan placed;
};

} // namespace cclc::test

#endif // CCL_TEST_UNIT_RUN_INTERPRETED_H
