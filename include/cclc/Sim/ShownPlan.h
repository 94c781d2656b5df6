//===- ShownPlan.h - A plan as its results show it --------------*- C++ -*-===//
//
// What results, reports, traces and comparisons show of a plan, whether it has steps or is of
// MSCCL++: threadblocks and steps, with names, phases and places in the source.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_SHOWNPLAN_H
#define CCL_SIM_SHOWNPLAN_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Plan.h"

#include <variant>

namespace cclc {

/// Refers to the plan. An operation of MSCCL++ is shown as `nop`, in a phase with its mnemonic; its
/// threadblock has channel 0 and no peers.
class ShownPlan {
public:
  ShownPlan() = default; ///< to be assigned
  ShownPlan(const ExecPlan &plan) : exec(&plan) {}
  ShownPlan(const mscclpp::Plan &plan) : mscclpp(&plan) {}
  ShownPlan(const std::variant<ExecPlan, mscclpp::Plan> &plan)
      : exec(std::get_if<ExecPlan>(&plan)), mscclpp(std::get_if<mscclpp::Plan>(&plan)) {}

  /// Null: the plan is of MSCCL++.
  const ExecPlan *ofSteps() const { return exec; }
  const ProgramInfo &info() const { return exec ? exec->info() : mscclpp->info(); }
  uint32_t ranks() const { return info().ranks(); }
  uint32_t channels() const { return exec ? exec->channels() : 1; }
  uint32_t numThreadblocks() const {
    return exec ? exec->threadblocks().size() : mscclpp->threadblocks().size();
  }
  std::vector<uint32_t> scratchChunks() const; ///< by rank
  Threadblock threadblock(uint32_t number) const;
  ThreadblockId localId(uint32_t threadblock) const;
  Peers sendPeers(const Threadblock &tb) const { return exec ? exec->sendPeers(tb) : Peers({}); }
  Peers recvPeers(const Threadblock &tb) const { return exec ? exec->recvPeers(tb) : Peers({}); }
  /// Steps are numbered through all threadblocks, as in their events.
  uint32_t numSteps() const { return exec ? exec->steps().size() : mscclpp->ops().size(); }
  Step step(uint32_t number) const;
  Location locate(uint32_t step) const { return info().locate(this->step(step).loc); }

private:
  const ExecPlan *exec = nullptr;
  const mscclpp::Plan *mscclpp = nullptr;
};

} // namespace cclc

#endif // CCL_SIM_SHOWNPLAN_H
