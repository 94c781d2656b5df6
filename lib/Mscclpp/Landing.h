//===- Landing.h - Where messages are put -----------------------*- C++ -*-===//
//
// A put may go to the destination of the receiving step right away if every access
// of those cells that precedes the step happens before the put. A plan without
// races orders all of them with the step; whether the sender knows as well is
// looked up in vector clocks over the threadblocks. What does not land there has a
// place of its own in scratch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_LANDING_H
#define CCL_LIB_MSCCLPP_LANDING_H

#include "cclc/Semantics/PlanRunner.h"

namespace cclc::mscclpp {

class Landings {
public:
  Landings(const ExecPlan &plan, const ConnectionTable &connections, PlanRunner &runner);

  /// Of a step that receives: where the message is when it has come.
  Operand of(uint32_t receive) const { return places[receive]; }
  /// Of a step that sends: where the receiver wants it.
  Operand target(uint32_t send) const { return places[receiverOf[send]]; }
  /// Whether the message is where the receiving step wants it.
  bool isDirect(uint32_t receive) const { return direct[receive]; }

  /// For a `rrs` in the LL protocol: what it adds up is kept nowhere, but the operation
  /// wants a place to write it to.
  Operand waste(uint32_t step) const { return wastes[step]; }

  uint32_t scratchChunks(RankId rank) const { return scratch[rank.index()]; }

private:
  void findDirect(const ConnectionTable &connections, PlanRunner &runner);
  void stage();

  const ExecPlan &plan;
  std::vector<uint32_t> receiverOf; ///< by sending step: the receiving one
  std::vector<bool> direct;
  std::vector<Operand> places, wastes;
  std::vector<uint32_t> scratch;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_LANDING_H
