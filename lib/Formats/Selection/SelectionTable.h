//===- SelectionTable.h - Rows in the terms of runtimes ---------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H
#define CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H

#include "cclc/Formats/Selection/Selection.h"

#include <map>

namespace cclc {

/// The algorithm of \p runtime that sends the messages of \p row; null: there is none. \p call
/// names one of the collectives of the runtime with one CollectiveKind; empty: any.
const NativeAlgorithm *findNative(SelectingRuntime runtime, const SelectionRow &row,
                                  StringRef call = "");

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

} // namespace cclc

#endif // CCL_LIB_FORMATS_SELECTION_SELECTIONTABLE_H
