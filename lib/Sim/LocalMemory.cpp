//===- LocalMemory.cpp - First reads and last writes ----------------------===//
//
// Visits the plan once in an order in which it can execute, to find the first reader of each input
// cell and the last writer of each output cell. Cells with equal history are stored as runs
// (RunMap).
//
// Implements rules 35 to 37 and 57.
//
//===----------------------------------------------------------------------===//

#include "LocalMemory.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Support/Cellwise.h"
#include "cclc/Support/RunMap.h"

using namespace cclc;

namespace {
/// Visits a plan in an order in which it can execute. Conflicting accesses to a cell are ordered in
/// every verified plan, so the first and the last are the same in all orders.
class UseFinder {
public:
  UseFinder(const ExecPlan &plan)
      : plan(plan), collective(plan.info().collective),
        placement(plan.info().placements.list().front()), space(plan.cells(placement)) {
    bool cellwise = isCellwise(space.size(), plan.steps());
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      cells.emplace_back(space.cellsOfRank(RankId(r)), Use(), cellwise);
  }

  /// The loads that a read of \p operand requires.
  struct Read {
    uint32_t first = 0;    ///< number of chunks that still have their initial values
    uint32_t lastLoad = 0; ///< number of the last load of the chunks
  };
  /// First reads become load number \p next of the rank.
  Read read(RankId rank, Operand operand, uint32_t count, uint32_t next) {
    Read result;
    if (operand.isNone() || count == 0)
      return result;
    // In place, an input cell may have two names.
    uint32_t begin = space.offsetInRank(rank, operand), end = begin + count;
    uint32_t firstInput = collective.inputOffset(rank, placement);
    uint32_t endInput = firstInput + collective.inputChunks();
    if (!collective.hasInput(rank) || operand.buffer() == Buffer::Scratch)
      firstInput = endInput = end;
    firstInput = std::clamp(firstInput, begin, end);
    endInput = std::clamp(endInput, begin, end);
    auto readPart = [&](uint32_t from, uint32_t to, bool isInput) {
      cells[rank.index()].update(from, to - from, [&](uint32_t, uint32_t length, Use &use) {
        if (!use.touched && isInput) {
          result.first += length;
          use.load = next;
        }
        use.touched = true;
        // A load that another step requires first may still be in progress.
        result.lastLoad = std::max(result.lastLoad, use.load);
      });
    };
    readPart(begin, firstInput, false);
    readPart(firstInput, endInput, true);
    readPart(endInput, end, false);
    return result;
  }

  void write(RankId rank, Operand operand, uint32_t count, uint32_t step) {
    cells[rank.index()].update(space.offsetInRank(rank, operand), count,
                               [&](uint32_t, uint32_t, Use &use) {
                                 use.touched = true;
                                 use.lastWriter = step;
                               });
  }

  /// Calls fn(step, chunks) for the last writers of outputs.
  template <class Fn> void forEachResult(Fn fn) const {
    for (uint32_t r = 0; r < plan.ranks(); ++r) {
      RankId rank(r);
      for (uint32_t c = 0, length; c < collective.outputChunks(); c += length) {
        length = collective.hasPostCondition() ? collective.expectationRun(rank, c)
                                               : collective.outputChunks();
        if (collective.hasPostCondition() &&
            collective.expected(rank, c).kind == Expectation::Kind::Anything)
          continue;
        cells[r].forRuns(space.offsetInRank(rank, Operand(Buffer::Output, c)), length,
                         [&](uint32_t, uint32_t chunks, const Use &use) {
                           if (use.lastWriter)
                             fn(*use.lastWriter, chunks);
                         });
      }
    }
  }

private:
  struct Use {
    bool touched = false;
    OptionalIndex lastWriter; ///< the last step that wrote the cell
    uint32_t load = 0;        ///< number of its load; 0 for none
    Use advanced(uint32_t) const { return *this; }
  };

  const ExecPlan &plan;
  const Collective &collective;
  Placement placement;
  CellSpace space;
  std::vector<RunMap<Use>> cells; ///< by rank
};
} // namespace

LocalMemory::LocalMemory(const PlacedPlan &plan, const Sizing &sizing)
    : placed(plan), sizing(sizing) {
  if (!plan.machine.memory.loadStore)
    return;
  chooseRoutes();
  findUses();
}

void LocalMemory::chooseRoutes() {
  const Machine &machine = placed.machine;
  SmallVector<LinkId, 4> route;
  for (EndpointId endpoint : placed.endpointOf) {
    route.clear();
    machine.routeToMemory(endpoint, endpoint, route);
    Rank rank;
    for (LinkId id : route) {
      const Link &there = machine.link(id), &back = machine.link(*there.reverse);
      rank.latency += machine.latency(there);
      rank.latencyBack += machine.latency(back);
      rank.rate = Bandwidth::slower(rank.rate, Bandwidth::slower(there.bandwidth, back.bandwidth));
    }
    ranks.push_back(rank);
  }
}

void LocalMemory::findUses() {
  const ExecPlan &plan = placed.plan;
  UseFinder finder(plan);
  uses.resize(plan.steps().size());
  std::vector<std::vector<uint32_t>> loadsOf(plan.ranks()); ///< chunks of each load, by rank
  PlanControlFlow(plan, placed.connections)
      .run(Slots::unlimited(), [&](PlanThreadblockId t, StepId s) {
        const Step &step = plan.steps()[s.index()];
        const OpTraits &op = traits(step.op);
        RankId rank = plan.threadblocks()[t.index()].rank;
        std::vector<uint32_t> &loads = loadsOf[rank.index()];
        auto read = [&](Operand operand) {
          UseFinder::Read needs = finder.read(rank, operand, step.count, loads.size() + 1);
          if (needs.first)
            loads.push_back(needs.first);
          uint32_t &lastLoad = uses[s.index()].lastLoad;
          lastLoad = std::max(lastLoad, needs.lastLoad);
        };
        if (op.readsSrc)
          read(step.src);
        if (op.readsDst)
          read(step.dst);
        if (op.writesDst)
          finder.write(rank, step.dst, step.count, s.index());
      });
  finder.forEachResult([&](uint32_t step, uint32_t count) { uses[step].stores += count; });
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    ranks[r].firstLoad = chunks.size();
    ranks[r].loads = loadsOf[r].size();
    llvm::append_range(chunks, loadsOf[r]);
  }
}

/// TCM has no other users than loads and stores if the slots are elsewhere.
static SimTime tcmTime(const Machine &machine, const Pe &pe, Bytes size) {
  if (machine.memory.slots != PeMemory::Tcm)
    return SimTime();
  return pe.skewed(transferTime(size, machine.queue.read.rate));
}

SimTime LocalMemory::load(uint32_t rank, Pe &pe, SimTime from, Bytes size) const {
  const Rank &way = ranks[rank];
  SimTime atMemory = from + pe.skewed(placed.machine.memory.dmaOverhead + way.latency);
  return occupy(pe.memory.reading(PeMemory::Hbm), atMemory,
                pe.skewed(transferTime(size, way.rate))) +
         pe.skewed(way.latencyBack);
}

SimTime LocalMemory::keep(uint32_t rank, Pe &pe, SimTime arrival, Bytes size) const {
  // TCM takes the data as they arrive, if its port was free.
  SimTime time = tcmTime(placed.machine, pe, size);
  SimTime begin = arrival - std::min(time, pe.skewed(transferTime(size, ranks[rank].rate)));
  return std::max(arrival, occupy(pe.memory.writing(PeMemory::Tcm), begin, time));
}

SimTime LocalMemory::store(uint32_t rank, Pe &pe, SimTime from, Bytes size) const {
  const Rank &way = ranks[rank];
  SimTime reading = tcmTime(placed.machine, pe, size);
  SimTime read = occupy(pe.memory.reading(PeMemory::Tcm),
                        from + pe.skewed(placed.machine.memory.dmaOverhead), reading);
  // HBM takes the data as they arrive.
  SimTime there = pe.skewed(way.latency);
  SimTime written = occupy(pe.memory.writing(PeMemory::Hbm), read - reading + there,
                           pe.skewed(transferTime(size, way.rate)));
  return std::max(read + there, written) + pe.skewed(way.latencyBack);
}
