//===- ProcessorCosts.h - The times of steps on processors ------*- C++ -*-===//
//
// On a host, a processor executes the steps of several PEs in turn and moves their data itself.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_PROCESSORCOSTS_H
#define CCL_LIB_SIM_PROCESSORCOSTS_H

#include "cclc/Sim/BoundPlan.h"

namespace cclc {

/// The costs of one plan and size on a machine with processors.
class ProcessorCosts {
public:
  ProcessorCosts(const BoundPlan &plan, const Sizing &sizing);

  /// The time to copy \p size bytes for \p rank \p copies times, and to fetch them from (or for)
  /// another processor if the peer is \p remote (rules 60 and 61).
  SimTime move(uint32_t rank, Bytes size, uint32_t copies, bool remote) const {
    SimTime time = transferTime(size * copies, model.copyRate);
    if (remote)
      time += transferTime(size, model.fetchRate);
    return inMemory(rank, time);
  }
  /// The time of an operation on data that takes \p duration in the cache (rule 61).
  SimTime inMemory(uint32_t rank, SimTime duration) const {
    return SimTime::clamped((Wide(duration.picoseconds()) * permille[rank] + 999) / 1000);
  }
  SimTime latency() const { return model.latency; }

  /// The processor of PE \p pe of \p pes (rule 59).
  static uint32_t processorOf(const ProcessorModel &model, uint32_t pe, uint32_t pes) {
    return uint64_t(pe) * std::min(model.count, pes) / pes;
  }
  /// The copies of a step: a reduction writes its result to the destination, or into the slot if
  /// there is none.
  static uint32_t copiesOfReceive(OpKind op) {
    return op == OpKind::Recv || op == OpKind::RecvCopySend;
  }
  static uint32_t copiesOfSend(OpKind op) { return op != OpKind::RecvReduceSend; }

private:
  const ProcessorModel &model;
  std::vector<uint32_t> permille; ///< by rank
};

} // namespace cclc

#endif // CCL_LIB_SIM_PROCESSORCOSTS_H
