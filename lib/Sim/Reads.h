//===- Reads.h - Messages that the receiver fetches -------------*- C++ -*-===//
//
// The part of an engine that transfers messages by one-sided reads. A message that is read stays in
// a slot of its sender. The sender signals the receiver, which requests the data as soon as it has
// the signal and its other conditions hold; the DMA engine of the sender then sends them, without a
// step of the sender.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_READS_H
#define CCL_LIB_SIM_READS_H

#include "EngineCore.h"

namespace cclc {

class ReadingEngine : public EngineCore {
protected:
  using EngineCore::EngineCore;

  /// Signals \p at that a message of \p self is in its slot.
  void sendSignal(const ThreadblockState &self, SimTime at);
  /// Requests the message of the first signal now. \p self then awaits its data.
  void requestRead(ThreadblockState &self, Bytes size);

private:
  void readEvent(const Event &event) override;
  void deliverSignal(uint32_t c);
  void serveRead(uint32_t c);
};

} // namespace cclc

#endif // CCL_LIB_SIM_READS_H
