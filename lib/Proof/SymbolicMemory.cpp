//===- SymbolicMemory.cpp - Runs of symbolic values -----------------------===//
//
// The cells of each rank are a RunMap: successive cells whose values are successive ids are
// one run. combine() splits two lists of runs at each other's boundaries and adds one sum to
// the table for each part, so that a step over a run costs the same for any number of chunks. A
// range of several runs that is moved becomes one run, in its source as well, so that ranks that
// hold the same values hold the same ids.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/SymbolicMemory.h"

#include "cclc/Proof/ValueHashes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

SymbolicMemory::SymbolicMemory(const Collective &collective, CellSpace cellSpace,
                               llvm::function_ref<bool(RankId)> cellwise, Ranges ranges)
    : values(collective, /*keepsOrigins=*/ranges == Ranges::Separate), collective(collective),
      space(std::move(cellSpace)),
      ranges(PostCondition::isSameForAllRanks(collective) ? ranges : Ranges::Separate) {
  cells.reserve(collective.ranks());
  for (uint32_t r = 0; r < collective.ranks(); ++r) {
    cells.emplace_back(space.cellsOfRank(RankId(r)), Cell(), cellwise(RankId(r)));
    if (collective.hasInput(RankId(r)) && collective.inputChunks() > 0)
      cells.back().assign(space.offsetInRank(RankId(r), Operand(Buffer::Input, 0)),
                          collective.inputChunks(), Cell{values.contribution({RankId(r), 0}), {}});
  }
}

ValueRuns SymbolicMemory::read(RankId rank, Operand first, uint32_t count) const {
  ValueRuns runs;
  cells[rank.index()].forRuns(
      space.offsetInRank(rank, first), count,
      [&](uint32_t, uint32_t length, const Cell &cell) { runs.push_back({cell.value, length}); });
  return runs;
}

ValueRuns SymbolicMemory::readMoved(RankId rank, Operand first, uint32_t count) {
  if (ranges == Ranges::Separate || cells[rank.index()].isCellwise())
    return read(rank, first, count);
  ValueRuns runs = read(rank, first, count);
  if (runs.size() == 1 ||
      llvm::any_of(runs, [](ValueRun run) { return run.first == ValueTable::undefined(); }))
    return runs;
  std::optional<ValueId> whole = joined.join(runs);
  if (!whole)
    return runs;
  cells[rank.index()].assign(space.offsetInRank(rank, first), count, {*whole, {}});
  return {ValueRun{*whole, count}};
}

void SymbolicMemory::write(RankId rank, Operand first, ArrayRef<ValueRun> runs, WriterId writer) {
  uint32_t at = space.offsetInRank(rank, first);
  cells[rank.index()].expect(runs.size());
  for (const ValueRun &run : runs) {
    cells[rank.index()].assign(at, run.length, {run.first, writer});
    at += run.length;
  }
}

ValueRuns SymbolicMemory::combine(ArrayRef<ValueRun> lhs, ArrayRef<ValueRun> rhs, WriterId origin,
                                  std::optional<ValueTable::InSwitch> part) {
  auto isJoined = [&](ValueRun run) { return joined.contains(run.first); };
  if (!joined.empty() && (llvm::any_of(lhs, isJoined) || llvm::any_of(rhs, isJoined)))
    return combine(joined.resolve(lhs), joined.resolve(rhs), origin, part);
  ValueRuns result;
  uint32_t left = 0, right = 0; // the completed parts of the front runs
  while (!lhs.empty()) {
    uint32_t length = std::min(lhs.front().length - left, rhs.front().length - right);
    ValueId a = ValueTable::advanced(lhs.front().first, left),
            b = ValueTable::advanced(rhs.front().first, right);
    result.push_back(
        {part ? values.combine(a, b, origin, length, *part) : values.combine(a, b, origin, length),
         length});
    left += length;
    right += length;
    if (left == lhs.front().length)
      lhs = lhs.drop_front(), left = 0;
    if (right == rhs.front().length)
      rhs = rhs.drop_front(), right = 0;
  }
  return result;
}

std::vector<ValueId> SymbolicMemory::outputs(RankId rank) const {
  std::vector<ValueId> result;
  result.reserve(collective.outputChunks());
  forOutputs(rank, [&](uint32_t, uint32_t length, const Cell &cell) {
    for (ValueRun run : joined.resolve(ValueRun{cell.value, length}))
      for (uint32_t i = 0; i < run.length; ++i)
        result.push_back(ValueTable::advanced(run.first, i));
  });
  return result;
}

uint64_t SymbolicMemory::reductionHash() const {
  ValueHashes hashes(values);
  uint64_t hash = 0;
  // The multiplication makes the hash depend on the order of the cells.
  auto add = [&](uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    forOutputs(RankId(r), [&](uint32_t, uint32_t length, const Cell &cell) {
      if (length == 1)
        return add(hashes.of(joined.resolve(cell.value)));
      for (ValueRun run : joined.resolve(ValueRun{cell.value, length}))
        hashes.forBlocks(run, [&](ArrayRef<uint64_t> block) {
          for (uint64_t value : block)
            add(value);
        });
    });
  return hash;
}

std::optional<SymbolicMemory::WrongOutput> SymbolicMemory::findWrongOutput() const {
  if (!collective.hasPostCondition())
    return std::nullopt;
  PostCondition postCondition(collective, values);
  std::optional<WrongOutput> first;
  uint64_t more = 0;
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    forOutputs(RankId(r), [&](uint32_t chunk, uint32_t length, const Cell &cell) {
      postCondition.forRanges(
          RankId(r), chunk, {cell.value, length}, joined,
          [&](uint32_t begin, uint32_t count, bool holds) {
            if (holds)
              return;
            more += count;
            if (first)
              return;
            Cell wrong = cell.advanced(begin - chunk);
            wrong.value = joined.resolve(wrong.value);
            first =
                WrongOutput{wrong,
                            RankId(r),
                            begin,
                            "wrong result: " + postCondition.explain(RankId(r), begin, wrong.value),
                            {}};
            if (values.keepsOrigins())
              first->culprit = postCondition.culprit(RankId(r), begin, wrong.value);
            --more;
          });
    });
  if (more)
    first->text += formatv(" ({0} more wrong {1})", more, more == 1 ? "cell" : "cells");
  return first;
}
