//===- ChromeTrace.h - Chrome event traces ----------------------*- C++ -*-===//
//
// Streams the events of a simulation in the JSON format of Chrome's trace events, for Perfetto and
// chrome://tracing: a process for each rank with a thread for each threadblock, a slice for each
// execution of a step and for each wait, arrows from sends to receives, and counters of links and
// slots. docs/CommandGuide/ccl-sim.md documents the events.
//
// A trace of a million steps has about 700 MB, so only open events are kept in memory: the current
// step of a threadblock, the pending credits of a connection, and a coarse history of each link.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_CHROMETRACE_H
#define CCL_VIEWS_REPORT_CHROMETRACE_H

#include "cclc/Views/Report/RunSettings.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace cclc {

/// The place of a timeline in a trace that has others.
struct TracePart {
  uint32_t before;   ///< the highest number of a process or thread of the others
  std::string label; ///< begins the names of its processes
};

/// The trace of one simulation. All arguments must outlive it.
class ChromeTrace : public SimListener {
public:
  /// With \p part only its events are written, each followed by a comma.
  ChromeTrace(const PlanOnMachine &plan, const Sizing &sizing, raw_ostream &os,
              const TracePart *part = nullptr);
  ~ChromeTrace() override;

  void runBegins(RankId rank, uint32_t run, SimTime now) override;
  void stepBegins(const StepRun &step, SimTime now) override;
  void stepEnds(const StepRun &step, SimTime now) override;
  void spent(const StepRun &step, Cause cause, SimTime begin, SimTime end) override;
  void messageSent(ConnectionId connection, StepId step, Bytes size, SimTime at) override;
  void messageTaken(ConnectionId connection, StepId step, SimTime now) override;
  void slotTaken(ConnectionId connection, SimTime now) override;
  void slotFreed(ConnectionId connection, SimTime at) override;
  void linkBusy(LinkId link, Bytes bytes, SimTime begin, SimTime end) override;

  /// Ends the trace of a simulation that took \p time with \p settings. To be called once after the
  /// simulation.
  void finish(SimTime time, ArrayRef<RunSetting> settings = {});

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// Writes the trace of the simulation that \p simulate makes with the listener.
SimResult writeTrace(const PlanOnMachine &plan, const Sizing &sizing, ArrayRef<RunSetting> settings,
                     raw_ostream &os, llvm::function_ref<SimResult(SimListener &)> simulate);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_CHROMETRACE_H
