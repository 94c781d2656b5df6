//===- Moves.h - Direct transfers before they are ordered -------*- C++ -*-===//
//
// In the Simple protocol, one operation of the executor reads data of its own rank and of others,
// adds them, and writes the sum to its own rank and to others. Steps of an ExecPlan have one
// message each; here the steps that compute one value become one move:
//
//   * a reduction reads a message from the memory of its sender, if that does not change until
//   then;
//   * other messages are written where they are received, if nothing accesses that place in
//     between, and to scratch otherwise;
//   * successive reductions into the same cells are one move, and so are a value and its sends.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_MOVES_H
#define CCL_LIB_MSCCLPP_EMIT_MOVES_H

#include "Landing.h"

namespace cclc::mscclpp {

struct Move {
  struct Cells {
    RankId rank;
    Operand first;
    friend bool operator==(const Cells &, const Cells &) = default;
  };
  LocId loc;
  RankId rank;
  uint32_t threadblock; ///< of the ExecPlan
  uint32_t count;
  SmallVector<Cells, 4> sources;      ///< more than one are added; the first one is of the rank
  SmallVector<Cells, 4> destinations; ///< those of the rank first
  /// Whether a switch adds the sources, and whether it writes the destinations. It writes the place
  /// of the rank itself, too; \c lacksOwn: which is not a destination.
  bool addsInSwitch = false, multicasts = false, lacksOwn = false;
};

/// The moves of a plan of the Simple protocol in an order in which they can be executed.
/// \p placement is that of the emitted plan, \p most the number of sources, and of destinations, of
/// an operation. Nothing is read from the memory of another node.
std::vector<Move> makeMoves(const ExecPlan &plan, const NodeMap &nodes, Placement placement,
                            uint32_t most, const Landings &landings, PlanControlFlow &runner);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_MOVES_H
