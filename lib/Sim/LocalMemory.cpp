#include "LocalMemory.h"

#include "cclc/Semantics/PlanRunner.h"

using namespace cclc;

namespace {
constexpr uint32_t none = ~uint32_t(0);

/// Follows a plan in an order in which it can happen. Accesses to a cell that
/// conflict are ordered in every proved plan, so the first and the last are the
/// same in all of them.
class UseFinder {
public:
  UseFinder(const ExecPlan &plan)
      : plan(plan), collective(plan.info().collective),
        placement(plan.info().placements.list().front()), cells(plan.cells(placement)),
        touched(cells.size()), lastWriter(cells.size(), none), loadOf(cells.size()) {}

  /// What a read of \p operand needs.
  struct Read {
    uint32_t first = 0;    ///< chunks that hold what they held before the plan began
    uint32_t lastLoad = 0; ///< of the chunks, that of the last one to be loaded
  };
  /// The first reads become load number \p next of the rank.
  Read read(RankId rank, Operand operand, uint32_t count, uint32_t next) {
    Read result;
    forEachCell(rank, operand, count, [&](uint64_t cell, Operand chunk) {
      if (!touched[cell] && isInput(rank, chunk)) {
        ++result.first;
        loadOf[cell] = next;
      }
      touched[cell] = true;
      // Also what another step is the first to read may still be on its way.
      result.lastLoad = std::max(result.lastLoad, loadOf[cell]);
    });
    return result;
  }

  void write(RankId rank, Operand operand, uint32_t count, uint32_t step) {
    forEachCell(rank, operand, count, [&](uint64_t cell, Operand) {
      touched[cell] = true;
      lastWriter[cell] = step;
    });
  }

  /// Calls fn(step) for every output, with the step that wrote it.
  template <class Fn> void forEachResult(Fn fn) const {
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
        uint32_t writer = lastWriter[cells.cell(RankId(r), Operand(Buffer::Output, c))];
        if (writer != none &&
            (!collective.hasPostCondition() ||
             collective.expected(RankId(r), c).kind != Expectation::Kind::Anything))
          fn(writer);
      }
  }

private:
  template <class Fn> void forEachCell(RankId rank, Operand operand, uint32_t count, Fn fn) {
    if (operand.isNone())
      return;
    uint64_t first = cells.cell(rank, operand);
    for (uint32_t i = 0; i < count; ++i)
      fn(first + i, operand.offsetBy(i));
  }

  /// In place, inputs have two names.
  bool isInput(RankId rank, Operand chunk) const {
    if (!collective.hasInput(rank) || chunk.buffer() == Buffer::Scratch)
      return false;
    uint32_t at = cells.offsetInRank(rank, chunk);
    uint32_t begin = collective.inputOffset(rank, placement);
    return at >= begin && at < begin + collective.inputChunks();
  }

  const ExecPlan &plan;
  const Collective &collective;
  Placement placement;
  CellSpace cells;
  std::vector<bool> touched;
  std::vector<uint32_t> lastWriter; ///< step, by cell
  std::vector<uint32_t> loadOf;     ///< number, by cell; 0 for none
};
} // namespace

LocalMemory::LocalMemory(const BoundPlan &plan, const Sizing &sizing)
    : bound(plan), sizing(sizing) {
  if (!plan.machine.memory.loadStore)
    return;
  bindRoutes();
  findUses();
}

void LocalMemory::bindRoutes() {
  const Machine &machine = bound.machine;
  SmallVector<LinkId, 4> route;
  for (uint32_t endpoint : bound.endpointOf) {
    route.clear();
    machine.routeToMemory(endpoint, endpoint, route);
    Rank rank;
    rank.latency = machine.memory.dmaOverhead;
    for (LinkId id : route)
      for (LinkId way : {id, *machine.link(id).reverse}) {
        const Link &link = machine.link(way);
        rank.latency += machine.latency(link);
        rank.rate = Bandwidth::slower(rank.rate, link.bandwidth);
      }
    ranks.push_back(rank);
  }
}

void LocalMemory::findUses() {
  const ExecPlan &plan = bound.plan;
  UseFinder finder(plan);
  uses.resize(plan.steps().size());
  std::vector<std::vector<uint32_t>> chunks(plan.ranks()); ///< of each load, by rank
  PlanRunner(plan, bound.connections).run(Slots::unlimited(), [&](uint32_t t, uint32_t s) {
    const Step &step = plan.steps()[s];
    const OpTraits &op = traits(step.op);
    RankId rank = plan.threadblocks()[t].rank;
    std::vector<uint32_t> &loads = chunks[rank.index()];
    auto read = [&](Operand operand) {
      UseFinder::Read needs = finder.read(rank, operand, step.count, loads.size() + 1);
      if (needs.first)
        loads.push_back(needs.first);
      uses[s].lastLoad = std::max(uses[s].lastLoad, needs.lastLoad);
    };
    if (op.readsSrc)
      read(step.src);
    if (op.readsDst)
      read(step.dst);
    if (op.writesDst)
      finder.write(rank, step.dst, step.count, s);
  });
  finder.forEachResult([&](uint32_t step) { ++uses[step].stores; });
  addUpLoads(chunks);
}

void LocalMemory::addUpLoads(ArrayRef<std::vector<uint32_t>> chunks) {
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    Rank &rank = ranks[r];
    rank.firstLoad = fullPiece.size();
    rank.loads = chunks[r].size();
    SimTime full, last;
    for (uint32_t count : chunks[r]) {
      full += requestTime(rank, sizing.pieceBytes(0) * count);
      last += requestTime(rank, sizing.pieceBytes(sizing.pieces - 1) * count);
      fullPiece.push_back(full);
      lastPiece.push_back(last);
    }
  }
}

SimTime LocalMemory::loadTime(const Rank &rank, uint32_t load, uint64_t trip) const {
  uint64_t runs = trip / sizing.pieces, piece = trip % sizing.pieces;
  uint32_t end = rank.firstLoad + rank.loads - 1, at = rank.firstLoad + load - 1;
  SimTime before =
      fullPiece[end] * int64_t(runs * (sizing.pieces - 1) + piece) + lastPiece[end] * int64_t(runs);
  return before + (piece + 1 == sizing.pieces ? lastPiece[at] : fullPiece[at]);
}
