//===- Moves.cpp - Steps of a plan as direct transfers --------------------===//
//
// A first run numbers the steps and collects the accesses of every cell. Messages are then pulled,
// or put in place, if no access lies between their send and their receipt, with the accesses moved
// to where they then take place. A second pass over the steps makes the moves and joins them, with
// the last writer of every cell.
//
//===----------------------------------------------------------------------===//

#include "Moves.h"

#include "LastWriters.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace cclc::mscclpp {
namespace {
using Exec = cclc::OpKind;

class MoveMaker {
public:
  MoveMaker(const ExecPlan &plan, const NodeMap &nodes, Placement placement, uint32_t most,
            const Landings &landings, PlanControlFlow &runner)
      : plan(plan), nodes(nodes), most(most), landings(landings),
        space(spaceOf(plan, placement, landings)), accesses(space.size()),
        times(plan.steps().size()), received(plan.steps().size()), sent(plan.steps().size()),
        writers(space) {
    ConnectionTable connections(plan);
    for (const Connection &connection : connections.connections())
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
        received[receive].push_back(messages.size());
        sent[send].push_back(messages.size());
        messages.push_back({send, receive, uint32_t(received[receive].size()) - 1});
      });
    for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
      threadblockOf.insert(threadblockOf.end(), plan.threadblocks()[t].numSteps, t);
    runner.run(Slots::unlimited(), [&](PlanThreadblockId, StepId s) {
      times[s.index()] = order.size();
      order.push_back(s.index());
    });
  }

  std::vector<Move> run() {
    for (uint32_t s : order)
      collect(s);
    chooseWays();
    for (uint32_t s : order)
      if (plan.steps()[s].op != Exec::Nop)
        make(s);
    std::vector<Move> result;
    for (size_t i = 0; i < moves.size(); ++i)
      if (!dead[i])
        result.push_back(std::move(moves[i]));
    return result;
  }

private:
  /// The cells of the plan and of all messages in scratch.
  static CellSpace spaceOf(const ExecPlan &plan, Placement placement, const Landings &landings) {
    std::vector<uint32_t> scratch;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      scratch.push_back(landings.scratchChunks(RankId(r)));
    return CellSpace(plan.info().collective, placement, scratch);
  }

  /// How a message travels.
  enum class Way : uint8_t { Pulled, Direct, Scratch };
  struct Message {
    uint32_t sender, receiver; ///< steps
    uint32_t peer;             ///< number of the sender among the receive peers
    Way way = Way::Scratch;
  };
  struct Access {
    uint32_t time;
    bool writes;
    friend bool operator==(const Access &, const Access &) = default;
  };

  RankId rankOf(uint32_t s) const { return plan.threadblocks()[threadblockOf[s]].rank; }
  template <class Fn> void forEachCell(RankId rank, Operand operand, uint32_t count, Fn fn) const {
    uint64_t first = space.cell(rank, operand);
    for (uint32_t i = 0; i < count; ++i)
      fn(first + i);
  }

  void collect(uint32_t s) {
    const Step &step = plan.steps()[s];
    const cclc::OpTraits &does = cclc::traits(step.op);
    if (does.readsSrc)
      forEachCell(rankOf(s), step.src, step.count,
                  [&](uint64_t cell) { accesses[cell].push_back({times[s], false}); });
    if (does.writesDst)
      forEachCell(rankOf(s), step.dst, step.count,
                  [&](uint64_t cell) { accesses[cell].push_back({times[s], true}); });
  }

  /// Whether no access of the cells, or no write, lies between the two times.
  bool isQuiet(RankId rank, Operand operand, uint32_t count, uint32_t from, uint32_t to,
               bool onlyWrites) const {
    bool quiet = true;
    forEachCell(rank, operand, count, [&](uint64_t cell) {
      for (const Access &access : accesses[cell])
        quiet &= access.time <= from || access.time >= to || (onlyWrites && !access.writes);
    });
    return quiet;
  }
  void shift(RankId rank, Operand operand, uint32_t count, Access from, Access to) {
    forEachCell(rank, operand, count, [&](uint64_t cell) {
      if (auto it = llvm::find(accesses[cell], from); it != accesses[cell].end())
        *it = to;
    });
  }

  void chooseWays() {
    for (uint32_t r : order)
      for (uint32_t m : received[r])
        choose(messages[m]);
  }

  void choose(Message &message) {
    uint32_t s = message.sender, r = message.receiver;
    const Step &send = plan.steps()[s], &receive = plan.steps()[r];
    bool reduces = cclc::traits(receive.op).readsSrc;
    if (reduces && send.op == Exec::Send && nodes.areInOneNode(rankOf(s), rankOf(r)) &&
        isQuiet(rankOf(s), send.src, send.count, times[s], times[r], true)) {
      message.way = Way::Pulled;
      shift(rankOf(s), send.src, send.count, {times[s], false}, {times[r], false});
    } else if (!reduces && received[r].size() == 1 &&
               isQuiet(rankOf(r), receive.dst, receive.count, times[s], times[r], false)) {
      message.way = Way::Direct;
      shift(rankOf(r), receive.dst, receive.count, {times[r], true}, {times[s], true});
    }
  }

  Move::Cells placeOf(const Message &message) const {
    uint32_t r = message.receiver;
    if (message.way == Way::Pulled)
      return {rankOf(message.sender), plan.steps()[message.sender].src};
    return {rankOf(r),
            message.way == Way::Direct ? plan.steps()[r].dst : landings.of(r, message.peer)};
  }

  void make(uint32_t s) {
    const Step &step = plan.steps()[s];
    const cclc::OpTraits &does = cclc::traits(step.op);
    RankId rank = rankOf(s);
    Move move{step.loc, rank, threadblockOf[s], step.count, {}, {}};
    if (does.readsDst)
      move.sources.push_back({rank, step.dst});
    if (does.readsSrc)
      move.sources.push_back({rank, step.src});
    for (uint32_t m : received[s])
      move.sources.push_back(placeOf(messages[m]));
    if (does.writesDst)
      move.destinations.push_back({rank, step.dst});
    for (uint32_t m : sent[s])
      if (messages[m].way != Way::Pulled)
        move.destinations.push_back(placeOf(messages[m]));
    // The message is already there.
    if (does.receives && !does.readsSrc && messages[received[s].front()].way == Way::Direct)
      move.destinations.erase(move.destinations.begin());
    if (move.destinations.empty())
      return;
    // The executor stores all sums locally. One that is only sent is stored at the place in scratch
    // of its message, where nothing reads it.
    if (step.op == Exec::RecvReduceSend)
      move.destinations.insert(move.destinations.begin(), {rank, landings.of(s)});
    useSwitch(move, s);
    if (!joinSend(move) && !joinReduction(move) && !joinCopy(move))
      append(std::move(move));
  }

  /// Notes the sides of the move that are a switch's: the places of all members are the same.
  void useSwitch(Move &move, uint32_t s) const {
    const cclc::Threadblock &tb = plan.threadblocks()[threadblockOf[s]];
    auto areAlike = [&](ArrayRef<Move::Cells> places) {
      return llvm::all_of(
          places, [&](const Move::Cells &cells) { return cells.first == places.front().first; });
    };
    auto travel = [&](ArrayRef<uint32_t> numbers, Way way) {
      return !numbers.empty() &&
             llvm::all_of(numbers, [&](uint32_t m) { return messages[m].way == way; });
    };
    move.addsInSwitch = tb.reducesInSwitch() && move.sources.size() == received[s].size() + 1 &&
                        travel(received[s], Way::Pulled) && areAlike(move.sources);
    bool isMulticast =
        tb.multicasts() && travel(sent[s], Way::Direct) && areAlike(move.destinations);
    // The switch writes the place of the sender, too.
    bool hasOwn = move.destinations.front().rank == move.rank;
    bool keepsOwn = move.sources.size() == 1 && move.sources.front().rank == move.rank &&
                    move.sources.front().first == move.destinations.front().first;
    move.multicasts = isMulticast && (hasOwn || keepsOwn || move.sources.size() == 1);
    move.lacksOwn = move.multicasts && !hasOwn && !keepsOwn;
  }

  /// The move that wrote exactly these cells, if they hold its value.
  LastWriters::Writer writerOf(const Move::Cells &cells, uint32_t count) const {
    LastWriters::Writer writer = writers.find({cells.rank, cells.first, count});
    if (writer.of && (moves[*writer.of].count != count ||
                      !llvm::is_contained(moves[*writer.of].destinations, cells)))
      writer.of = {};
    return writer;
  }

  /// Whether no move after \p since accesses the cells, or writes them.
  bool isUntouched(const Move::Cells &cells, uint32_t count, uint32_t since,
                   bool onlyWrites) const {
    return writers.isUntouched({cells.rank, cells.first, count}, since, onlyWrites);
  }

  /// Adds a put of a sum to the move that computes it.
  bool joinSend(const Move &move) {
    if (move.sources.size() != 1 || move.destinations.size() != 1 ||
        move.destinations.front().rank == move.rank)
      return false;
    OptionalIndex writer = writerOf(move.sources.front(), move.count).of;
    if (!writer)
      return false;
    Move &value = moves[*writer];
    if (value.rank != move.rank || value.sources.size() < 2 || value.multicasts ||
        value.destinations.size() == most ||
        !isUntouched(move.destinations.front(), move.count, *writer, false))
      return false;
    value.destinations.push_back(move.destinations.front());
    written(move.destinations.front(), move.count, *writer);
    return true;
  }

  /// Adds a message to the sum that its cells hold, if both are pulled or both are local.
  bool joinReduction(Move &move) {
    if (move.sources.size() != 2 || move.destinations.front() != move.sources.front())
      return false;
    auto [writer, wasRead] = writerOf(move.sources.front(), move.count);
    if (!writer || wasRead)
      return false;
    const Move &sum = moves[*writer];
    auto isPulled = [](const Move &some) { return some.sources.back().rank != some.rank; };
    if (sum.rank != move.rank || sum.sources.size() < 2 || sum.destinations.size() != 1 ||
        sum.addsInSwitch || sum.sources.front() != sum.destinations.front() ||
        sum.sources.size() == most || isPulled(sum) != isPulled(move) ||
        !llvm::all_of(ArrayRef(sum.sources).drop_front(), [&](const Move::Cells &cells) {
          return isUntouched(cells, move.count, *writer, true);
        }))
      return false;
    move.sources.insert(move.sources.begin() + 1, sum.sources.begin() + 1, sum.sources.end());
    dead[*writer] = true;
    append(std::move(move));
    return true;
  }

  /// Adds the sender's own copy of a multicast to it, or the multicast to the move that makes this
  /// copy, if nothing accesses the copy in between.
  bool joinCopy(Move &move) {
    if (!plan.usesSwitches() || move.sources.size() != 1 || move.sources.front().rank != move.rank)
      return false;
    const Move::Cells source = move.sources.front();
    const Move::Cells own{move.rank, move.destinations.front().first};
    bool isCopy = move.destinations.size() == 1 && move.destinations.front() == own;
    for (uint32_t m = moves.size(); (isCopy || move.lacksOwn) && m-- > 0;) {
      Move &other = moves[m];
      if (dead[m] || other.rank != move.rank || other.count != move.count ||
          other.sources.size() != 1 || !(other.sources.front() == source))
        continue;
      bool isOther = isCopy ? other.lacksOwn && other.destinations.front().first == own.first
                            : other.destinations.size() == 1 && other.destinations.front() == own;
      if (!isOther || !isUntouched(source, move.count, m, true) ||
          !isUntouched(own, move.count, m, false))
        continue;
      if (isCopy) {
        other.destinations.insert(other.destinations.begin(), own);
        other.lacksOwn = false;
        written(own, move.count, m);
        return true;
      }
      dead[m] = true;
      move.destinations.insert(move.destinations.begin(), own);
      move.lacksOwn = false;
      return false;
    }
    return false;
  }

  void written(const Move::Cells &cells, uint32_t count, uint32_t move) {
    writers.write({cells.rank, cells.first, count}, move);
  }

  void append(Move move) {
    for (const Move::Cells &cells : move.sources)
      writers.read({cells.rank, cells.first, move.count}, moves.size());
    for (const Move::Cells &cells : move.destinations)
      written(cells, move.count, moves.size());
    moves.push_back(std::move(move));
    dead.push_back(false);
  }

  const ExecPlan &plan;
  const NodeMap &nodes;
  uint32_t most;
  const Landings &landings;
  CellSpace space;
  std::vector<std::vector<Access>> accesses; ///< by cell
  std::vector<uint32_t> times, threadblockOf, order;
  std::vector<Message> messages;
  std::vector<SmallVector<uint32_t, 1>> received, sent; ///< by step: messages, by peer
  LastWriters writers;                                  ///< moves
  std::vector<Move> moves;
  std::vector<bool> dead;
};
} // namespace

std::vector<Move> makeMoves(const ExecPlan &plan, const NodeMap &nodes, Placement placement,
                            uint32_t most, const Landings &landings, PlanControlFlow &runner) {
  return MoveMaker(plan, nodes, placement, most, landings, runner).run();
}
} // namespace cclc::mscclpp
