//===- SymbolicMemory.h - All cells of all ranks, symbolically --*- C++ -*-===//

#ifndef CCL_SEMANTICS_SYMBOLICMEMORY_H
#define CCL_SEMANTICS_SYMBOLICMEMORY_H

#include "cclc/IR/CellSpace.h"
#include "cclc/Semantics/PostCondition.h"

namespace cclc {

/// The operation, instruction or step that wrote a cell: whatever is executed.
CCL_DEFINE_ID(WriterId, "");

/// The memory on which a program is executed symbolically, one placement at a
/// time. It starts with the collective's pre-condition.
class SymbolicMemory {
public:
  struct Cell {
    ValueId value = ValueTable::undefined();
    OptionalId<WriterId> writer;
  };

  SymbolicMemory(const Collective &collective, CellSpace space);

  ValueTable values;

  /// The cells from \p operand on.
  Cell *at(RankId rank, Operand operand) { return cells.data() + space.cell(rank, operand); }
  const Cell *at(RankId rank, Operand operand) const {
    return cells.data() + space.cell(rank, operand);
  }
  Placement placement() const { return space.placement(); }

  /// An output cell that does not hold what it must.
  struct WrongOutput {
    Cell cell;
    /// "wrong result: r1:o[0]: expected ..., but ... (3 more wrong cells)".
    std::string text;
  };
  /// The first one by rank and index.
  std::optional<WrongOutput> findWrongOutput() const;

private:
  const Collective &collective;
  CellSpace space;
  std::vector<Cell> cells;
};

} // namespace cclc

#endif // CCL_SEMANTICS_SYMBOLICMEMORY_H
