//===- Connections.h - The FIFOs of a plan ----------------------*- C++ -*-===//

#ifndef CCL_IR_CONNECTIONS_H
#define CCL_IR_CONNECTIONS_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

/// One (sender, receiver, channel) FIFO. Threadblocks are indices into
/// ExecPlan::threadblocks().
struct Connection {
  uint32_t senderTb;
  uint32_t receiverTb;
};

/// The connections of a structurally sound plan, numbered in the order of their sending
/// threadblocks, and the connections that each threadblock uses.
class ConnectionTable {
public:
  explicit ConnectionTable(const ExecPlan &plan);

  ArrayRef<Connection> connections() const { return table; }
  size_t size() const { return table.size(); }
  /// The connections that \p threadblock sends on (receives from), in the order of its peers; none
  /// if it has no sending (receiving) step.
  ArrayRef<ConnectionId> sendsOf(uint32_t threadblock) const { return sends[threadblock]; }
  ArrayRef<ConnectionId> recvsOf(uint32_t threadblock) const { return recvs[threadblock]; }
  /// The only one of these, for plans that do not use switches.
  OptionalId<ConnectionId> sendOf(uint32_t threadblock) const { return only(sendsOf(threadblock)); }
  OptionalId<ConnectionId> recvOf(uint32_t threadblock) const { return only(recvsOf(threadblock)); }

private:
  /// The connections of every threadblock in one direction.
  struct Ends {
    std::vector<uint32_t> begin = {0};
    std::vector<ConnectionId> ids;
    ArrayRef<ConnectionId> operator[](uint32_t threadblock) const {
      return ArrayRef(ids).slice(begin[threadblock], begin[threadblock + 1] - begin[threadblock]);
    }
  };
  static OptionalId<ConnectionId> only(ArrayRef<ConnectionId> ids) {
    assert(ids.size() < 2 && "the plan uses switches");
    return ids.empty() ? OptionalId<ConnectionId>() : ids.front();
  }

  std::vector<Connection> table;
  Ends sends, recvs;
};

/// Calls fn(send, receive) for every message of \p connection in order; both are
/// indices into ExecPlan::steps().
template <class Fn> void forEachMessage(const ExecPlan &plan, const Connection &connection, Fn fn) {
  const Threadblock &receiver = plan.threadblocks()[connection.receiverTb];
  uint32_t send = plan.threadblocks()[connection.senderTb].firstStep;
  for (uint32_t s = receiver.firstStep; s < receiver.firstStep + receiver.numSteps; ++s) {
    if (!traits(plan.steps()[s].op).receives)
      continue;
    while (!traits(plan.steps()[send].op).sends)
      ++send;
    fn(send++, s);
  }
}

/// The publisher of every step: the first step at or after it in the same threadblock that
/// publishes, or none.
std::vector<OptionalId<StepId>> findPublishers(const ExecPlan &plan);

/// The publishing step that satisfies \p wait of a threadblock of \p rank. \p publishers are those
/// of findPublishers(); a structurally sound plan has one for every wait.
inline StepId waitTarget(const ExecPlan &plan, ArrayRef<OptionalId<StepId>> publishers, RankId rank,
                         Wait wait) {
  const Threadblock &other = plan.threadblocks(rank)[wait.tb.index()];
  return *publishers[other.firstStep + wait.step.index()];
}

/// A number that identifies a connection; ranks and channels have 16 bits.
constexpr uint64_t connectionKey(RankId src, RankId dst, ChannelId channel) {
  return uint64_t(src.index()) << 32 | uint64_t(dst.index()) << 16 | channel.index();
}

} // namespace cclc

#endif // CCL_IR_CONNECTIONS_H
