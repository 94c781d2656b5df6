//===- SelectionTable.h - Programs in the terms of runtimes -----*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H
#define CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H

#include "cclc/Formats/Selection/Selection.h"

#include <map>

namespace cclc {

/// The algorithms of runtimes that send the messages of a bundled program; 0 and null: none.
struct ProgramAlgorithms {
  const char *program;
  const char *nccl;
  uint32_t openMpi;
  /// Of MPI_Reduce_scatter_block; the previous member is of MPI_Reduce_scatter.
  uint32_t openMpiBlock;
  const char *mpich; ///< MPIR_<Collective>_intra_<this>
  /// Open MPI and MPICH have the algorithm for powers of two only.
  bool powersOfTwo = false;
};

/// Null if no runtime has the algorithm.
const ProgramAlgorithms *findAlgorithms(StringRef program);

/// Rows of one collective and number of ranks (and of nodes, if \c byNodes), by size.
using RowGroup = std::vector<const SelectionRow *>;
struct GroupKey {
  CollectiveKind collective;
  uint32_t ranks, ranksPerNode;
  friend auto operator<=>(const GroupKey &, const GroupKey &) = default;
};
std::map<GroupKey, RowGroup> groupRows(ArrayRef<SelectionRow> rows, bool byNodes);

/// "allreduce over 16 ranks, 0 to 65536 bytes: ".
std::string rowText(const SelectionRow &row);
/// Adds to \p file that \p runtime cannot express \p row.
void addMissing(const SelectionRow &row, StringRef runtime, SelectionFile &file);
/// The same for protocol and channels, unless they are Simple and 1.
void addMissingProtocol(const SelectionRow &row, StringRef runtime, SelectionFile &file);

constexpr bool isPowerOfTwo(uint32_t n) { return (n & (n - 1)) == 0; }

} // namespace cclc

#endif // CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H
