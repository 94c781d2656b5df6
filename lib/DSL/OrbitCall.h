//===- OrbitCall.h - Orbits of a traced program -----------------*- C++ -*-===//

#ifndef CCL_LIB_DSL_ORBITCALL_H
#define CCL_LIB_DSL_ORBITCALL_H

#include "CellTimes.h"

#include "cclc/IR/ChunkProgram.h"
#include "cclc/Symmetry/RotationGroup.h"

namespace cclc::dsl {

/// A call of orbit() in progress.
struct OrbitCall {
  RotationGroup group;
  RotationGroup::Element by; ///< the renumbering of the current repetition
  uint64_t next = 0;         ///< the number of the next repetition
  uint32_t start;            ///< the time when the call began
  uint32_t repetitionStart;  ///< the time when the current repetition began
  /// The last place that the repetition renumbered: an operation often begins where the one before
  /// it ended.
  std::optional<Place> named = {}, place = {};
};

/// Whether orbits are recorded with all repetitions or with the first one, and the latter of every
/// program or of those that begin with an orbit.
enum class Orbits : uint8_t { Whole, First, FirstIfBegun };

/// The trace of a symmetric program, which has the first repetition of each orbit only. A cell
/// stands for all cells with its relative index.
struct SymmetricTrace {
  bool isOptional;                    ///< if the program may be traced as a whole
  std::optional<RotationGroup> group; ///< of all orbits
  std::vector<ChunkOp> ops;
  /// Accesses of the current orbit, by cell: 1 + the first rank that accesses it, and these flags.
  CellTimes accesses;
  static constexpr uint32_t written = 1u << 31, byOthers = 1u << 30;
};

} // namespace cclc::dsl

#endif // CCL_LIB_DSL_ORBITCALL_H
