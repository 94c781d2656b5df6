//===- ThreadTransport.h - Slots in shared memory ---------------*- C++ -*-===//
//
// A slot has a message, or the address of a direct message.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_THREADTRANSPORT_H
#define CCL_LIB_RUN_THREADTRANSPORT_H

#include "cclc/Run/DirectMessages.h"
#include "cclc/Run/Ordering.h"
#include "cclc/Run/RankExecutor.h"

#include <atomic>
#include <cstring>
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
    std::byte *after(std::byte *slot) const {
      slot += slotBytes;
      return slot == slots + numSlots * slotBytes ? slots : slot;
    }
  };

public:
  class alignas(cacheLines) Sender {
  public:
    std::byte *reserve(const Step &step, uint32_t piece) {
      // The other side's counter is read only when its last known value is not sufficient.
      if (sent - knownReceived == ring->numSlots) {
        knownReceived = ring->received.load(observed);
        if (sent - knownReceived == ring->numSlots)
          return nullptr;
      }
      awaited(slot);
      StepId id(uint32_t(&step - transport->plan.plan.steps().data()));
      if (!transport->direct.of(id))
        return slot;
      Operand operand = *sentOperand(step);
      auto span = transport->plan.adjacentSpan(operand, step.count, piece);
      std::byte *data = transport->plan.address(memory, operand, *span);
      std::memcpy(slot, static_cast<const void *>(&data), sizeof(data));
      return data;
    }
    void commit(size_t) {
      happens(slot);
      slot = ring->after(slot);
      ring->sent.store(++sent, published);
    }

  private:
    friend class ThreadTransport;
    const ThreadTransport *transport = nullptr;
    RankBuffers memory{}; ///< of its rank
    Ring *ring = nullptr;
    std::byte *slot = nullptr; ///< of the next message
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
      awaited(slot);
      if (!isDirect[next])
        return slot;
      const std::byte *data;
      std::memcpy(static_cast<void *>(&data), slot, sizeof(data));
      return data;
    }
    void release() {
      happens(slot);
      slot = ring->after(slot);
      ring->received.store(++received, published);
      if (++next == isDirect.size())
        next = 0;
    }

  private:
    friend class ThreadTransport;
    Ring *ring = nullptr;
    std::byte *slot = nullptr; ///< of the next message
    uint64_t received = 0, knownSent = 0;
    std::vector<char> isDirect; ///< by message of a piece
    uint32_t next = 0;          ///< the message of its piece
  };

  /// \p memory by rank. \p exactSlots: no message is direct.
  ThreadTransport(const PreparedPlan &plan, ArrayRef<RankBuffers> memory, bool exactSlots);
  ThreadTransport(const ThreadTransport &) = delete;

  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }

  // Messages are copied when their steps are executed.
  static constexpr std::optional<uint32_t> unsent(size_t, uint32_t, uint32_t) { return {}; }
  static constexpr void executed(size_t) {}
  static constexpr void poll(bool) {}

private:
  const PreparedPlan &plan;
  DirectMessages direct;
  std::unique_ptr<std::byte[]> slots;
  std::deque<Ring> rings;
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_THREADTRANSPORT_H
