//===- Stages.h - The stages of the engine ----------------------*- C++ -*-===//
//
// The state of a running plan and the stages that change it. Each stage has the state that it
// changes alone, and refers to those before it that it uses.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_STAGES_H
#define CCL_LIB_SIM_STAGES_H

#include "PathRecording.h"

namespace cclc {

struct Stages {
  Stages(const PlacedPlan &placed, const Sizing &sizing, NetworkModel &network,
         const SimOptions &options, MachineShare share)
      : state(placed, sizing, network, options, std::move(share)) {
    if (options.criticalPath)
      recording.emplace(state, connections, threadblocks, runs);
  }

  /// The current execution of \p t begins, and its step if it is the \p first of it for listeners.
  void beginExecution(uint32_t t, const Step &step, bool first) {
    if (recording)
      recording->record(t, step);
    threadblocks.chargeWait(t);
    if (first && !state.listeners.empty())
      notify(state.listeners, &SimListener::stepBegins, state.current(t), state.now);
  }

  PlanState state;
  LoadsAndStores memory{state};
  Runs runs{state, memory};
  SwitchTraffic switches{state};
  Reads reads{state};
  Connections connections{state, switches, reads};
  Threadblocks threadblocks{state, connections, memory, runs};
  std::optional<PathRecording> recording; ///< if the critical path is recorded
};

} // namespace cclc

#endif // CCL_LIB_SIM_STAGES_H
