//===- Moves.cpp - Steps of a plan as direct transfers --------------------===//
//
// A first run numbers the steps and collects the accesses of every cell. Messages are then pulled,
// or put in place, if no access lies between their send and their receipt, with the accesses moved
// to where they then take place. A second pass over the steps makes the moves and joins them, with
// the last writer of every cell.
//
//===----------------------------------------------------------------------===//

#include "Moves.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace cclc::mscclpp {
namespace {
using Exec = cclc::OpKind;

class MoveMaker {
public:
  MoveMaker(const ExecPlan &plan, const NodeMap &nodes, Placement placement, uint32_t most,
            const Landings &landings, PlanRunner &runner)
      : plan(plan), nodes(nodes), most(most), landings(landings),
        space(spaceOf(plan, placement, landings)), accesses(space.size()),
        times(plan.steps().size()), senderOf(plan.steps().size()), receiverOf(plan.steps().size()),
        way(plan.steps().size(), Way::Scratch), writers(space.size()) {
    ConnectionTable connections(plan);
    for (const Connection &connection : connections.connections())
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
        senderOf[receive] = send;
        receiverOf[send] = receive;
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

  /// How a message travels, by receiving step.
  enum class Way : uint8_t { Pulled, Direct, Scratch };
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
    for (uint32_t r : order) {
      const Step &receive = plan.steps()[r];
      if (!cclc::traits(receive.op).receives)
        continue;
      uint32_t s = senderOf[r];
      const Step &send = plan.steps()[s];
      bool reduces = cclc::traits(receive.op).readsSrc;
      if (reduces && send.op == Exec::Send && nodes.areInOneNode(rankOf(s), rankOf(r)) &&
          isQuiet(rankOf(s), send.src, send.count, times[s], times[r], true)) {
        way[r] = Way::Pulled;
        shift(rankOf(s), send.src, send.count, {times[s], false}, {times[r], false});
      } else if (!reduces &&
                 isQuiet(rankOf(r), receive.dst, receive.count, times[s], times[r], false)) {
        way[r] = Way::Direct;
        shift(rankOf(r), receive.dst, receive.count, {times[r], true}, {times[s], true});
      }
    }
  }

  Move::Cells placeOfMessage(uint32_t r) const {
    if (way[r] == Way::Pulled)
      return {rankOf(senderOf[r]), plan.steps()[senderOf[r]].src};
    return {rankOf(r), way[r] == Way::Direct ? plan.steps()[r].dst : landings.of(r)};
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
    if (does.receives)
      move.sources.push_back(placeOfMessage(s));
    if (does.writesDst)
      move.destinations.push_back({rank, step.dst});
    if (does.sends && way[receiverOf[s]] != Way::Pulled)
      move.destinations.push_back(placeOfMessage(receiverOf[s]));
    // The message is already there.
    if (does.receives && !does.readsSrc && way[s] == Way::Direct)
      move.destinations.erase(move.destinations.begin());
    if (move.destinations.empty())
      return;
    // The executor stores all sums locally. One that is only sent is stored at the place in scratch
    // of its message, where nothing reads it.
    if (step.op == Exec::RecvReduceSend)
      move.destinations.insert(move.destinations.begin(), {rank, landings.of(s)});
    if (!joinSend(move) && !joinReduction(move))
      append(std::move(move));
  }

  /// The move that wrote exactly these cells, if they hold its value.
  OptionalIndex writerOf(const Move::Cells &cells, uint32_t count, bool &wasRead) const {
    OptionalIndex writer;
    bool isOne = true, isFirst = true;
    forEachCell(cells.rank, cells.first, count, [&](uint64_t cell) {
      isOne &= isFirst || writers[cell].move == writer;
      writer = writers[cell].move;
      isFirst = false;
      wasRead |= writers[cell].wasRead;
    });
    if (!isOne || !writer || moves[*writer].count != count ||
        !llvm::is_contained(moves[*writer].destinations, cells))
      return {};
    return writer;
  }

  /// Whether no move after \p since accesses the cells, or writes them.
  bool isUntouched(const Move::Cells &cells, uint32_t count, uint32_t since,
                   bool onlyWrites) const {
    bool untouched = true;
    forEachCell(cells.rank, cells.first, count, [&](uint64_t cell) {
      const OptionalIndex &last = onlyWrites ? writers[cell].move : writers[cell].lastAccess;
      untouched &= !last || *last <= since;
    });
    return untouched;
  }

  /// Adds a put of a sum to the move that computes it.
  bool joinSend(const Move &move) {
    bool wasRead = false;
    if (move.sources.size() != 1 || move.destinations.size() != 1 ||
        move.destinations.front().rank == move.rank)
      return false;
    OptionalIndex writer = writerOf(move.sources.front(), move.count, wasRead);
    if (!writer)
      return false;
    Move &value = moves[*writer];
    if (value.rank != move.rank || value.sources.size() < 2 || value.destinations.size() == most ||
        !isUntouched(move.destinations.front(), move.count, *writer, false))
      return false;
    value.destinations.push_back(move.destinations.front());
    written(move.destinations.front(), move.count, *writer);
    return true;
  }

  /// Adds a message to the sum that its cells hold, if both are pulled or both are local.
  bool joinReduction(Move &move) {
    bool wasRead = false;
    if (move.sources.size() != 2 || move.destinations.front() != move.sources.front())
      return false;
    OptionalIndex writer = writerOf(move.sources.front(), move.count, wasRead);
    if (!writer || wasRead)
      return false;
    const Move &sum = moves[*writer];
    auto isPulled = [](const Move &some) { return some.sources.back().rank != some.rank; };
    if (sum.rank != move.rank || sum.sources.size() < 2 || sum.destinations.size() != 1 ||
        sum.sources.front() != sum.destinations.front() || sum.sources.size() == most ||
        isPulled(sum) != isPulled(move) ||
        !llvm::all_of(ArrayRef(sum.sources).drop_front(), [&](const Move::Cells &cells) {
          return isUntouched(cells, move.count, *writer, true);
        }))
      return false;
    move.sources.insert(move.sources.begin() + 1, sum.sources.begin() + 1, sum.sources.end());
    dead[*writer] = true;
    append(std::move(move));
    return true;
  }

  void written(const Move::Cells &cells, uint32_t count, uint32_t move) {
    forEachCell(cells.rank, cells.first, count,
                [&](uint64_t cell) { writers[cell] = {move, false, move}; });
  }

  void append(Move move) {
    for (const Move::Cells &cells : move.sources)
      forEachCell(cells.rank, cells.first, move.count, [&](uint64_t cell) {
        writers[cell].wasRead = true;
        writers[cell].lastAccess = uint32_t(moves.size());
      });
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
  std::vector<uint32_t> times, senderOf, receiverOf, threadblockOf, order;
  std::vector<Way> way;
  struct Writer {
    OptionalIndex move;
    bool wasRead = false;
    OptionalIndex lastAccess = {};
  };
  std::vector<Writer> writers; ///< by cell
  std::vector<Move> moves;
  std::vector<bool> dead;
};
} // namespace

std::vector<Move> makeMoves(const ExecPlan &plan, const NodeMap &nodes, Placement placement,
                            uint32_t most, const Landings &landings, PlanRunner &runner) {
  return MoveMaker(plan, nodes, placement, most, landings, runner).run();
}
} // namespace cclc::mscclpp
