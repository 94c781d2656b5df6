//===- Reads.h - Messages that the receiver fetches -------------*- C++ -*-===//
//
// A message that is read stays in a slot of its sender. The sender signals the receiver, which
// requests the data as soon as it has the signal and its other conditions hold; the DMA engine of
// the sender then sends them, without a step of the sender.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_READS_H
#define CCL_LIB_SIM_READS_H

#include "PlanState.h"

namespace cclc {

class Reads final {
public:
  explicit Reads(PlanState &state);

  /// Signals \p at that a message of \p self is in its slot.
  void sendSignal(const ThreadblockState &self, SimTime at);
  /// The oldest signal on the way on connection \p c has arrived.
  void receiveSignal(uint32_t c) { fifos[c].signals.push(fifos[c].sentSignals.pop()); }
  /// The signals of connection \p c that have arrived.
  Ring<Arrival> &signals(uint32_t c) { return fifos[c].signals; }
  /// Requests the message of the first signal now. \p self then awaits its data.
  void request(ThreadblockState &self, Bytes size);
  /// The request of connection \p c is at the sender.
  void serve(uint32_t c);
  /// When the read on connection \p c was requested.
  SimTime requested(uint32_t c) const { return fifos[c].requested; }

private:
  /// The signals of a connection on their way, those that have arrived, and the read of the
  /// receiver, which has one at a time.
  struct ReadFifo {
    Ring<Arrival> sentSignals, signals;
    SimTime lastSignal;
    SimTime requested;
    Bytes size;
    uint64_t execution = 0; ///< that has requested the read
  };

  PlanState &state;
  std::vector<ReadFifo> fifos; ///< by connection; empty if no messages are read
};

} // namespace cclc

#endif // CCL_LIB_SIM_READS_H
