//===- Selection.h - Choices of algorithms for other runtimes ---*- C++ -*-===//
//
// NCCL, Open MPI and MPICH select one of their own algorithms by collective, ranks and size. These
// functions write a portfolio as the file with which such a selection is replaced. A row is
// expressible if the runtime has the algorithm of its program; all other rows are listed, and the
// runtime selects for their sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_SELECTION_SELECTION_H
#define CCL_FORMATS_SELECTION_SELECTION_H

#include "cclc/Formats/Selection/NativeAlgorithms.h"

#include <vector>

namespace cclc {

/// A range of sizes and the plan that is used for it. Sizes are those of `--bytes`: the output of
/// all-gather and gather, else the input.
struct SelectionRow {
  CollectiveKind collective;
  uint32_t ranks;
  uint32_t ranksPerNode;
  uint64_t minBytes, maxBytes; ///< both inclusive
  std::string program;         ///< the name of a bundled program
  Protocol protocol = Protocol::Simple;
  uint32_t channels = 1;
  /// The bytes of a chunk, if the program divides the buffer into more than its algorithm needs;
  /// else 0.
  uint64_t segmentBytes = 0;
  /// The parameters of the program that differ from their defaults.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  bool hasReducingSwitches = false; ///< as in NativeSite
};

inline NativeSite siteOf(const SelectionRow &row) {
  return {row.ranks, row.ranksPerNode, row.hasReducingSwitches};
}

struct SelectionFile {
  std::string text;
  /// Whether the file selects an algorithm for any row.
  bool selects = false;
  /// One line for each row, or property of a row, that the file does not express.
  std::vector<std::string> notExpressed;
};

/// The comma-separated file of NCCL's example tuner plugin, which RCCL reads as well. Rows of one
/// collective and number of ranks must not overlap. The first one also holds for smaller sizes and
/// the last one for larger sizes; this applies to all files.
SelectionFile ncclTunerCsv(ArrayRef<SelectionRow> rows);

/// The dynamic rules of Open MPI's component coll/tuned, as all releases up to 5.0 read them.
/// Protocol, channels and ranks per node are not expressible. 6.0 applies the rules of a number of
/// ranks to smaller numbers.
SelectionFile openMpiRules(ArrayRef<SelectionRow> rows);

/// The same rules as JSON, which Open MPI reads from 6.0 on.
SelectionFile openMpiJson(ArrayRef<SelectionRow> rows);

/// The tuning file of MPICH. It replaces the selection of MPICH for all collectives and
/// communicators: those that no row covers have one algorithm, which is always applicable.
SelectionFile mpichTuning(ArrayRef<SelectionRow> rows);

} // namespace cclc

#endif // CCL_FORMATS_SELECTION_SELECTION_H
