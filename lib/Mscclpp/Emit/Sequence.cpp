//===- Sequence.cpp - Synchronisation where the proof needs it ------------===//
//
// Rounds of building the plan, finding its conflicts, and ordering them. A round orders conflicts
// of one kind, from the cheapest on, because these may order the others as well: with the caller,
// in a rank, between ranks, between launches. Two threadblocks of different ranks share one channel
// as long as the signals on it arrive in the order in which they are waited for.
//
//===----------------------------------------------------------------------===//

#include "Sequence.h"

#include "Drafts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace cclc::mscclpp {
namespace {
/// More rounds are not seen.
constexpr int maxRounds = 24;
constexpr int64_t begin = -1, end = std::numeric_limits<int64_t>::max();

uint64_t keyOf(RankId rank, uint32_t threadblock) {
  return uint64_t(rank.index()) << 32 | threadblock;
}
} // namespace

Sequence::Sequence(const ExecPlan &plan, const NodeMap &nodes, ArrayRef<uint32_t> scratchChunks)
    : plan(plan), nodes(nodes), ranks(plan.ranks()), threadblocks(plan.ranks()) {
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    ranks[r].inputChunks = plan.info().collective.inputChunks();
    ranks[r].outputChunks = plan.info().collective.outputChunks();
    ranks[r].scratchChunks = scratchChunks[r];
  }
}

uint32_t Sequence::threadblockOf(RankId rank, uint32_t name) {
  std::map<uint32_t, uint32_t> &known = threadblocks[rank.index()];
  auto [it, isNew] = known.try_emplace(name, known.size());
  if (isNew)
    ranks[rank.index()].threadblocks.emplace_back();
  return it->second;
}

Place Sequence::remote(RankId rank, uint32_t threadblock, RankId peer, Operand operand,
                       uint32_t count) {
  uint32_t t = threadblockOf(rank, threadblock);
  RankDraft &draft = ranks[rank.index()];
  ChannelKind kind = kindBetween(rank, peer);
  bool byMemory = kind == ChannelKind::Memory;
  if (byMemory)
    accesses.insert({rank, peer});
  uint32_t buffer =
      intern(draft.remotes, RemoteBuffer{peer, operand.buffer(), byMemory, !byMemory});
  return {intern(draft.threadblocks[t].remotes[size_t(kind)], buffer), operand.buffer(),
          operand.index(), count};
}

/// The ranks set up their groups in the order of their lists, which is that of the first uses.
Place Sequence::inSwitch(RankId rank, uint32_t threadblock, ArrayRef<RankId> members,
                         Operand operand, uint32_t count) {
  uint32_t t = threadblockOf(rank, threadblock);
  RankDraft::Switch group{operand.buffer(), {members.begin(), members.end()}};
  llvm::sort(group.members);
  auto isGroup = [&](const RankDraft::Switch &other) {
    return other.buffer == group.buffer && other.members == group.members;
  };
  std::vector<RankDraft::Switch> &known = ranks[rank.index()].switches;
  auto it = llvm::find_if(known, isGroup);
  uint32_t number = it - known.begin();
  if (it == known.end())
    for (RankId member : group.members)
      ranks[member.index()].switches.push_back(group);
  return {std::nullopt, operand.buffer(), operand.index(), count,
          intern(ranks[rank.index()].threadblocks[t].switches, number)};
}

std::array<uint32_t, 2> Sequence::connect(RankId a, RankId b) {
  size_t kind = size_t(kindBetween(a, b));
  std::vector<RankId> &ofA = ranks[a.index()].channels[kind];
  std::vector<RankId> &ofB = ranks[b.index()].channels[kind];
  ofA.push_back(b);
  ofB.push_back(a);
  return {uint32_t(ofA.size() - 1), uint32_t(ofB.size() - 1)};
}

void Sequence::add(RankId rank, uint32_t threadblock, LocId loc, OpKind op, ArrayRef<Place> sources,
                   ArrayRef<Place> destinations, ArrayRef<RankId> receivers) {
  Entry made{rank, threadblockOf(rank, threadblock), {op, loc}};
  made.op.src.assign(sources.begin(), sources.end());
  made.op.dst.assign(destinations.begin(), destinations.end());
  made.receivers.assign(receivers.begin(), receivers.end());
  if (!receivers.empty())
    made.op.channel = ChannelKind::Port;
  if (traits(op).usesSwitch())
    made.op.channel = ChannelKind::Switch;
  if (op == OpKind::PutSignalFlush)
    receivers = {};
  for (RankId receiver : receivers) {
    std::vector<uint32_t> &references =
        ranks[rank.index()].threadblocks[made.threadblock].channels[size_t(ChannelKind::Port)];
    auto [port, isNew] =
        ports.try_emplace({keyOf(rank, made.threadblock), receiver}, references.size());
    if (isNew)
      references.push_back(connect(rank, receiver)[0]);
    made.op.ids.push_back(port->second);
  }
  entries.push_back(std::move(made));
}

/// Waits come directly before their operation and signals directly after it, also in the order of
/// execution.
class Sequence::Builder {
public:
  explicit Builder(const Sequence &sequence) : sequence(sequence), drafts(sequence.ranks) {}

  std::optional<Built> run() {
    // Memory can only be accessed through a connection.
    for (auto [rank, peer] : sequence.accesses) {
      intern(drafts[rank.index()].channels[0], peer);
      intern(drafts[peer.index()].channels[0], rank);
    }
    for (const auto &[where, signals] : sequence.begins) {
      append(where, OpKind::RelaxedSignal, Limit::ChannelsOfOperation, signals.relaxed);
      append(where, OpKind::Signal, Limit::ChannelsOfOperation, signals.ports, ChannelKind::Port);
    }
    for (uint32_t i = 0; i < sequence.entries.size(); ++i)
      entry(i);
    for (const auto &[where, waits] : sequence.ends) {
      append(where, OpKind::Wait, Limit::ChannelsOfOperation, waits.channels);
      append(where, OpKind::Wait, Limit::ChannelsOfOperation, waits.ports, ChannelKind::Port);
    }
    return finish();
  }

private:
  using Where = std::pair<uint32_t, uint32_t>;
  struct Placed {
    Where where;
    uint32_t op;
    OptionalIndex entry;
  };

  void append(Where where, Op op, OptionalIndex entry = {}) {
    std::vector<Op> &list = drafts[where.first].threadblocks[where.second].ops;
    order.push_back({where, uint32_t(list.size()), entry});
    list.push_back(std::move(op));
  }
  /// As many operations as the limit requires.
  void append(Where where, OpKind op, Limit limit, ArrayRef<uint32_t> ids,
              ChannelKind kind = ChannelKind::Memory) {
    for (size_t most = sequence.constraints[limit]; !ids.empty();
         ids = ids.drop_front(std::min(most, ids.size()))) {
      Op made{op};
      ArrayRef<uint32_t> some = ids.take_front(most);
      made.ids.assign(some.begin(), some.end());
      made.channel = kind;
      append(where, std::move(made));
    }
  }

  void entry(uint32_t i) {
    const Entry &in = sequence.entries[i];
    Where where{in.rank.index(), in.threadblock};
    append(where, OpKind::Acquire, Limit::SemaphoresOfOperation, in.before.semaphores);
    append(where, OpKind::Wait, Limit::ChannelsOfOperation, in.before.channels);
    append(where, OpKind::RelaxedWait, Limit::ChannelsOfOperation, in.before.relaxed);
    append(where, OpKind::Wait, Limit::ChannelsOfOperation, in.before.ports, ChannelKind::Port);
    if (in.nopBefore || !in.before.isEmpty())
      append(where, {OpKind::Nop});
    append(where, in.isUnanswered() ? unanswered(in) : in.op, i);
    if (in.after.isEmpty())
      return;
    append(where, {OpKind::Nop});
    append(where, OpKind::Release, Limit::SemaphoresOfOperation, in.after.semaphores);
    append(where, OpKind::Signal, Limit::ChannelsOfOperation, in.after.channels);
    append(where, OpKind::Signal, Limit::ChannelsOfOperation, in.after.ports, ChannelKind::Port);
  }

  /// A transfer on a channel for all those of its threadblock that nothing waits for.
  Op unanswered(const Entry &in) {
    size_t kind = size_t(ChannelKind::Port);
    RankDraft &draft = drafts[in.rank.index()];
    std::vector<uint32_t> &references = draft.threadblocks[in.threadblock].channels[kind];
    RankId peer = in.receivers.front();
    auto [port, isNew] =
        ports.try_emplace({keyOf(in.rank, in.threadblock), peer}, references.size());
    if (isNew) {
      references.push_back(draft.channels[kind].size());
      draft.channels[kind].push_back(peer);
      drafts[peer.index()].channels[kind].push_back(in.rank);
    }
    Op op = in.op;
    op.ids = {port->second};
    return op;
  }

  std::optional<Built> finish() {
    DiagnosticEngine diags;
    FailureOr<Plan> made = mscclpp::finish(sequence.plan, drafts, diags);
    if (failed(made) || failed(checkExecutor(*made, diags)))
      return std::nullopt;
    Built built{std::move(*made), {}, {}};
    for (const Placed &placed : order) {
      const Rank &rank = built.plan.ranks()[placed.where.first];
      const Threadblock &tb = built.plan.threadblocks(rank)[placed.where.second];
      PlanOpId op(tb.ops.first + placed.op);
      built.order.push_back(op);
      if (placed.entry)
        built.entries[op] = *placed.entry;
    }
    return built;
  }

  const Sequence &sequence;
  std::vector<RankDraft> drafts;
  std::vector<Placed> order;
  std::map<std::pair<uint64_t, RankId>, uint32_t> ports; ///< by threadblock and receiver
};

std::optional<Sequence::Built> Sequence::build() const { return Builder(*this).run(); }

/// The point of an access. That of a caller is at the begin or the end of a threadblock, of which
/// the one with the number of the other point is chosen.
Sequence::Point Sequence::pointOf(const Built &built, const Conflict::Side &side,
                                  const Point &other, bool isEarlier) {
  if (side.op) {
    uint32_t i = built.entries.at(*side.op);
    return {entries[i].rank, entries[i].threadblock, i, i};
  }
  if (ranks[side.rank.index()].threadblocks.empty())
    threadblockOf(side.rank, 0);
  uint32_t last = ranks[side.rank.index()].threadblocks.size() - 1;
  return {side.rank, std::min(other.threadblock, last), isEarlier ? begin : end, {}};
}

void Sequence::orderInside(const Point &earlier, const Point &later) {
  std::vector<std::pair<int64_t, int64_t>> &known =
      inside[{keyOf(earlier.rank, earlier.threadblock), keyOf(later.rank, later.threadblock)}];
  bool isOne = earlier.threadblock == later.threadblock;
  if (llvm::any_of(known, [&](auto other) {
        return other.second <= later.position &&
               (isOne ? earlier.position < other.second : earlier.position <= other.first);
      }))
    return;
  known.push_back({earlier.position, later.position});
  if (isOne) {
    entries[*later.entry].nopBefore = true;
    return;
  }
  std::vector<uint32_t> &semaphores = ranks[earlier.rank.index()].semaphores;
  entries[*earlier.entry].after.semaphores.push_back(semaphores.size());
  entries[*later.entry].before.semaphores.push_back(semaphores.size());
  semaphores.push_back(0);
}

void Sequence::orderRanks(const Point &earlier, const Point &later, bool relaxed) {
  uint64_t from = keyOf(earlier.rank, earlier.threadblock);
  uint64_t to = keyOf(later.rank, later.threadblock);
  size_t direction = from < to ? 0 : 1;
  std::vector<Channel> &list = channels[{std::min(from, to), std::max(from, to)}];
  std::pair<int64_t, int64_t> made{earlier.position, later.position};
  bool hasOwnSignal = earlier.entry && entries[*earlier.entry].isUnanswered() &&
                      entries[*earlier.entry].receivers.front() == later.rank;
  for (const Channel &channel : list)
    for (auto other : channel.orders[direction])
      if (!hasOwnSignal && other.first >= made.first && other.second <= made.second)
        return;
  auto fits = [&](const Channel &channel) {
    return llvm::all_of(channel.orders[direction], [&](auto other) {
      return (other.first < made.first) == (other.second < made.second) &&
             other.first != made.first && other.second != made.second;
    });
  };
  auto channel = llvm::find_if(list, fits);
  const Point *points[] = {direction == 0 ? &earlier : &later, direction == 0 ? &later : &earlier};
  ChannelKind kind = kindBetween(earlier.rank, later.rank);
  if (channel == list.end()) {
    channel = list.insert(list.end(), Channel());
    std::array<uint32_t, 2> made = connect(points[0]->rank, points[1]->rank);
    for (size_t i = 0; i < 2; ++i) {
      std::vector<uint32_t> &references = ranks[points[i]->rank.index()]
                                              .threadblocks[points[i]->threadblock]
                                              .channels[size_t(kind)];
      channel->numbers[i] = references.size();
      references.push_back(made[i]);
    }
  }
  channel->orders[direction].push_back(made);
  Synchronisation &signals = earlier.entry ? entries[*earlier.entry].after
                                           : begins[{earlier.rank.index(), earlier.threadblock}];
  Synchronisation &waits =
      later.entry ? entries[*later.entry].before : ends[{later.rank.index(), later.threadblock}];
  auto listOf = [&](Synchronisation &all) -> SmallVectorImpl<uint32_t> & {
    return kind == ChannelKind::Port ? all.ports : relaxed ? all.relaxed : all.channels;
  };
  if (hasOwnSignal)
    entries[*earlier.entry].op.ids = {channel->numbers[direction]};
  else
    listOf(signals).push_back(channel->numbers[direction]);
  listOf(waits).push_back(channel->numbers[1 - direction]);
}

/// Orders the conflicts of the first kind that there is.
void Sequence::synchronise(const Built &built, const Conflicts &conflicts) {
  auto entryOf = [&](const Conflict::Side &side) { return &entries[built.entries.at(*side.op)]; };
  auto kindOf = [&](const Conflict &conflict) {
    bool ofOne = conflict.earlier.rank == conflict.later.rank;
    // The first reader of a transfer waits for it, before the caller.
    if (!conflict.later.op && entryOf(conflict.earlier)->isUnanswered())
      return 3;
    if (!conflict.earlier.op || !conflict.later.op)
      return 0;
    return !conflict.sameLaunch ? 4 : ofOne ? 1 : 2;
  };
  int first = 4;
  for (const Conflict &conflict : conflicts.all)
    first = std::min(first, kindOf(conflict));
  std::vector<std::pair<Point, Point>> pairs;
  for (const Conflict &conflict : conflicts.all) {
    if (kindOf(conflict) != first)
      continue;
    Conflict::Side earlier = conflict.earlier, later = conflict.later;
    auto add = [&] {
      Point some{later.rank, 0, 0, {}};
      some = pointOf(built, later.op ? later : earlier, some, !later.op);
      pairs.push_back({pointOf(built, earlier, some, true), pointOf(built, later, some, false)});
      if (!later.op)
        pairs.back().first = some;
    };
    if (conflict.sameLaunch || !later.op) {
      add();
      continue;
    }
    // An access of the launch before is over when its rank, or the receiver of the transfer, begins
    // this one.
    SmallVector<RankId, 2> over = {earlier.rank};
    if (earlier.op && !entryOf(earlier)->receivers.empty() &&
        entryOf(earlier)->op.op != OpKind::PutSignalFlush)
      over = entryOf(earlier)->receivers;
    earlier.op = {};
    for (RankId rank : over) {
      earlier.rank = rank;
      add();
    }
  }
  // The next later point first, and for it the last earlier one.
  llvm::sort(pairs, [](const auto &a, const auto &b) {
    return std::tuple(a.second.position, b.first.position, a.first.rank, a.first.threadblock) <
           std::tuple(b.second.position, a.first.position, b.first.rank, b.first.threadblock);
  });
  for (const auto &[earlier, later] : pairs) {
    if (earlier.rank != later.rank)
      orderRanks(earlier, later, /*relaxed=*/!earlier.entry);
    else if (earlier.entry && later.entry)
      orderInside(earlier, later);
  }
}

std::optional<Plan> Sequence::synchronised() {
  for (int round = 0; round < maxRounds; ++round) {
    std::optional<Built> built = build();
    if (!built)
      return std::nullopt;
    Conflicts conflicts = findConflicts(built->plan, built->order);
    if (conflicts.others)
      return std::nullopt;
    if (conflicts.all.empty())
      return std::move(built->plan);
    synchronise(*built, conflicts);
  }
  return std::nullopt;
}
} // namespace cclc::mscclpp
