//===- SizeRanges.h - Ranges of sizes of files ------------------*- C++ -*-===//
//
// A runtime with several files uses the first one whose range contains the size of the message. For
// sizes between two ranges it uses none of them, and if ranges overlap, the choice depends on the
// order in which it found the files.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_SIZERANGES_H
#define CCL_TOOLS_LINT_SIZERANGES_H

#include "cclc/Formats/Msccl/Lint.h"

#include <map>

namespace cclc {

/// A range with its file, or both files for an overlap.
struct SizeRange : MscclRange {
  size_t file = 0, other = 0;
};

/// The ranges of one runtime for one collective.
struct SizeRanges {
  std::string runtime;
  std::string collective;
  int64_t ranks;
  Placement placement;
  std::vector<SizeRange> ranges;   ///< ascending
  std::vector<SizeRange> gaps;     ///< between the ranges
  std::vector<SizeRange> overlaps; ///< each with the preceding range with the largest end
};

/// The ranges of files, added one by one.
class SizeTables {
public:
  void add(StringRef runtime, StringRef collective, int64_t ranks, Placement placement,
           const SizeRange &range);
  /// By collective, ranks and placement.
  std::vector<SizeRanges> take();

private:
  std::map<std::tuple<std::string, int64_t, Placement>, SizeRanges> tables;
};

/// The ranges of the files that \p dialect loads. Files are identified by their index in \p files.
std::vector<SizeRanges> sizeRanges(ArrayRef<MscclLint> files, const MscclDialect &dialect);

} // namespace cclc

#endif // CCL_TOOLS_LINT_SIZERANGES_H
