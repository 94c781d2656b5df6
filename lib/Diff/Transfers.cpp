//===- Transfers.cpp - Comparing transfers as multisets -------------------===//
//
// A transfer is a message identified by its ranks, its count, its source and destination operands,
// and whether it is reduced. The difference of both multisets of messages is a merge of their
// sorted hashes. The remaining messages are split into single chunks and compared again, because
// plans that group chunks differently may move the same data.
//
//===----------------------------------------------------------------------===//

#include "Hash.h"
#include "Parts.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::diff;

namespace {
struct Message {
  uint64_t hash;
  uint32_t send, receive, first, count;
};

uint64_t placeHash(uint64_t hash, Operand operand, uint32_t offset) {
  return operand.isNone()
             ? mixed(hash, ~uint64_t(0))
             : mixed(hash, uint64_t(operand.buffer()) << 32 | (operand.index() + offset));
}

/// A hash of a transfer. The source of a fused step, which sends the received data, is the operand
/// that it writes or, if it writes none, the one that it adds, as in the program before fusion.
uint64_t hashOf(const ExecPlan &plan, RankId from, RankId to, const Message &message) {
  const Step &send = plan.steps()[message.send], &receive = plan.steps()[message.receive];
  const OpTraits &sends = traits(send.op), &receives = traits(receive.op);
  uint64_t hash = mixed(mixed(from.index(), to.index()), message.count);
  hash = placeHash(hash, sends.receives && sends.writesDst ? send.dst : send.src, message.first);
  hash = placeHash(hash, receives.writesDst ? receive.dst : receive.src, message.first);
  return mixed(hash, receives.readsSrc);
}

std::vector<Message> messagesOf(const IndexedPlan &p) {
  std::vector<Message> all;
  for (const Connection &connection : p.connections.connections()) {
    RankId from = p.plan.threadblocks()[connection.senderTb].rank,
           to = p.plan.threadblocks()[connection.receiverTb].rank;
    forEachMessage(p.plan, connection, [&](uint32_t send, uint32_t receive) {
      all.push_back({0, send, receive, 0, p.plan.steps()[send].count});
      all.back().hash = hashOf(p.plan, from, to, all.back());
    });
  }
  return all;
}

/// Splits every message into chunks, unless there are too many.
std::vector<Message> inChunks(const IndexedPlan &p, std::vector<Message> messages) {
  uint64_t chunks = 0;
  for (const Message &message : messages)
    chunks += message.count;
  constexpr uint64_t most = 1 << 24;
  if (chunks > most)
    return messages;
  std::vector<Message> all;
  auto rank = [&](uint32_t step) {
    return p.plan.threadblocks()[threadblockOf(p.plan, StepId(step)).index()].rank;
  };
  for (const Message &message : messages) {
    RankId from = rank(message.send), to = rank(message.receive);
    for (uint32_t c = 0; c < message.count; ++c) {
      all.push_back({0, message.send, message.receive, message.first + c, 1});
      all.back().hash = hashOf(p.plan, from, to, all.back());
    }
  }
  return all;
}

/// Removes the common part of two multisets.
void cancel(std::vector<Message> &a, std::vector<Message> &b) {
  auto order = [](const Message &x, const Message &y) {
    return std::tie(x.hash, x.send, x.first) < std::tie(y.hash, y.send, y.first);
  };
  llvm::sort(a, order);
  llvm::sort(b, order);
  std::vector<Message> onlyA, onlyB;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].hash < b[j].hash))
      onlyA.push_back(a[i++]);
    else if (i == a.size() || b[j].hash < a[i].hash)
      onlyB.push_back(b[j++]);
    else
      ++i, ++j;
  }
  a = std::move(onlyA);
  b = std::move(onlyB);
}

/// Appends messages in the order of the plan, with adjacent chunks of a message merged.
void append(std::vector<Message> messages, bool isNew, std::vector<TransferChange> &changes) {
  std::sort(messages.begin(), messages.end(), [](const Message &x, const Message &y) {
    return std::tie(x.send, x.first) < std::tie(y.send, y.first);
  });
  for (const Message &m : messages) {
    if (!changes.empty()) {
      TransferChange &last = changes.back();
      if (last.isNew == isNew && last.send.index() == m.send &&
          last.first + last.count == m.first) {
        last.count += m.count;
        continue;
      }
    }
    changes.push_back({isNew, StepId(m.send), StepId(m.receive), m.first, m.count});
  }
}
} // namespace

std::vector<TransferChange> diff::compareTransfers(const IndexedPlan &before,
                                                   const IndexedPlan &after) {
  std::vector<Message> olds = messagesOf(before), news = messagesOf(after);
  cancel(olds, news);
  if (!olds.empty() && !news.empty()) {
    olds = inChunks(before, std::move(olds));
    news = inChunks(after, std::move(news));
    cancel(olds, news);
  }
  std::vector<TransferChange> changes;
  append(std::move(olds), false, changes);
  append(std::move(news), true, changes);
  return changes;
}
