//===- EmissionKeys.h - The order of ready instructions ---------*- C++ -*-===//
//
// Ready parts of instructions are executed in ascending order of their keys: by priority,
// descending, then as the instructions are sorted. Without priorities, all parts of an instruction
// have the same key, its place in that order.
//
// If all ranks do the same, instructions that are equal on all ranks have equal depths and
// remaining paths, and follow each other in the program, so that they follow each other here too.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SCHEDULE_EMISSIONKEYS_H
#define CCL_LIB_SCHEDULE_EMISSIONKEYS_H

#include "Order.h"

namespace cclc::schedule {

class EmissionKeys {
public:
  explicit EmissionKeys(const ProgramGraph &graph);

  uint64_t of(uint32_t id, Item::Part part) const {
    return keys.empty() ? turns[id] : keys[uint64_t(id) * 3 + static_cast<uint32_t>(part)];
  }
  uint32_t instrOf(uint64_t key) const { return keys.empty() ? sorted[key] : byKey[key] / 3; }
  /// Whether each part has a key of its own.
  bool areOfParts() const { return !keys.empty(); }

  /// Whether each run of as many instructions as there are ranks has the same operation on all
  /// ranks.
  bool areInLockstep() const;
  /// The run of \p length instructions that \p id belongs to.
  ArrayRef<uint32_t> run(uint32_t id, uint32_t length) const {
    return ArrayRef(sorted).slice(turns[id] - turns[id] % length, length);
  }

private:
  uint32_t priorityOf(uint32_t id, Item::Part part) const;

  const InstrProgram &program;
  const std::vector<uint32_t> &sorted;
  std::vector<uint32_t> turns;       ///< by instruction: its place in `sorted`
  std::vector<uint32_t> keys, byKey; ///< by 3 * instruction + part; its inverse; with priorities
};

} // namespace cclc::schedule

#endif // CCL_LIB_SCHEDULE_EMISSIONKEYS_H
