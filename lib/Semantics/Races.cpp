#include "cclc/Semantics/Races.h"

#include "cclc/IR/StepNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {

/// A step as it completed in a run.
struct Completed {
  uint32_t threadblock;
  uint32_t step;
};

/// What the threadblocks of one rank know of each other's progress: a vector
/// clock each, which stays empty until the threadblock waits for another one.
class RankClocks {
public:
  RankClocks(const ExecPlan &plan, RankId rank)
      : first(plan.firstThreadblock(rank)), clocks(plan.numThreadblocks(rank)) {}

  /// \p tb (index into the plan) waits for \p target of \p owner, its step
  /// number \p targetIndex.
  void wait(uint32_t tb, uint32_t owner, uint32_t target, uint32_t targetIndex) {
    std::vector<uint32_t> &clock = clocks[tb - first];
    clock.resize(clocks.size());
    auto it = snapshots.find(target);
    if (it != snapshots.end())
      for (size_t i = 0; i < clock.size(); ++i)
        clock[i] = std::max(clock[i], pool[it->second + i]);
    uint32_t &known = clock[owner - first];
    known = std::max(known, targetIndex + 1);
  }

  /// \p tb completed the publishing step \p step.
  void publish(uint32_t tb, uint32_t step) {
    const std::vector<uint32_t> &clock = clocks[tb - first];
    if (clock.empty())
      return;
    snapshots[step] = pool.size();
    pool.insert(pool.end(), clock.begin(), clock.end());
  }

  /// Whether step number \p index of \p other happened before what \p tb does now.
  bool knows(uint32_t tb, uint32_t other, uint32_t index) const {
    const std::vector<uint32_t> &clock = clocks[tb - first];
    return tb == other || (!clock.empty() && clock[other - first] > index);
  }

private:
  uint32_t first;
  std::vector<std::vector<uint32_t>> clocks;
  llvm::DenseMap<uint32_t, size_t> snapshots; ///< by step: where in the pool
  std::vector<uint32_t> pool;
};

/// Finds the pairs of conflicting accesses that the clocks of their rank do not
/// order, rank by rank.
class RankScan {
public:
  RankScan(const ExecPlan &plan, const PlanRunner &runner, std::vector<Race> &open)
      : plan(plan), runner(runner), open(open) {
    for (Placement placement : plan.info().placements.list())
      spaces.push_back(plan.cells(placement));
  }

  void scan(RankId rank, ArrayRef<Completed> steps) {
    RankClocks clocks(plan, rank);
    std::vector<std::vector<Cell>> cells;
    for (const CellSpace &space : spaces)
      cells.emplace_back(space.cellsOfRank(rank));
    readers.clear();
    for (Completed at : steps) {
      const Step &step = plan.steps()[at.step];
      const OpTraits &op = traits(step.op);
      if (std::optional<uint32_t> target = runner.waitTarget(at.threadblock, at.step)) {
        uint32_t owner = plan.firstThreadblock(rank) + step.wait()->tb.index();
        clocks.wait(at.threadblock, owner, *target, *target - plan.threadblocks()[owner].firstStep);
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
  static constexpr uint32_t none = ~uint32_t(0);
  struct Cell {
    Completed writer{none, none};
    uint32_t readers = none; ///< list through Reader::next
  };
  struct Reader {
    Completed at;
    uint32_t next;
  };

  void access(RankId rank, const RankClocks &clocks, std::vector<std::vector<Cell>> &cells,
              Completed at, Operand operand, uint32_t count, bool write) {
    for (size_t s = 0; s < spaces.size(); ++s) {
      uint32_t offset = spaces[s].offsetInRank(rank, operand);
      for (uint32_t c = 0; c < count; ++c) {
        Cell &cell = cells[s][offset + c];
        auto check = [&](Completed earlier, bool earlierWrites) {
          uint32_t index = earlier.step - plan.threadblocks()[earlier.threadblock].firstStep;
          if (!clocks.knows(at.threadblock, earlier.threadblock, index))
            open.push_back({spaces[s].placement(), rank, operand.offsetBy(c), earlier.step, at.step,
                            earlierWrites, write});
        };
        if (cell.writer.step != none)
          check(cell.writer, true);
        if (write) {
          for (uint32_t r = cell.readers; r != none; r = readers[r].next)
            if (readers[r].at.step != at.step)
              check(readers[r].at, false);
          cell = {at, none};
        } else {
          readers.push_back({at, cell.readers});
          cell.readers = readers.size() - 1;
        }
      }
    }
  }

  const ExecPlan &plan;
  const PlanRunner &runner;
  std::vector<Race> &open;
  std::vector<CellSpace> spaces;
  std::vector<Reader> readers;
};

/// Answers "is there a path from a to b in G_inf" for many pairs, 64 different
/// sources in one sweep over all steps.
class Reachability {
public:
  Reachability(const ExecPlan &plan, const ConnectionTable &connections, const PlanRunner &runner,
               ArrayRef<Completed> order)
      : plan(plan), runner(runner), order(order), sendOf(plan.steps().size(), none),
        reached(plan.steps().size()) {
    for (const Connection &connection : connections.connections())
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t recv) { sendOf[recv] = send; });
  }

  /// Removes from \p pairs what is ordered after all.
  void removeOrdered(std::vector<Race> &pairs) {
    std::vector<Race> unordered;
    size_t next = 0;
    while (next < pairs.size()) {
      // Pairs whose sources fit into one mask.
      llvm::DenseMap<uint32_t, unsigned> bit;
      size_t begin = next;
      for (; next < pairs.size(); ++next) {
        if (bit.size() == 64 && !bit.count(pairs[next].earlier))
          break;
        bit.try_emplace(pairs[next].earlier, bit.size());
      }
      sweep(bit);
      for (size_t i = begin; i < next; ++i)
        if (!(reached[pairs[i].later] >> bit[pairs[i].earlier] & 1))
          unordered.push_back(pairs[i]);
    }
    pairs = std::move(unordered);
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);

  void sweep(const llvm::DenseMap<uint32_t, unsigned> &bit) {
    for (Completed at : order) {
      uint64_t mask = 0;
      if (at.step > plan.threadblocks()[at.threadblock].firstStep)
        mask |= reached[at.step - 1];
      if (std::optional<uint32_t> target = runner.waitTarget(at.threadblock, at.step))
        mask |= reached[*target];
      if (sendOf[at.step] != none)
        mask |= reached[sendOf[at.step]];
      auto it = bit.find(at.step);
      if (it != bit.end())
        mask |= uint64_t(1) << it->second;
      reached[at.step] = mask;
    }
  }

  const ExecPlan &plan;
  const PlanRunner &runner;
  ArrayRef<Completed> order;
  std::vector<uint32_t> sendOf; ///< by receiving step: the step that sends
  std::vector<uint64_t> reached;
};
} // namespace

std::optional<Race> cclc::findRace(const ExecPlan &plan, const ConnectionTable &connections,
                                   PlanRunner &runner) {
  // Steps of one threadblock never race; most ranks of many plans have only one.
  auto concerned = [&](RankId rank) { return plan.numThreadblocks(rank) > 1; };
  bool any = false;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    any |= concerned(RankId(r));
  if (!any)
    return std::nullopt;

  std::vector<Completed> order;
  order.reserve(plan.steps().size());
  runner.run(Slots::unlimited(), [&](uint32_t tb, uint32_t step) { order.push_back({tb, step}); });

  // The same order, rank by rank. The steps of a rank are contiguous in the plan.
  std::vector<Completed> byRank(order.size(), Completed{0, 0});
  std::vector<uint32_t> at(plan.ranks() + 1);
  for (const Threadblock &tb : plan.threadblocks())
    at[tb.rank.index() + 1] += tb.numSteps;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    at[r + 1] += at[r];
  std::vector<uint32_t> start = at;
  for (Completed c : order)
    byRank[at[plan.threadblocks()[c.threadblock].rank.index()]++] = c;

  std::vector<Race> open;
  RankScan scan(plan, runner, open);
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    if (concerned(RankId(r)))
      scan.scan(RankId(r), ArrayRef(byRank).slice(start[r], start[r + 1] - start[r]));
  if (!open.empty())
    Reachability(plan, connections, runner, order).removeOrdered(open);
  return open.empty() ? std::nullopt : std::optional(open.front());
}

void cclc::reportRace(const ExecPlan &plan, const Race &race, DiagnosticEngine &diags) {
  auto verb = [](bool writes) { return writes ? "writes" : "reads"; };
  diags
      .error(stepLocation(plan, race.later),
             formatv("race on r{0}:{1}[{2}]: {3} {4} it, {5} {6} it, and nothing orders the two",
                     race.rank.index(), bufferLetter(race.cell.buffer()), race.cell.index(),
                     stepName(plan, race.earlier), verb(race.earlierWrites),
                     stepName(plan, race.later), verb(race.laterWrites)))
      .note(stepLocation(plan, race.earlier), formatv("{0} is here", stepName(plan, race.earlier)));
}
