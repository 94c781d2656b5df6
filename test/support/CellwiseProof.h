//===- CellwiseProof.h - Races and values, cell by cell ---------*- C++ -*-===//
//
// A reference for the proof of plans with runs of cells that handles single cells:
// the first race, the values of all outputs with their hash, and the first
// incorrect one. Time and memory are proportional to the cells and to the chunks
// that steps move.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_CELLWISEPROOF_H
#define CCL_TEST_SUPPORT_CELLWISEPROOF_H

#include "NaivePlan.h"

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Proof/PostCondition.h"
#include "cclc/Proof/Races.h"

namespace cclc::test {

/// The first race in the order of ranks, of the steps of a run, of placements and of cells; the
/// last write precedes the reads since then, the latest first.
inline std::optional<Race> cellwiseRace(const ExecPlan &plan, PlanControlFlow &runner) {
  NaivePlan naive(plan);
  auto ordered = naive.closure(naive.edges(0)), throughSteps = naive.throughSteps(ordered);
  std::vector<std::vector<uint32_t>> order(plan.ranks());
  runner.run(Slots::unlimited(), [&](PlanThreadblockId tb, StepId step) {
    order[plan.threadblocks()[tb.index()].rank.index()].push_back(step.index());
  });
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    RankId rank(r);
    /// A step and the chunk of it that is the cell.
    struct Access {
      uint32_t step, chunk;
    };
    struct Cell {
      std::optional<Access> writer;
      std::vector<Access> readers;
    };
    std::vector<std::vector<Cell>> cells;
    for (Placement placement : plan.info().placements.list())
      cells.emplace_back(plan.cells(placement).cellsOfRank(rank));
    std::optional<Race> found;
    auto access = [&](uint32_t at, Operand operand, bool write) {
      for (size_t p = 0; p < cells.size() && !found; ++p) {
        Placement placement = plan.info().placements.list()[p];
        uint32_t first = plan.cells(placement).offsetInRank(rank, operand);
        for (uint32_t c = 0; c < plan.steps()[at].count && !found; ++c) {
          Cell &cell = cells[p][first + c];
          auto check = [&](Access earlier, bool earlierWrites) {
            const auto &paths = earlier.chunk > c ? throughSteps : ordered;
            if (!found && earlier.step != at && !paths[earlier.step][at])
              found =
                  Race{placement,     rank, operand.offsetBy(c), StepId(earlier.step), StepId(at),
                       earlierWrites, write};
          };
          if (cell.writer)
            check(*cell.writer, true);
          if (!write) {
            cell.readers.insert(cell.readers.begin(), {at, c});
            continue;
          }
          for (Access reader : cell.readers)
            check(reader, false);
          cell = {Access{at, c}, {}};
        }
      }
    };
    for (uint32_t at : order[r]) {
      const Step &step = plan.steps()[at];
      if (traits(step.op).readsSrc)
        access(at, step.src, false);
      if (traits(step.op).readsDst)
        access(at, step.dst, false);
      if (traits(step.op).writesDst)
        access(at, step.dst, true);
      if (found)
        return found;
    }
  }
  return std::nullopt;
}

/// A plan executed on symbolic values, one chunk at a time.
class CellwiseExecution {
public:
  CellwiseExecution(const ExecPlan &plan, const ConnectionTable &connections,
                    PlanControlFlow &runner, Placement placement)
      : plan(plan), space(plan.cells(placement)), values(plan.info().collective),
        cells(space.size(), ValueTable::undefined()) {
    const Collective &collective = plan.info().collective;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; collective.hasInput(RankId(r)) && c < collective.inputChunks(); ++c)
        at(RankId(r), Operand(Buffer::Input, c)) = values.contribution({RankId(r), c});
    std::vector<std::vector<ValueId>> fifos(connections.size());
    std::vector<size_t> taken(connections.size());
    runner.run(Slots::unlimited(), [&](PlanThreadblockId tb, StepId id) {
      const Step &step = plan.steps()[id.index()];
      const OpTraits &op = traits(step.op);
      RankId rank = plan.threadblocks()[tb.index()].rank;
      for (uint32_t c = 0; c < step.count; ++c) {
        ValueId value = op.readsSrc ? at(rank, step.src.offsetBy(c)) : ValueTable::undefined();
        if (op.receives) {
          ArrayRef<ConnectionId> from = connections.recvsOf(tb.index());
          SmallVector<ValueId, 8> addends;
          if (op.readsSrc && from.size() == 1)
            addends.push_back(value);
          for (ConnectionId in : from)
            addends.push_back(fifos[in.index()][taken[in.index()]++]);
          if (op.readsSrc && from.size() > 1)
            addends.push_back(value);
          value = addends.front();
          for (size_t i = 1; i < addends.size(); ++i)
            value = from.size() == 1 ? values.combine(value, addends[i], WriterId(id.index()))
                                     : values.combine(value, addends[i], WriterId(id.index()), 1,
                                                      {i == 1, i + 1 == addends.size()});
        } else if (op.readsDst) {
          value = values.combine(at(rank, step.dst.offsetBy(c)), value, WriterId(id.index()));
        }
        if (op.writesDst)
          at(rank, step.dst.offsetBy(c)) = value;
        if (op.sends)
          for (ConnectionId out : connections.sendsOf(tb.index()))
            fifos[out.index()].push_back(value);
      }
    });
  }

  std::string expression(RankId rank, uint32_t chunk) {
    return values.expression(at(rank, Operand(Buffer::Output, chunk)));
  }

  /// The hash of published plans, which golden plans and reports of users contain.
  uint64_t reductionHash() {
    uint64_t hash = 0;
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < plan.info().collective.outputChunks(); ++c) {
        hash = (hash ^ hashOf(at(RankId(r), Operand(Buffer::Output, c)))) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
      }
    return hash;
  }

  /// The cells with incorrect values.
  std::vector<std::pair<uint32_t, uint32_t>> wrongOutputs() {
    std::vector<std::pair<uint32_t, uint32_t>> wrong;
    PostCondition condition(plan.info().collective, values);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < plan.info().collective.outputChunks(); ++c)
        if (!condition.holds(RankId(r), c, at(RankId(r), Operand(Buffer::Output, c))))
          wrong.emplace_back(r, c);
    return wrong;
  }

private:
  ValueId &at(RankId rank, Operand operand) { return cells[space.cell(rank, operand)]; }

  static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  uint64_t hashOf(ValueId v) {
    if (v == ValueTable::undefined())
      return 0;
    if (auto it = hashes.find(v.index()); it != hashes.end())
      return it->second;
    uint64_t hash;
    std::optional<ValueTable::InSwitch> part =
        values.isSum(v) ? values.partInSwitch(v) : std::nullopt;
    if (part) { // of all operands, since no cell has a partial sum
      hash = mix(hashOf(values.rhs(v)) + 2);
      ValueId sum = v;
      for (; !values.partInSwitch(sum)->begins; hash += mix(hashOf(values.rhs(sum)) + 2))
        sum = values.lhs(sum);
      hash = mix((hash + mix(hashOf(values.lhs(sum)) + 2)) ^ 0xd1b54a32d192ed03u);
    } else if (values.isSum(v)) {
      hash = mix(3 * hashOf(values.lhs(v)) + 5 * mix(hashOf(values.rhs(v))) + 1);
    } else {
      Contribution c = values.asContribution(v);
      hash = mix((uint64_t(c.rank.index()) << 32 | c.index) + 0x9e3779b97f4a7c15u);
    }
    return hashes[v.index()] = hash;
  }

  const ExecPlan &plan;
  CellSpace space;
  ValueTable values;
  std::vector<ValueId> cells;
  std::map<uint32_t, uint64_t> hashes;
};

/// \p plan with \p factor chunks for each of its own, which are moved together: the same algorithm
/// with larger counts.
inline ExecPlan widened(const ExecPlan &plan, uint32_t factor) {
  ProgramInfo info = plan.info();
  const Collective &collective = info.collective;
  if (const CustomSpec *custom = collective.custom()) {
    CustomSpec spec;
    spec.inputChunks = custom->inputChunks * factor;
    spec.outputChunks = custom->outputChunks * factor;
    for (const CustomSpec::Output &output : custom->outputs)
      for (uint32_t i = 0; i < factor; ++i) {
        CustomSpec::Output wide{output.rank, output.index * factor + i, {}};
        for (Contribution c : output.contributions)
          wide.contributions.push_back({c.rank, c.index * factor + i});
        spec.outputs.push_back(wide);
      }
    info.collective = Collective(collective.ranks(), std::move(spec));
  } else {
    info.collective = Collective(collective.kind(), collective.ranks(),
                                 collective.chunks() * factor, collective.root());
  }
  ExecPlanBuilder builder(info);
  builder.setSlots(plan.slots());
  auto wide = [&](Operand operand) {
    return operand.isNone() ? operand : Operand(operand.buffer(), operand.index() * factor);
  };
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    builder.setScratch(RankId(r), plan.scratchChunks()[r] * factor);
  for (const Threadblock &tb : plan.threadblocks()) {
    builder.beginThreadblock(tb.rank, plan.sendPeers(tb), plan.recvPeers(tb), tb.channel);
    for (const Step &old : plan.steps(tb)) {
      Step step = old;
      step.src = wide(old.src);
      step.dst = wide(old.dst);
      step.count *= factor;
      builder.addStep(step);
    }
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  if (failed(result))
    llvm::report_fatal_error("a widened plan is malformed");
  return std::move(*result);
}

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_CELLWISEPROOF_H
