//===- Landing.h - Destinations of messages ---------------------*- C++ -*-===//
//
// A put may write directly to the destination of the receiving step if every access of those cells
// that precedes the step happens before the put. A plan without races orders all of these accesses
// with the step; vector clocks over the threadblocks show whether they are also ordered with the
// put. All other messages get a separate place in scratch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_LANDING_H
#define CCL_LIB_MSCCLPP_EMIT_LANDING_H

#include "cclc/Mscclpp/Emit/NodeMap.h"
#include "cclc/Proof/PlanControlFlow.h"

namespace cclc::mscclpp {

class Landings {
public:
  Landings(const ExecPlan &plan, const NodeMap &nodes, const ConnectionTable &connections,
           PlanControlFlow &runner);

  /// The location of a message that a step receives, by the number of its receive peer.
  Operand of(uint32_t receive, uint32_t peer = 0) const {
    return peer == 0 ? places[receive] : places[receive].offsetBy(peer * count(receive));
  }
  /// The location, at the receiver, of a message that a step sends, by the number of its send peer.
  Operand target(uint32_t send, uint32_t peer = 0) const {
    Receipt receipt = receiptsOf[send][peer];
    return of(receipt.step, receipt.peer);
  }
  /// Whether the message is written directly to the destination of the receiving step.
  bool isDirect(uint32_t receive) const { return direct[receive]; }

  /// A scratch place for an `rrs` in the LL protocol, whose operation must also write the sum
  /// locally.
  Operand waste(uint32_t step) const { return wastes[step]; }

  /// The packets that a step makes in its own scratch, for a proxy to transfer to another node in
  /// the LL protocol. None if it forwards received packets.
  Operand staged(uint32_t send) const { return stages[send]; }

  uint32_t scratchChunks(RankId rank) const { return scratch[rank.index()]; }

private:
  void findDirect(const ConnectionTable &connections, PlanControlFlow &runner);
  void stage(const NodeMap &nodes, const ConnectionTable &connections, PlanControlFlow &runner);

  const ExecPlan &plan;
  /// The receiving step of a message, and the number of its receive peer.
  struct Receipt {
    uint32_t step, peer;
  };
  uint32_t count(uint32_t step) const { return plan.steps()[step].count; }

  std::vector<SmallVector<Receipt, 1>> receiptsOf; ///< by sending step
  std::vector<bool> direct;
  std::vector<Operand> places, wastes, stages;
  std::vector<uint32_t> scratch;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_LANDING_H
