//===- Nodes.h - Operations on packets before they are ordered --*- C++ -*-===//
//
// In the LL protocol a value is the sum of packets and of local data. One operation of the executor
// computes it from up to nine packets, stores it locally and sends it to several ranks. Steps of an
// ExecPlan have one message each; here those that compute one value become one node:
//
//   * reductions of successive messages into the same cells;
//   * the reduction or reception of a value and the sends of it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_NODES_H
#define CCL_LIB_MSCCLPP_EMIT_NODES_H

#include "Landing.h"

namespace cclc::mscclpp {

/// A value, or a local copy or reduction. Operands that it does not have are none.
struct Node {
  enum class Kind : uint8_t { Value, Copy, Reduce } kind = Kind::Value;
  LocId loc;
  RankId rank;
  uint32_t threadblock; ///< of the ExecPlan: that of the last message received, or sent
  uint32_t count;
  Operand local;                   ///< the summand or source in a local buffer
  Operand stored;                  ///< the destination in a local buffer
  SmallVector<Operand, 4> packets; ///< in scratch
  struct Send {
    RankId peer;
    Operand slot;
  };
  SmallVector<Send, 4> sends;
  Operand unused = {}; ///< where a sum is stored that is only sent
};

/// The nodes of a plan of the LL protocol in an order in which they can be executed. \p placement
/// is that of the emitted plan, \p most the number of sources, and of destinations, of an
/// operation.
std::vector<Node> makeNodes(const ExecPlan &plan, Placement placement, uint32_t most,
                            const Landings &landings, PlanControlFlow &runner);

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_NODES_H
