//===- MpiTransport.h - Slots as messages of MPI ----------------*- C++ -*-===//
//
// A message that is sent from the memory of a rank must not be overwritten before it is sent, and
// one that arrives there needs free memory. Other messages use slots.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_MPITRANSPORT_H
#define CCL_LIB_RUN_MPI_MPITRANSPORT_H

#include "MpiConnection.h"

#include "cclc/Run/MemoryConflicts.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>

namespace cclc::run {

/// The connections of one rank.
class MpiTransport {
public:
  using Sender = MpiSender;
  using Receiver = MpiReceiver;

  /// Allocates the slots of \p rank, of connections that \p includes. Rank r of the plan is the
  /// process (r + \p shift) mod R of \p comm. \p withCredits: messages take exactly the slots of
  /// the plan.
  MpiTransport(const PreparedPlan &plan, RankId rank, uint32_t shift, bool withCredits,
               MPI_Comm comm, llvm::function_ref<bool(ConnectionId)> includes);
  MpiTransport(const MpiTransport &) = delete;

  /// Posts receives for an execution on \p memory. Other plans may be executed on the communicator
  /// only when ended() holds.
  void begin(const RankBuffers &memory);
  /// Whether all messages are sent. To be called again and again after the last step.
  bool ended();
  /// The first error of a message since begin(): a code of MPI. Without ERRORS_RETURN on the
  /// communicator there is none.
  int error() const { return firstError; }

  Sender &sender(ConnectionId connection) { return *senderOf[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return *receiverOf[connection.index()]; }

  /// A threadblock with a message that is not sent yet and that the step would overwrite.
  std::optional<uint32_t> unsent(uint32_t threadblock, uint32_t step, uint32_t piece) {
    for (const MemoryConflicts::Prefix &prefix : conflicts->overwritten(threadblock, step))
      if (!isSent(prefix, piece))
        return prefix.threadblock;
    return std::nullopt;
  }
  /// A threadblock of the rank has executed its next step.
  void executed(uint32_t threadblock) { ++blocks[threadblock].executed; }
  /// To be called again and again; \p moved: a step was executed since.
  void poll(bool moved);

private:
  friend MpiSide;
  friend MpiSender;
  friend MpiReceiver;
  struct Block {
    uint64_t executed = 0;
    uint32_t steps = 0;
    Sender *sender = nullptr;
  };

  template <class Side>
  void prepare(Side &side, ConnectionId connection, uint32_t threadblock, RankId peer,
               uint32_t shift);
  const Step &stepAt(uint32_t threadblock, uint32_t step) const {
    return plan.plan.steps(plan.plan.threadblocks(rank)[threadblock])[step];
  }
  /// The message that a step sends, or only receives, as one range of a buffer; none if only a slot
  /// has it.
  using MessageSpan = std::optional<PreparedPlan::Span>;
  MessageSpan sourceSpan(const Step &step, uint32_t piece) const;
  MessageSpan destinationSpan(const Step &step, uint32_t piece) const;
  MutableArrayRef<std::byte> inMemory(Operand operand, const MessageSpan &span) const;
  /// The memory that has (receives) the message of a step; null if only a slot has.
  MutableArrayRef<std::byte> source(const Step &step, uint32_t piece) const;
  MutableArrayRef<std::byte> destination(const Step &step, uint32_t piece) const;
  /// Whether the last message of a prefix in this piece is sent, or its step is yet to be executed.
  bool isSent(const MemoryConflicts::Prefix &prefix, uint32_t piece);
  void fail(int code) { firstError = firstError == MPI_SUCCESS ? code : firstError; }
  /// Whether the memory is free into which a step receives.
  bool mayArrive(uint32_t threadblock, uint32_t step, uint32_t piece);

  const PreparedPlan &plan;
  const RankId rank;
  const bool withCredits;
  const MPI_Comm comm;
  const Step *firstStep; ///< of the rank
  /// By step of the rank, if there is one piece: small messages cost little more than to compute
  /// them.
  std::vector<MessageSpan> sources, destinations;
  RankBuffers memory{};
  std::array<std::unique_ptr<MemoryConflicts>, 2> tables; ///< by Placement
  const MemoryConflicts *conflicts = nullptr;
  std::vector<Block> blocks; ///< threadblocks of the rank
  std::deque<Sender> senders;
  std::deque<Receiver> receivers;
  std::vector<Sender *> senderOf; ///< by connection; null for others
  std::vector<Receiver *> receiverOf;
  int firstError = MPI_SUCCESS;
  uint32_t idle = 0; ///< calls of poll() since a step was executed
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_MPITRANSPORT_H
