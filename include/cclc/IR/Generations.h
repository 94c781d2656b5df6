//===- Generations.h - Calls of collectives on communicators ----*- C++ -*-===//
//
// A program may call several collectives without a barrier between them. Each call has a generation
// given by its user, and each of its phases takes place on one communicator, on which every rank
// has a gate: entering a phase of generation g requires that g >= the gate's counter and sets the
// counter to g + 1. A rank enters the phases in which it has an operation. The counters of
// different communicators are independent, and so are those of ranks without a common phase. A
// message is consumed only by a step of its own generation.
//
// User generation k reserves the generations 3k-2, 3k-1 and 3k; a call of two
// phases uses the first and the last (HPX discussion 7200, section 9).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_GENERATIONS_H
#define CCL_IR_GENERATIONS_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/Location.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// Groups of ranks, each with its own gates: the representatives, or the groups of
/// one level of a hierarchy. Groups are disjoint, their ranks ascend.
struct Communicator {
  std::string name;
  std::vector<std::vector<RankId>> groups;
  friend bool operator==(const Communicator &, const Communicator &) = default;
};

/// One call of a collective.
struct Call {
  std::string collective;
  uint32_t generation; ///< the user generation, from 1
  LocId loc;
  friend bool operator==(const Call &, const Call &) = default;
};

/// The gate that the ranks of a phase enter, if the phase belongs to a call.
struct Gate {
  static constexpr uint32_t numStages = 3;

  uint32_t call;
  uint32_t communicator;
  uint32_t stage; ///< first, second or third of the call's generations: 0, 1, 2
  /// Unset until the pass allocate-generations assigns it.
  std::optional<uint32_t> generation;
  friend bool operator==(const Gate &, const Gate &) = default;
};

/// A named stage of the algorithm, as the program labels it.
struct Phase {
  std::string name;
  std::optional<Gate> gate = {};
  friend bool operator==(const Phase &, const Phase &) = default;
};

/// The segment of the program that each phase belongs to. Phases are listed in the order in which
/// the program enters them; a segment is one phase with a gate, or a sequence of phases without
/// gates. Steps of different segments are never fused and never reordered within a threadblock.
std::vector<uint32_t> segmentsOf(const std::vector<Phase> &phases);

} // namespace cclc

#endif // CCL_IR_GENERATIONS_H
