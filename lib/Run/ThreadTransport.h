//===- ThreadTransport.h - Slots in the memory of a process -----*- C++ -*-===//

#ifndef CCL_LIB_RUN_THREADTRANSPORT_H
#define CCL_LIB_RUN_THREADTRANSPORT_H

#include "RingMessages.h"

#include <memory>

namespace cclc::run {

/// The connections of a plan. Each side is used by one thread.
class ThreadTransport {
public:
  using Sender = MessageSender;
  using Receiver = MessageReceiver;

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
  std::unique_ptr<std::byte[]> block; ///< of the rings
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_THREADTRANSPORT_H
