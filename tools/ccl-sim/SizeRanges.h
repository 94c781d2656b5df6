//===- SizeRanges.h - Which size uses which file ----------------*- C++ -*-===//
//
// A runtime with several files takes the first one whose range holds the size of the
// message. Between two ranges it uses none of them, and where ranges overlap the order in
// which it found the files decides.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_SIZERANGES_H
#define CCL_TOOLS_CCL_SIM_SIZERANGES_H

#include "cclc/Msccl/Lint.h"

namespace cclc {

/// Whose range it is; of an overlap, both files.
struct SizeRange : MscclRange {
  size_t file = 0, other = 0;
};

/// What one runtime does for one collective.
struct SizeRanges {
  const MscclDialect *dialect;
  std::string collective;
  int64_t ranks;
  Placement placement;
  std::vector<SizeRange> ranges;   ///< ascending
  std::vector<SizeRange> gaps;     ///< between the ranges
  std::vector<SizeRange> overlaps; ///< each with the range that reached furthest
};

/// Of the files that \p dialect does not refuse; \p files by their numbers.
std::vector<SizeRanges> sizeRanges(ArrayRef<MscclLint> files, const MscclDialect &dialect);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIZERANGES_H
