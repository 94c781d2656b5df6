//===- ThreadTransport.h - Slots in shared memory ---------------*- C++ -*-===//

#ifndef CCL_RUN_THREADTRANSPORT_H
#define CCL_RUN_THREADTRANSPORT_H

#include "cclc/Run/Ordering.h"
#include "cclc/Run/RankExecutor.h"

#include <atomic>
#include <deque>
#include <memory>

namespace cclc::run {

/// The connections of a plan. Each side is used by one thread.
class ThreadTransport {
  /// What both sides share, in separate cache lines.
  struct Ring {
    alignas(cacheLines) std::atomic<uint64_t> sent = 0;
    alignas(cacheLines) std::atomic<uint64_t> received = 0;
    alignas(cacheLines) std::byte *slots = nullptr;
    size_t slotBytes = 0;
    uint32_t numSlots = 0;
    std::byte *slot(uint64_t message) const { return slots + message % numSlots * slotBytes; }
  };

public:
  class alignas(cacheLines) Sender {
  public:
    std::byte *reserve(const Step &, uint32_t) {
      // The other side's counter is read only when its last known value is not sufficient.
      if (sent - knownReceived == ring->numSlots) {
        knownReceived = ring->received.load(observed);
        if (sent - knownReceived == ring->numSlots)
          return nullptr;
      }
      awaited(ring->slot(sent));
      return ring->slot(sent);
    }
    void commit(size_t) {
      happens(ring->slot(sent));
      ring->sent.store(++sent, published);
    }

  private:
    friend class ThreadTransport;
    Ring *ring = nullptr;
    uint64_t sent = 0, knownReceived = 0;
  };

  class alignas(cacheLines) Receiver {
  public:
    const std::byte *peek() {
      if (received == knownSent) {
        knownSent = ring->sent.load(observed);
        if (received == knownSent)
          return nullptr;
      }
      awaited(ring->slot(received));
      return ring->slot(received);
    }
    void release() {
      happens(ring->slot(received));
      ring->received.store(++received, published);
    }

  private:
    friend class ThreadTransport;
    Ring *ring = nullptr;
    uint64_t received = 0, knownSent = 0;
  };

  explicit ThreadTransport(const RunPlan &plan)
      : senders(plan.connections.size()), receivers(plan.connections.size()) {
    constexpr size_t line = cacheLines;
    auto padded = [&](size_t bytes) { return (bytes + line - 1) / line * line; };
    size_t total = line;
    for (uint32_t c = 0; c < senders.size(); ++c)
      total += plan.settings.slots * padded(plan.slotBytes(ConnectionId(c)));
    // Not initialised: pages are placed where the sender first writes them.
    memory = std::unique_ptr<std::byte[]>(new std::byte[total]);
    auto address = reinterpret_cast<uintptr_t>(memory.get());
    std::byte *next = memory.get() + (padded(address) - address);
    for (uint32_t c = 0; c < senders.size(); ++c) {
      Ring &ring = rings.emplace_back();
      ring.slots = next;
      ring.slotBytes = padded(plan.slotBytes(ConnectionId(c)));
      ring.numSlots = plan.settings.slots;
      next += ring.numSlots * ring.slotBytes;
      senders[c].ring = receivers[c].ring = &ring;
    }
  }

  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }

  // Messages are copied when their steps are executed.
  static constexpr std::optional<uint32_t> unsent(size_t, uint32_t, uint32_t) { return {}; }
  static constexpr void executed(size_t) {}
  static constexpr void poll(bool) {}

private:
  std::unique_ptr<std::byte[]> memory;
  std::deque<Ring> rings;
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_RUN_THREADTRANSPORT_H
