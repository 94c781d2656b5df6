//===- Executions.h - Numbers of the executions of steps --------*- C++ -*-===//
//
// A step is executed once in every trip through the step list, in one part or in several. The
// executions of parts are numbered in the order of trips, steps and parts. The critical path refers
// to these numbers.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_EXECUTIONS_H
#define CCL_SIM_EXECUTIONS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cclc {

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

} // namespace cclc

#endif // CCL_SIM_EXECUTIONS_H
