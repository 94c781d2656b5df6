//===- SlotRing.h - The slots of a connection -------------------*- C++ -*-===//
//
// A ring buffer with one producer and one consumer in memory that both sides have: of one process,
// or mapped by two, at different addresses. The counters are its whole state, so that either side
// may be made again between messages.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_SLOTRING_H
#define CCL_LIB_RUN_SLOTRING_H

#include "cclc/Run/Ordering.h"
#include "cclc/Run/PreparedPlan.h"
#include "cclc/Run/StepCounts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <atomic>

namespace cclc::run {

/// What both sides write, in separate cache lines.
struct RingCounters {
  alignas(cacheLines) std::atomic<uint64_t> sent = 0;
  alignas(cacheLines) std::atomic<uint64_t> received = 0;
};

/// The ring as one side sees it.
struct SlotRing {
  RingCounters *counters = nullptr;
  std::byte *slots = nullptr;
  size_t slotBytes = 0;
  uint32_t numSlots = 0;

  std::byte *slotOf(uint64_t message) const { return slots + message % numSlots * slotBytes; }
  std::byte *after(std::byte *slot) const {
    slot += slotBytes;
    return slot == slots + numSlots * slotBytes ? slots : slot;
  }
};

class RingSender {
public:
  RingSender() = default;
  explicit RingSender(const SlotRing &ring)
      : ring(ring), sent(ring.counters->sent.load(std::memory_order_relaxed)),
        knownReceived(ring.counters->received.load(observed)), slot(ring.slotOf(sent)) {}

  /// The slot of the next message; null if none is free.
  std::byte *reserve() {
    // The other side's counter is read only when its last known value is not sufficient.
    if (sent - knownReceived == ring.numSlots) {
      knownReceived = ring.counters->received.load(observed);
      if (sent - knownReceived == ring.numSlots)
        return nullptr;
    }
    awaited(slot);
    return slot;
  }
  void commit() {
    happens(slot);
    slot = ring.after(slot);
    ring.counters->sent.store(++sent, published);
  }
  /// Whether all messages have been received.
  bool isEmpty() const {
    if (ring.counters->received.load(observed) != sent)
      return false;
    for (uint32_t s = 0; s < ring.numSlots; ++s)
      awaited(ring.slotOf(s));
    return true;
  }

private:
  SlotRing ring;
  uint64_t sent = 0, knownReceived = 0;
  std::byte *slot = nullptr; ///< of the next message
};

class RingReceiver {
public:
  RingReceiver() = default;
  explicit RingReceiver(const SlotRing &ring)
      : ring(ring), received(ring.counters->received.load(std::memory_order_relaxed)),
        knownSent(received), slot(ring.slotOf(received)) {}

  /// The slot of the oldest message, or null.
  std::byte *peek() {
    if (received == knownSent) {
      knownSent = ring.counters->sent.load(observed);
      if (received == knownSent)
        return nullptr;
    }
    awaited(slot);
    return slot;
  }
  void release() {
    happens(slot);
    slot = ring.after(slot);
    ring.counters->received.store(++received, published);
  }

private:
  SlotRing ring;
  uint64_t received = 0, knownSent = 0;
  std::byte *slot = nullptr; ///< of the next message
};

/// The places of rings in one block of memory that begins at a cache line: first all counters, then
/// the slots, those of a sender side by side.
class RingLayout {
public:
  /// No ring.
  RingLayout() = default;
  /// For the connections of \p plan between ranks of which \p includes(sender, receiver) holds.
  RingLayout(const PreparedPlan &plan, llvm::function_ref<bool(RankId, RankId)> includes);

  uint64_t bytes() const { return end; }
  bool has(ConnectionId connection) const { return numberOf(connection) != none; }
  SlotRing ring(std::byte *memory, ConnectionId connection) const;
  /// Begins the rings without messages, and leaves slots as they are. To be called by one side,
  /// before any other use.
  void initialize(std::byte *memory) const;

private:
  static constexpr uint32_t none = ~0u;
  uint32_t numberOf(ConnectionId connection) const { return numbers[connection.index()]; }

  struct Place {
    uint64_t slots, slotBytes;
  };
  uint32_t numSlots = 0;
  std::vector<uint32_t> numbers; ///< by connection: of its ring, or none
  std::vector<Place> places;     ///< by ring
  uint64_t end = 0;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_SLOTRING_H
