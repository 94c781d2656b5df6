//===- CriticalPath.h - The critical path of a run --------------*- C++ -*-===//
//
// Follows, from the last event backwards, the last wait of each execution of a step. The segments
// are contiguous from 0 to the end of the run, so their lengths add up to its time.
//
// Recording takes 56 bytes for each execution of a step (a step is executed once for every piece
// and repetition).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_CRITICALPATH_H
#define CCL_SIM_CRITICALPATH_H

#include "cclc/Sim/Causes.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace cclc {

/// A time span and its cause. \p threadblock and \p step are executing or waiting.
struct PathSegment {
  Cause cause;
  SimTime begin, end;
  uint32_t threadblock, step;
  uint64_t trip; ///< trip through the step list
};

/// Numbers the executions of steps. A step is executed once in every trip through the step list, in
/// one part or in several. The executions of parts have the order of trips, steps and parts.
class Executions {
public:
  /// Those of \p steps steps of one part.
  explicit Executions(uint64_t steps = 0) : all(steps) {}
  /// Appends a step of \p parts parts, at least one, to others that were appended.
  void append(uint64_t parts) {
    first.push_back(all);
    all += parts;
  }

  uint64_t perTrip() const { return all; }
  /// Whether a step may have several parts.
  bool haveParts() const { return !first.empty(); }
  uint64_t parts(uint32_t step) const {
    if (!haveParts())
      return 1;
    return (step + 1 < first.size() ? first[step + 1] : all) - first[step];
  }
  /// The number of part \p part of \p step in trip \p trip.
  uint64_t number(uint64_t trip, uint32_t step, uint32_t part) const {
    return trip * all + (haveParts() ? first[step] : step) + part;
  }
  uint64_t tripOf(uint64_t execution) const { return execution / all; }
  uint32_t stepOf(uint64_t execution) const {
    execution %= all;
    return haveParts() ? std::upper_bound(first.begin(), first.end(), execution) - first.begin() - 1
                       : execution;
  }

private:
  uint64_t all;
  std::vector<uint64_t> first; ///< by step: the number of its first part; empty if each has one
};

/// Records the last wait of every execution of a step.
class PathRecorder {
public:
  explicit PathRecorder(uint64_t executions) : records(executions) {}

  void begins(uint64_t execution, SimTime now) {
    records[execution] = {now, SimTime::max(), {}, {}, 0, {}};
  }
  /// Its own work ended at \p now; until its end it waits for the network.
  void worked(uint64_t execution, SimTime now) { records[execution].worked = now; }
  /// It waited for \p cause, namely for \p other, which ended at \p then. For a message,
  /// \p contention is the part of the time due to contention.
  void waited(uint64_t execution, Cause cause, uint64_t other, SimTime then,
              SimTime contention = {}) {
    Record &record = records[execution];
    record = {record.begin, record.worked, then, contention, other, cause};
  }
  /// It followed \p previous of the same threadblock without a wait.
  void follows(uint64_t execution, uint64_t previous) {
    waited(execution, Cause::Engine, previous, records[execution].begin);
  }

  /// The critical path of a run that ends at \p end with \p last, in the order of time.
  /// \p threadblockOf gives the threadblock of a step.
  std::vector<PathSegment> path(uint64_t last, SimTime end, const Executions &executions,
                                llvm::function_ref<uint32_t(uint32_t)> threadblockOf) const;

private:
  struct Record {
    SimTime begin, worked, then, contention;
    uint64_t other;
    std::optional<Cause> cause; ///< none if it begins with the run
  };
  std::vector<Record> records;
};

} // namespace cclc

#endif // CCL_SIM_CRITICALPATH_H
