#include "Parts.h"

#include "cclc/IR/Verifier.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::diff;

std::vector<ConnectionChange> diff::compareConnections(const IndexedPlan &before,
                                                       const IndexedPlan &after,
                                                       const Matching &matching) {
  std::vector<ConnectionChange> changes;
  struct Row {
    uint64_t ranks;
    uint32_t name; ///< channel in the new plan; channels without a match are numbered after those
    ChannelId channel;
    auto place() const { return std::pair(ranks, name); }
  };
  auto rowsOf = [&](const IndexedPlan &p, bool isNew) {
    std::vector<Row> rows;
    for (const Connection &connection : p.connections.connections()) {
      const Threadblock &from = p.plan.threadblocks()[connection.senderTb];
      RankId to = p.plan.threadblocks()[connection.receiverTb].rank;
      uint32_t channel = from.channel.index();
      if (!isNew)
        channel = matching.newChannel[channel].value_or(maxChannels + channel);
      rows.push_back({connectionKey(from.rank, to, ChannelId(0)), channel, from.channel});
    }
    llvm::sort(rows, [](const Row &x, const Row &y) { return x.place() < y.place(); });
    return rows;
  };
  std::vector<Row> olds = rowsOf(before, false), news = rowsOf(after, true), gone, added;
  for (size_t i = 0, j = 0; i < olds.size() || j < news.size();) {
    if (j == news.size() || (i < olds.size() && olds[i].place() < news[j].place()))
      gone.push_back(olds[i++]);
    else if (i == olds.size() || news[j].place() < olds[i].place())
      added.push_back(news[j++]);
    else
      ++i, ++j;
  }
  // A removed and an added connection between the same ranks are a change of channels.
  auto add = [&](uint64_t ranks, std::optional<ChannelId> old, std::optional<ChannelId> now) {
    changes.push_back({RankId(ranks >> 32), RankId(ranks >> 16 & 0xffff), old, now});
  };
  for (size_t i = 0, j = 0; i < gone.size() || j < added.size();) {
    if (j == added.size() || (i < gone.size() && gone[i].ranks < added[j].ranks)) {
      add(gone[i].ranks, gone[i].channel, std::nullopt);
      ++i;
    } else if (i == gone.size() || added[j].ranks < gone[i].ranks) {
      add(added[j].ranks, std::nullopt, added[j].channel);
      ++j;
    } else {
      add(gone[i].ranks, gone[i].channel, added[j].channel);
      ++i, ++j;
    }
  }
  return changes;
}
