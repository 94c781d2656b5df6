//===- MessageCounts.h - The messages of a connection in a run --*- C++ -*-===//

#ifndef CCL_PROOF_MESSAGECOUNTS_H
#define CCL_PROOF_MESSAGECOUNTS_H

#include "cclc/IR/Slots.h"

#include <cstdint>

namespace cclc {

/// The messages that one connection has carried so far, and which of its ends is blocked: a
/// receiver without message, or a sender without slot.
class MessageCounts {
public:
  uint32_t sent() const { return numSent; }
  uint32_t received() const { return numReceived; }
  bool hasMessage() const { return numSent != numReceived; }
  bool hasSlot(Slots slots) const { return slots.admits(numSent - numReceived); }

  /// Whether a message can be received; if not, the receiver waits for one.
  bool awaitMessage() {
    if (hasMessage())
      return true;
    receiverWaits = true;
    return false;
  }
  /// Whether a message can be sent; if not, the sender waits for a slot.
  bool awaitSlot(Slots slots) {
    if (hasSlot(slots))
      return true;
    senderWaits = true;
    return false;
  }
  /// Counts a sent message. Returns whether the receiver has waited for it.
  bool send() {
    ++numSent;
    return stopWaiting(receiverWaits);
  }
  /// Counts a received message. Returns whether the sender has waited for its slot.
  bool receive() {
    ++numReceived;
    return stopWaiting(senderWaits);
  }

  /// Whether the sender has waited for a slot, which it does no longer.
  bool stopAwaitingSlot() { return stopWaiting(senderWaits); }

private:
  static bool stopWaiting(bool &waits) {
    if (!waits)
      return false;
    waits = false;
    return true;
  }

  uint32_t numSent = 0, numReceived = 0;
  bool senderWaits = false, receiverWaits = false;
};

} // namespace cclc

#endif // CCL_PROOF_MESSAGECOUNTS_H
