//===- Direct.cpp - Emission of direct transfers --------------------------===//
//
// Every move becomes one operation, or a copy and a put; the Sequence synchronises them. Only the
// places in scratch that messages use remain.
//
//===----------------------------------------------------------------------===//

#include "Drafts.h"
#include "Moves.h"
#include "Sequence.h"

#include "cclc/Mscclpp/Emit/Compact.h"

#include <map>

namespace cclc::mscclpp {
namespace {
class DirectEmitter {
public:
  DirectEmitter(const ExecPlan &plan, const NodeMap &nodes, std::vector<Move> moves)
      : plan(plan), nodes(nodes), moves(std::move(moves)), renumbered(plan.ranks()) {
    for (Move &move : this->moves)
      for (SmallVector<Move::Cells, 4> *list : {&move.sources, &move.destinations})
        for (Move::Cells &cells : *list)
          renumber(cells, move.count);
  }

  std::optional<Plan> run() {
    Sequence sequence(plan, nodes, scratch);
    for (const Move &move : moves)
      emit(move, sequence);
    return sequence.synchronised();
  }

private:
  void renumber(Move::Cells &cells, uint32_t count) {
    uint32_t r = cells.rank.index();
    if (cells.first.buffer() != Buffer::Scratch || cells.first.index() < plan.scratchChunks()[r])
      return;
    auto [it, isNew] = renumbered[r].try_emplace(cells.first.index(), scratch[r]);
    if (isNew)
      scratch[r] += count;
    cells.first = Operand(Buffer::Scratch, it->second);
  }

  void emit(const Move &move, Sequence &sequence) const {
    auto place = [&](const Move::Cells &cells) {
      return cells.rank == move.rank
                 ? Place{std::nullopt, cells.first.buffer(), cells.first.index(), move.count}
                 : sequence.remote(move.rank, move.threadblock, cells.rank, cells.first,
                                   move.count);
    };
    auto add = [&](OpKind op, ArrayRef<Place> sources, ArrayRef<Place> destinations,
                   ArrayRef<RankId> receivers = {}) {
      sequence.add(move.rank, move.threadblock, move.loc, op, sources, destinations, receivers);
    };
    if (move.multicasts && !move.lacksOwn && (move.addsInSwitch || move.sources.size() == 1)) {
      // A switch channel is to one place of all members.
      SmallVector<RankId, 10> members = {move.rank};
      for (const Move::Cells &cells : move.destinations)
        if (cells.rank != move.rank)
          members.push_back(cells.rank);
      auto inSwitch = [&](const Move::Cells &cells) {
        return sequence.inSwitch(move.rank, move.threadblock, members, cells.first, move.count);
      };
      return move.addsInSwitch ? add(OpKind::SwitchReduceStore, {inSwitch(move.sources.front())},
                                     {inSwitch(move.destinations.front())})
                               : add(OpKind::SwitchStore, {place(move.sources.front())},
                                     {inSwitch(move.destinations.front())});
    }
    SmallVector<Place, 10> sources, destinations, outside;
    SmallVector<RankId, 10> receivers;
    for (const Move::Cells &cells : move.sources)
      sources.push_back(place(cells));
    for (const Move::Cells &cells : move.destinations) {
      bool isInside = nodes.areInOneNode(move.rank, cells.rank);
      (isInside ? destinations : outside).push_back(place(cells));
      if (!isInside)
        receivers.push_back(cells.rank);
    }
    if (sources.size() > 1) {
      bool reads = sources.back().remote.has_value(), sends = destinations.size() > 1;
      add(reads ? (sends ? OpKind::ReadReduceSend : OpKind::ReadReduce)
                : (sends ? OpKind::ReduceSend : OpKind::Reduce),
          sources, destinations);
      sources = {destinations.front()};
    } else {
      ArrayRef<Place> inside = destinations;
      if (!inside.empty() && !inside.front().remote) {
        add(OpKind::Copy, sources, inside.take_front());
        inside = inside.drop_front();
      }
      if (!inside.empty())
        add(OpKind::Put, SmallVector<Place, 10>(inside.size(), sources.front()), inside);
    }
    for (size_t i = 0; i < outside.size(); ++i)
      add(OpKind::PutSignalFlush, sources, {outside[i]}, {receivers[i]});
  }

  const ExecPlan &plan;
  const NodeMap &nodes;
  std::vector<Move> moves;
  std::vector<uint32_t> scratch = plan.scratchChunks(); ///< by rank
  std::vector<std::map<uint32_t, uint32_t>> renumbered; ///< by rank: places in scratch
};
} // namespace

std::optional<Plan> emitDirect(const ExecPlan &plan, const NodeMap &nodes) {
  if (plan.info().protocol != Protocol::Simple || !plan.info().calls.empty())
    return std::nullopt;
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  Landings landings(plan, nodes, connections, runner);
  uint32_t most = executorConstraints()[Limit::PlacesOfOperation];
  return DirectEmitter(plan, nodes,
                       makeMoves(plan, nodes, placementOf(plan), most, landings, runner))
      .run();
}
} // namespace cclc::mscclpp
