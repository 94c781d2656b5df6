//===- LastWriters.h - The writers of cells so far --------------*- C++ -*-===//
//
// While operations are listed in an order in which they can be executed: the one that last wrote
// each cell, and what has accessed the cell since.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_EMIT_LASTWRITERS_H
#define CCL_LIB_MSCCLPP_EMIT_LASTWRITERS_H

#include "cclc/IR/CellSpace.h"

#include <vector>

namespace cclc::mscclpp {

/// Cells of one rank: \p count from \p first on.
struct CellRange {
  RankId rank;
  Operand first;
  uint32_t count;
};

class LastWriters {
public:
  explicit LastWriters(CellSpace space) : space(std::move(space)), cells(this->space.size()) {}

  void read(const CellRange &range, uint32_t by) {
    forEach(range, [&](Cell &cell) {
      cell.wasRead = true;
      cell.lastAccess = by;
    });
  }
  void write(const CellRange &range, uint32_t by) {
    forEach(range, [&](Cell &cell) { cell = {by, by, false}; });
  }

  struct Writer {
    OptionalIndex of;     ///< the writer of all cells, if it is one
    bool wasRead = false; ///< whether a cell was read since it was written
  };
  Writer find(const CellRange &range) const {
    Writer found;
    bool isFirst = true, isOne = true;
    forEach(range, [&](const Cell &cell) {
      isOne &= isFirst || cell.writer == found.of;
      found.of = cell.writer;
      found.wasRead |= cell.wasRead;
      isFirst = false;
    });
    if (!isOne)
      found.of = {};
    return found;
  }

  /// Whether nothing after \p since has accessed the cells, or written them.
  bool isUntouched(const CellRange &range, uint32_t since, bool onlyWrites) const {
    bool untouched = true;
    forEach(range, [&](const Cell &cell) {
      const OptionalIndex &last = onlyWrites ? cell.writer : cell.lastAccess;
      untouched &= !last || *last <= since;
    });
    return untouched;
  }

private:
  struct Cell {
    OptionalIndex writer, lastAccess;
    bool wasRead = false;
  };
  template <class Fn> void forEach(const CellRange &range, Fn fn) {
    uint64_t first = space.cell(range.rank, range.first);
    for (uint32_t i = 0; i < range.count; ++i)
      fn(cells[first + i]);
  }
  template <class Fn> void forEach(const CellRange &range, Fn fn) const {
    const_cast<LastWriters *>(this)->forEach(range, [&](const Cell &cell) { fn(cell); });
  }

  CellSpace space;
  std::vector<Cell> cells;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_EMIT_LASTWRITERS_H
