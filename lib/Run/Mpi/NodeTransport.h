//===- NodeTransport.h - Messages inside nodes and between them -*- C++ -*-===//
//
// Ranks of one node exchange messages by memory that they share, as threads do: in slots, or where
// the data are, if that memory is shared. Messages between nodes are messages of MPI.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_NODETRANSPORT_H
#define CCL_LIB_RUN_MPI_NODETRANSPORT_H

#include "MpiTransport.h"
#include "RingMessages.h"

namespace cclc::run {

/// What the ranks of a node have in common, where this process has it.
struct SharedPlan {
  /// Null: nothing.
  std::byte *rings = nullptr;
  RingLayout layout = {};
  /// Messages that need no slot, in buffers by rank.
  DirectMessages direct = {};
  std::vector<RankBuffers> buffers = {};

  bool has(ConnectionId connection) const { return rings && layout.has(connection); }
  SlotRing ring(ConnectionId connection) const { return layout.ring(rings, connection); }
};

/// The connections of one rank.
class NodeTransport {
public:
  class alignas(cacheLines) Sender {
  public:
    explicit Sender(MpiSender &messages) : messages(&messages) {}
    explicit Sender(MessageSender ring) : ring(std::move(ring)) {}
    std::byte *reserve(const Step &step, uint32_t piece) {
      return messages ? messages->reserve(step, piece) : ring.reserve(step, piece);
    }
    void commit(size_t bytes) {
      if (messages)
        messages->commit(bytes);
      else
        ring.commit(bytes);
    }
    bool isRead() const { return messages || ring.isRead(); }

  private:
    MpiSender *messages = nullptr; ///< null: the ring is used
    MessageSender ring;
  };

  class alignas(cacheLines) Receiver {
  public:
    explicit Receiver(MpiReceiver &messages) : messages(&messages) {}
    explicit Receiver(MessageReceiver ring) : ring(std::move(ring)) {}
    const std::byte *peek() { return messages ? messages->peek() : ring.peek(); }
    void release() {
      if (messages)
        messages->release();
      else
        ring.release();
    }

  private:
    MpiReceiver *messages = nullptr; ///< null: the ring is used
    MessageReceiver ring;
  };

  /// The connections that \p node has are rings there. To others, MpiTransport and its arguments
  /// apply.
  NodeTransport(const PreparedPlan &plan, RankId rank, uint32_t shift, bool withCredits,
                MPI_Comm comm, const SharedPlan &node);
  NodeTransport(const NodeTransport &) = delete;

  /// As of MpiTransport. \p mayCallLibrary: waits for messages in rings let those of MPI advance.
  void begin(const RankBuffers &memory, bool mayCallLibrary) {
    callsLibrary = hasRings && mayCallLibrary;
    messages.begin(memory);
  }
  // As of MpiTransport.
  bool ended() { return messages.ended(); }
  /// Whether other processes have read all messages from buffers of the rank.
  bool isRead() const {
    return llvm::all_of(senders, [](const Sender &sender) { return sender.isRead(); });
  }
  int error() const { return messages.error(); }

  Sender &sender(ConnectionId connection) { return *senderOf[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return *receiverOf[connection.index()]; }

  std::optional<uint32_t> unsent(uint32_t threadblock, uint32_t step, uint32_t piece) {
    return messages.unsent(threadblock, step, piece);
  }
  void executed(uint32_t threadblock) { messages.executed(threadblock); }
  void poll(bool moved) {
    messages.poll(moved);
    if (callsLibrary && ++polls % pollsBetweenCalls == 0)
      callLibrary(comm);
  }

  /// Messages of the application, or of questions of other processes, advance only while MPI is
  /// called, which takes about as long as some polls of a ring.
  static void callLibrary(MPI_Comm comm);
  static constexpr uint32_t pollsBetweenCalls = 64;

private:
  const MPI_Comm comm;
  MpiTransport messages;
  bool hasRings = false, callsLibrary = false;
  uint32_t polls = 0;
  std::deque<Sender> senders;
  std::deque<Receiver> receivers;
  std::vector<Sender *> senderOf; ///< by connection; null for those of other ranks
  std::vector<Receiver *> receiverOf;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NODETRANSPORT_H
