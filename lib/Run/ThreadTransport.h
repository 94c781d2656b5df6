//===- ThreadTransport.h - Slots in shared memory ---------------*- C++ -*-===//
//
// A slot has a message, or the address of a direct message.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_THREADTRANSPORT_H
#define CCL_LIB_RUN_THREADTRANSPORT_H

#include "SlotRing.h"

#include "cclc/Run/DirectMessages.h"
#include "cclc/Run/RankExecutor.h"

#include <cstring>
#include <memory>

namespace cclc::run {

/// The connections of a plan. Each side is used by one thread.
class ThreadTransport {
public:
  class alignas(cacheLines) Sender {
  public:
    std::byte *reserve(const Step &step, uint32_t piece) {
      std::byte *slot = ring.reserve();
      StepId id(uint32_t(&step - transport->plan.plan.steps().data()));
      if (!slot || !transport->direct.of(id))
        return slot;
      Operand operand = *sentOperand(step);
      auto span = transport->plan.adjacentSpan(operand, step.count, piece);
      std::byte *data = transport->plan.address(memory, operand, *span);
      std::memcpy(slot, static_cast<const void *>(&data), sizeof(data));
      return data;
    }
    void commit(size_t) { ring.commit(); }

  private:
    friend class ThreadTransport;
    const ThreadTransport *transport = nullptr;
    RankBuffers memory{}; ///< of its rank
    RingSender ring;
  };

  class alignas(cacheLines) Receiver {
  public:
    const std::byte *peek() {
      const std::byte *slot = ring.peek();
      if (!slot || !isDirect[next])
        return slot;
      const std::byte *data;
      std::memcpy(static_cast<void *>(&data), slot, sizeof(data));
      return data;
    }
    void release() {
      ring.release();
      if (++next == isDirect.size())
        next = 0;
    }

  private:
    friend class ThreadTransport;
    RingReceiver ring;
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
  std::unique_ptr<std::byte[]> block; ///< of the rings
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_THREADTRANSPORT_H
