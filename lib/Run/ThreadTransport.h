//===- ThreadTransport.h - Slots in shared memory ---------------*- C++ -*-===//
//
// A slot has a message, or the address of a direct message.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_THREADTRANSPORT_H
#define CCL_RUN_THREADTRANSPORT_H

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
      std::memcpy(slot, &data, sizeof(data));
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
      std::memcpy(&data, slot, sizeof(data));
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
  ThreadTransport(const RunPlan &plan, ArrayRef<RankBuffers> memory, bool exactSlots)
      : plan(plan), senders(plan.connections.size()), receivers(plan.connections.size()) {
    if (!exactSlots)
      direct = DirectMessages(plan, placementOf(memory));
    constexpr size_t line = cacheLines;
    auto padded = [&](size_t bytes) { return (bytes + line - 1) / line * line; };
    size_t total = line;
    for (uint32_t c = 0; c < senders.size(); ++c)
      total += plan.settings.slots * padded(plan.slotBytes(ConnectionId(c)));
    // Not initialised: pages are placed where the sender first writes them.
    slots = std::unique_ptr<std::byte[]>(new std::byte[total]);
    auto address = reinterpret_cast<uintptr_t>(slots.get());
    std::byte *next = slots.get() + (padded(address) - address);
    for (uint32_t c = 0; c < senders.size(); ++c) {
      Ring &ring = rings.emplace_back();
      ring.slots = next;
      ring.slotBytes = padded(plan.slotBytes(ConnectionId(c)));
      ring.numSlots = plan.settings.slots;
      next += ring.numSlots * ring.slotBytes;
      const Connection &connection = plan.connections.connections()[c];
      senders[c].transport = this;
      senders[c].memory = memory[plan.plan.threadblocks()[connection.senderTb].rank.index()];
      senders[c].ring = receivers[c].ring = &ring;
      senders[c].slot = receivers[c].slot = ring.slots;
      forEachMessage(plan.plan, connection, [&](uint32_t send, uint32_t) {
        receivers[c].isDirect.push_back(direct.of(StepId(send)));
      });
    }
  }

  ThreadTransport(const ThreadTransport &) = delete;

  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }

  // Messages are copied when their steps are executed.
  static constexpr std::optional<uint32_t> unsent(size_t, uint32_t, uint32_t) { return {}; }
  static constexpr void executed(size_t) {}
  static constexpr void poll(bool) {}

private:
  /// Ranks without an output, or an input, do not show the placement.
  Placement placementOf(ArrayRef<RankBuffers> memory) const {
    bool inPlace = llvm::any_of(memory, [&](const RankBuffers &buffers) {
      return plan.placementOf(buffers) == Placement::InPlace;
    });
    return inPlace ? Placement::InPlace : Placement::OutOfPlace;
  }

  const RunPlan &plan;
  DirectMessages direct;
  std::unique_ptr<std::byte[]> slots;
  std::deque<Ring> rings;
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_RUN_THREADTRANSPORT_H
