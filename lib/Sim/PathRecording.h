//===- PathRecording.h - Recording of the critical path ---------*- C++ -*-===//

#ifndef CCL_LIB_SIM_PATHRECORDING_H
#define CCL_LIB_SIM_PATHRECORDING_H

#include "Threadblocks.h"

namespace cclc {

class PathRecording final {
public:
  PathRecording(PlanState &state, Connections &connections, const Threadblocks &threadblocks,
                const Runs &runs)
      : state(state), connections(connections), threadblocks(threadblocks), runs(runs),
        recorder(state.trips * state.executions.perTrip()), latest(state.plan.steps().size()) {}

  /// Records the wait of \p t before its current execution, which begins now.
  void record(uint32_t t, const Step &step);
  /// The current execution of \p self cannot end before the rest of the message that \p arrival
  /// began has arrived at \p complete.
  void waitForRest(const ThreadblockState &self, const Arrival &arrival, SimTime complete);
  /// The own work of the current execution of \p self ends; then it waits for the network.
  void endWork(const ThreadblockState &self) { recorder.worked(self.previous, self.worked); }
  /// Traces the critical path of the result back from \p last, the end of the plan.
  void traceBack(const Ending &last);

private:
  PlanState &state;
  Connections &connections;
  const Threadblocks &threadblocks;
  const Runs &runs;
  PathRecorder recorder;
  std::vector<uint64_t> latest; ///< by step: its latest execution
};

} // namespace cclc

#endif // CCL_LIB_SIM_PATHRECORDING_H
