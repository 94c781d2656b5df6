//===- SymbolicMemory.h - Memory of symbolic values -------------*- C++ -*-===//

#ifndef CCL_PROOF_SYMBOLICMEMORY_H
#define CCL_PROOF_SYMBOLICMEMORY_H

#include "cclc/IR/CellSpace.h"
#include "cclc/Proof/Concatenations.h"
#include "cclc/Proof/PostCondition.h"
#include "cclc/Support/RunMap.h"

namespace cclc {

/// Whether a range of cells that is moved becomes one run. Cells of such a range have no writers,
/// and sums no origins, so that errors are found but not explained.
/// Ranges are joined only if all ranks expect the same values, as then they share the joined
/// ranges.
enum class Ranges : uint8_t { Separate, Joined };

/// The cells of all ranks during symbolic execution under one placement. They start with the
/// collective's pre-condition.
class SymbolicMemory {
public:
  struct Cell {
    ValueId value = ValueTable::undefined();
    OptionalId<WriterId> writer;
    Cell advanced(uint32_t n) const { return {ValueTable::advanced(value, n), writer}; }
  };

  /// \p cellwise selects the ranks with arrays instead of runs of cells (RunMap.h). \p ranges joins
  /// the runs of ranges that are moved.
  SymbolicMemory(const Collective &collective, CellSpace space,
                 llvm::function_ref<bool(RankId)> cellwise, Ranges ranges = Ranges::Separate);

  ValueTable values;

  Cell at(RankId rank, Operand operand) const {
    Cell cell = cells[rank.index()].at(space.offsetInRank(rank, operand));
    cell.value = joined.resolve(cell.value);
    return cell;
  }
  void set(RankId rank, Operand operand, const Cell &cell) {
    cells[rank.index()].set(space.offsetInRank(rank, operand), cell);
  }

  /// The values of \p count cells.
  ValueRuns read(RankId rank, Operand first, uint32_t count) const;
  /// The same for values that are moved: one run if ranges are joined.
  ValueRuns readMoved(RankId rank, Operand first, uint32_t count);
  void write(RankId rank, Operand first, ArrayRef<ValueRun> values, WriterId writer);
  /// Reduces two lists of runs with equal numbers of values, chunk by chunk; \p part: in a switch.
  ValueRuns combine(ArrayRef<ValueRun> lhs, ArrayRef<ValueRun> rhs, WriterId origin,
                    std::optional<ValueTable::InSwitch> part = std::nullopt);

  /// Calls fn(chunk, length, cell) for the runs of cells in the output of \p rank.
  template <class Fn> void forOutputs(RankId rank, Fn fn) const {
    Operand output(Buffer::Output, 0);
    if (collective.outputChunks() == 0)
      return;
    uint32_t first = space.offsetInRank(rank, output);
    cells[rank.index()].forRuns(
        first, collective.outputChunks(),
        [&](uint32_t at, uint32_t length, const Cell &cell) { fn(at - first, length, cell); });
  }
  /// The values of the output cells of \p rank.
  std::vector<ValueId> outputs(RankId rank) const;
  /// A hash of the expressions in all output cells: equal hashes imply bit-equal results.
  uint64_t reductionHash() const;

  Placement placement() const { return space.placement(); }
  /// Whether no id denotes both a sum and an element of a joined range. Otherwise the contents are
  /// meaningless.
  bool hasDistinctIds() const { return !joined.contains(values.lastId()); }

  /// An output cell that violates the post-condition.
  struct WrongOutput {
    Cell cell;
    RankId rank;
    uint32_t index; ///< of the output
    /// "wrong result: r1:o[0]: expected ..., but ... (3 more wrong cells)".
    std::string text;
    std::optional<Culprit> culprit; ///< not searched for if values have no origins
  };
  /// The first wrong output by rank and index.
  std::optional<WrongOutput> findWrongOutput() const;

private:
  const Collective &collective;
  CellSpace space;
  Ranges ranges;
  Concatenations joined;
  std::vector<RunMap<Cell>> cells; ///< by rank
};

} // namespace cclc

#endif // CCL_PROOF_SYMBOLICMEMORY_H
