//===- CriticalPath.h - What the time of a run is made of -------*- C++ -*-===//
//
// Goes back from the last thing that happened over what each execution of a step
// waited for last. The segments follow each other without gap from 0 to the end
// of the run, so their lengths add up to its time.
//
// Recording takes 56 bytes for each execution of a step (a step runs once for
// every piece and repetition).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CRITICALPATH_H
#define CCL_SIM_CRITICALPATH_H

#include "cclc/Sim/Causes.h"

#include <optional>
#include <vector>

namespace cclc {

/// A stretch of time and what it went into. \p threadblock and \p step are those
/// that execute or that wait.
struct PathSegment {
  Cause cause;
  SimTime begin, end;
  uint32_t threadblock, step;
  uint64_t trip; ///< of the step list
};

/// What every execution of a step waited for last. Executions are numbered
/// trip * steps + step.
class PathRecorder {
public:
  explicit PathRecorder(uint64_t executions) : records(executions) {}

  void begins(uint64_t execution, SimTime now) {
    records[execution] = {now, SimTime::max(), {}, {}, 0, {}};
  }
  /// It has done its own part at \p now; until it ends, the network holds it.
  void worked(uint64_t execution, SimTime now) { records[execution].worked = now; }
  /// It waited for \p cause, that is for what \p other did until \p then. Of a
  /// message, \p contention is the part of the time in which others held it up.
  void waited(uint64_t execution, Cause cause, uint64_t other, SimTime then,
              SimTime contention = {}) {
    Record &record = records[execution];
    record = {record.begin, record.worked, then, contention, other, cause};
  }
  /// It follows \p previous of the same threadblock without a wait.
  void follows(uint64_t execution, uint64_t previous) {
    waited(execution, Cause::Engine, previous, records[execution].begin);
  }

  /// Of a run that ends at \p end with \p last, first segment first. \p threadblockOf gives
  /// the threadblock of each step of the plan.
  std::vector<PathSegment> path(uint64_t last, SimTime end, ArrayRef<uint32_t> threadblockOf) const;

private:
  struct Record {
    SimTime begin, worked, then, contention;
    uint64_t other;
    std::optional<Cause> cause; ///< none: begins with the run
  };
  std::vector<Record> records;
};

} // namespace cclc

#endif // CCL_SIM_CRITICALPATH_H
