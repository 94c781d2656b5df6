//===- ProcessorCosts.h - The times of steps on processors ------*- C++ -*-===//
//
// On a host, a processor executes the steps of several PEs in turn and moves their data itself.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_PROCESSORCOSTS_H
#define CCL_LIB_SIM_PROCESSORCOSTS_H

#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

/// The costs of one plan and size on a machine with processors.
class ProcessorCosts {
public:
  ProcessorCosts(const PlacedPlan &plan, const Sizing &sizing);

  /// The time that \p rank takes to send a message of \p size bytes by a step of kind \p op to a
  /// peer that may be \p remote, on another processor (rules 60 and 61).
  SimTime send(uint32_t rank, OpKind op, Bytes size, bool remote) const {
    if (isDirect(op, size))
      return SimTime();
    return move(rank, size, op != OpKind::RecvReduceSend, remote);
  }
  /// The time that it takes to receive one: a reduction reads the message where it is.
  SimTime receive(uint32_t rank, OpKind op, Bytes size, bool remote) const {
    return move(rank, size, op == OpKind::Recv || op == OpKind::RecvCopySend, remote);
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

private:
  /// Whether a message has its data in memory of the sender. `rrs` writes its result to the slot.
  bool isDirect(OpKind sends, Bytes size) const {
    return model.direct && size >= *model.direct && sends != OpKind::RecvReduceSend;
  }
  /// The time to copy \p size bytes \p copies times, and to fetch them from (or for) another
  /// processor.
  SimTime move(uint32_t rank, Bytes size, uint32_t copies, bool remote) const {
    SimTime time = transferTime(size * copies, model.copyRate);
    if (remote)
      time += transferTime(size, model.fetchRate);
    return inMemory(rank, time);
  }
  uint64_t slotBytes(const PlacedPlan &placed, const Sizing &sizing, uint32_t connection) const;

  const ProcessorModel &model;
  std::vector<uint32_t> permille; ///< by rank
};

} // namespace cclc

#endif // CCL_LIB_SIM_PROCESSORCOSTS_H
