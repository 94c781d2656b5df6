//===- Races.cpp - Vector clocks, then reachability -----------------------===//
//
// Happens-before detection with vector clocks (Fidge, 1988; Mattern, 1989) on the cells of each
// rank finds the pairs of accesses that are not ordered inside the rank. For these, the whole graph
// G_inf is searched: a sweep over the steps in topological order propagates one bit for each of 64
// sources, so that k sources take O(k/64) sweeps. Lists of readers are immutable and shared between
// the cells that the same steps have read.
//
// A step with several chunks may be split into transmissions. A path that has only messages,
// through fused steps, orders transmission i of its first step before transmission i of its last
// step. Every other path contains the end of a step, which orders all transmissions. The sweep
// therefore has two bits for each source. An access to chunk i of a step that precedes an access to
// chunk j < i needs the second kind of path, as the smallest transmission is one chunk.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Races.h"

#include "RankClocks.h"
#include "RepeatedSends.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Support/Cellwise.h"
#include "cclc/Support/Parallel.h"
#include "cclc/Support/RunMap.h"
#include "cclc/Support/Watch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {

/// A step, in the order of completion in a run.
struct Completed {
  uint32_t threadblock;
  uint32_t step;
};

std::optional<StepId> waitTarget(const PlanControlFlow &runner, Completed at) {
  return runner.waitTarget(PlanThreadblockId(at.threadblock), StepId(at.step));
}

/// Finds the pairs of conflicting accesses that the clocks of their rank do not
/// order, rank by rank.
class RankScan {
public:
  RankScan(const ExecPlan &plan, const PlanControlFlow &runner, std::vector<Race> &open)
      : plan(plan), runner(runner), open(open) {
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
  }

  void scan(RankId rank, ArrayRef<Completed> steps) {
    Watch::look();
    RankClocks clocks(plan, rank);
    std::vector<RunMap<Cell>> cells;
    for (const CellSpace &space : spaces)
      cells.emplace_back(space.cellsOfRank(rank), Cell(),
                         isCellwise(space.cellsOfRank(rank), plan.steps(rank)));
    readers.clear();
    for (Completed at : steps) {
      const Step &step = plan.steps()[at.step];
      const OpTraits &op = traits(step.op);
      if (std::optional<StepId> target = waitTarget(runner, at)) {
        uint32_t owner = plan.firstThreadblock(rank) + step.wait()->tb.index();
        clocks.wait(at.threadblock, owner, target->index(),
                    target->index() - plan.threadblocks()[owner].firstStep);
      }
      if (op.readsSrc)
        access(rank, clocks, cells, at, step.src, step.count, /*write=*/false);
      if (op.readsDst)
        access(rank, clocks, cells, at, step.dst, step.count, /*write=*/false);
      if (op.writesDst)
        access(rank, clocks, cells, at, step.dst, step.count, /*write=*/true);
      if (step.publishes)
        clocks.publish(at.threadblock, at.step);
    }
  }

private:
  struct Cell {
    OptionalIndex writerTb;  ///< threadblock of the last write
    uint32_t writerStep = 0; ///< its step
    OptionalIndex readers;   ///< a list linked by Reader::next
    Cell advanced(uint32_t) const { return *this; }
  };
  /// Lists are immutable, so that cells that were in one run share a list.
  struct Reader {
    Completed at;
    uint32_t first; ///< offset of its operand in the rank
    OptionalIndex next;
  };

  void access(RankId rank, const RankClocks &clocks, std::vector<RunMap<Cell>> &cells, Completed at,
              Operand operand, uint32_t count, bool write) {
    for (size_t s = 0; s < spaces.size(); ++s) {
      uint32_t first = spaces[s].offsetInRank(rank, operand);
      // Neighbouring cells were often read by the same steps.
      OptionalIndex lastList, lastLonger;
      cells[s].update(first, count, [&](uint32_t offset, uint32_t, Cell &cell) {
        auto isOrdered = [&](Completed earlier) {
          return earlier.threadblock == at.threadblock ||
                 clocks.knows(at.threadblock, earlier.threadblock,
                              earlier.step - plan.threadblocks()[earlier.threadblock].firstStep);
        };
        auto add = [&](Completed earlier, uint32_t earlierFirst, bool earlierWrites) {
          Race race{spaces[s].placement(),
                    rank,
                    operand.offsetBy(offset - first),
                    StepId(earlier.step),
                    StepId(at.step),
                    earlierWrites,
                    write,
                    /*needsWholeStep=*/first > earlierFirst};
          if (open.empty() || open.back().earlier != race.earlier ||
              open.back().later != race.later || open.back().needsWholeStep != race.needsWholeStep)
            open.push_back(race);
        };
        if (cell.writerTb && !isOrdered({*cell.writerTb, cell.writerStep}))
          add({*cell.writerTb, cell.writerStep},
              spaces[s].offsetInRank(rank, plan.steps()[cell.writerStep].dst), true);
        if (write) {
          for (OptionalIndex r = cell.readers; r; r = readers[*r].next)
            if (!isOrdered(readers[*r].at))
              add(readers[*r].at, readers[*r].first, false);
          cell = {at.threadblock, at.step, {}};
          return;
        }
        if (!lastLonger || cell.readers != lastList) {
          lastList = cell.readers;
          lastLonger = readers.size();
          readers.push_back({at, first, cell.readers});
        }
        cell.readers = lastLonger;
      });
    }
  }

  const ExecPlan &plan;
  const PlanControlFlow &runner;
  std::vector<Race> &open;
  std::vector<CellSpace> spaces;
  std::vector<Reader> readers;
};

/// Answers "is there a path from a to b in G_inf" for many pairs, 64 different
/// sources in one sweep over all steps.
class Reachability {
public:
  Reachability(const ExecPlan &plan, const ConnectionTable &connections,
               const PlanControlFlow &runner, ArrayRef<Completed> order)
      : plan(plan), runner(runner), order(order), sendOf(plan.steps().size()),
        reached(plan.steps().size()) {
    for (const Connection &connection : connections.connections())
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t recv) {
        if (sendOf[recv])
          furtherSends[recv].push_back(send);
        else
          sendOf[recv] = send;
      });
  }

  /// The first of \p pairs without a path that orders its accesses.
  std::optional<Race> findUnordered(ArrayRef<Race> pairs) {
    while (!pairs.empty()) {
      // Pairs whose sources fit into one mask.
      llvm::DenseMap<uint32_t, unsigned> bit;
      size_t n = 0;
      for (; n < pairs.size(); ++n) {
        if (bit.size() == 64 && !bit.count(pairs[n].earlier.index()))
          break;
        bit.try_emplace(pairs[n].earlier.index(), bit.size());
      }
      sweep(bit);
      for (const Race &race : pairs.take_front(n)) {
        const Sources &sources = reached[race.later.index()];
        auto has = [&](uint64_t mask) { return bool(mask >> bit[race.earlier.index()] & 1); };
        if (has(sources.byStep) || (has(sources.byMessages) && !race.needsWholeStep))
          continue;
        Race found = race;
        found.ifSplit = has(sources.byMessages);
        return found;
      }
      pairs = pairs.drop_front(n);
    }
    return std::nullopt;
  }

private:
  /// The sources from which a path leads to a step.
  struct Sources {
    uint64_t byStep = 0;     ///< through the end of a step
    uint64_t byMessages = 0; ///< only through messages of fused steps
    uint64_t all() const { return byStep | byMessages; }
  };

  void sweep(const llvm::DenseMap<uint32_t, unsigned> &bit) {
    for (Completed at : order) {
      Sources sources;
      if (at.step > plan.threadblocks()[at.threadblock].firstStep)
        sources.byStep |= reached[at.step - 1].all();
      if (std::optional<StepId> target = waitTarget(runner, at))
        sources.byStep |= reached[target->index()].all();
      auto received = [&](uint32_t send) {
        sources.byStep |= reached[send].byStep;
        sources.byMessages |= reached[send].byMessages;
      };
      if (sendOf[at.step])
        received(*sendOf[at.step]);
      if (auto further = furtherSends.find(at.step); further != furtherSends.end())
        for (uint32_t send : further->second)
          received(send);
      auto it = bit.find(at.step);
      if (it != bit.end())
        sources.byMessages |= uint64_t(1) << it->second;
      reached[at.step] = sources;
    }
  }

  const ExecPlan &plan;
  const PlanControlFlow &runner;
  ArrayRef<Completed> order;
  std::vector<OptionalIndex> sendOf; ///< by receiving step: the step that sends
  /// By step that receives from several ranks: the other steps that send.
  llvm::DenseMap<uint32_t, SmallVector<uint32_t, 8>> furtherSends;
  std::vector<Sources> reached;
};
} // namespace

/// The pairs of accesses that the clocks of their rank do not order. Sets \p order to the steps in
/// the order of a run, if there can be such a pair.
static std::vector<Race> scanRanks(const ExecPlan &plan, PlanControlFlow &runner,
                                   std::vector<Completed> &order, unsigned jobs = 1) {
  // Steps of one threadblock never race; most ranks of many plans have only one.
  auto concerned = [&](RankId rank) { return plan.numThreadblocks(rank) > 1; };
  bool any = false;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    any |= concerned(RankId(r));
  if (!any)
    return {};

  order.reserve(plan.steps().size());
  if (!runner.run(Slots::unlimited(), [&](PlanThreadblockId tb, StepId step) {
        order.push_back({tb.index(), step.index()});
      }))
    return {};

  // Sort by rank, keeping the order. The steps of a rank are contiguous in the plan.
  std::vector<Completed> byRank(order.size(), Completed{0, 0});
  std::vector<uint32_t> at(plan.ranks() + 1);
  for (const Threadblock &tb : plan.threadblocks())
    at[tb.rank.index() + 1] += tb.numSteps;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    at[r + 1] += at[r];
  std::vector<uint32_t> start = at;
  for (Completed c : order)
    byRank[at[plan.threadblocks()[c.threadblock].rank.index()]++] = c;

  // Ranks are independent of each other: groups of successive ranks, whose pairs are concatenated.
  const uint32_t groups = jobs <= 1 ? 1 : std::min(8 * jobs, plan.ranks());
  std::vector<std::vector<Race>> found(groups);
  parallelFor(jobs, groups, [&](size_t group) {
    RankScan scan(plan, runner, found[group]);
    auto first = [&](uint64_t g) { return uint32_t(g * plan.ranks() / groups); };
    for (uint32_t r = first(group); r < first(group + 1); ++r)
      if (concerned(RankId(r)))
        scan.scan(RankId(r), ArrayRef(byRank).slice(start[r], start[r + 1] - start[r]));
  });
  std::vector<Race> open = std::move(found[0]);
  for (ArrayRef<Race> more : ArrayRef(found).drop_front())
    open.insert(open.end(), more.begin(), more.end());
  return open;
}

std::optional<Race> cclc::findLocallyUnordered(const ExecPlan &plan, PlanControlFlow &runner) {
  std::vector<Completed> order;
  std::vector<Race> open = scanRanks(plan, runner, order);
  return open.empty() ? std::nullopt : std::optional(open.front());
}

std::optional<Race> cclc::findRace(const ExecPlan &plan, const ConnectionTable &connections,
                                   PlanControlFlow &runner, unsigned jobs) {
  auto find = [&]() -> std::optional<Race> {
    std::vector<Completed> order;
    std::vector<Race> open = scanRanks(plan, runner, order, jobs);
    if (open.empty())
      return std::nullopt;
    return Reachability(plan, connections, runner, order).findUnordered(open);
  };
  std::optional<Race> race = find();
  if (!race || !runner.hasOrder())
    return race;
  runner.forgetOrder(); // the same race is reported, whatever the runner has run before
  return find();
}

void cclc::reportRace(const ExecPlan &plan, const Race &race, DiagnosticEngine &diags) {
  auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
  DiagnosticEngine::InFlight error = diags.error(
      stepLocation(plan, race.later),
      formatv("race on r{0}:{1}[{2}]: {3} {4} it, {5} {6} it, and nothing orders the two{7}",
              race.rank.index(), bufferLetter(race.cell.buffer()), race.cell.index(),
              stepName(plan, race.earlier), verb(race.earlierWrites), stepName(plan, race.later),
              verb(race.laterWrites),
              race.ifSplit ? " if steps are split into transmissions" : ""));
  error.note(stepLocation(plan, race.earlier),
             formatv("{0} is here", stepName(plan, race.earlier)));
  if (std::optional<RepeatedSend> send =
          findRepeatedSend(plan, ConnectionTable(plan), race.placement, {race.later, race.earlier}))
    error.note(stepLocation(plan, send->again),
               formatv("{0} sends the same data as {1}", stepName(plan, send->again),
                       stepName(plan, send->first)));
}
