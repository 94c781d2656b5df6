//===- PlanCover.h - The fewest plans that serve all cells ------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_TUNE_PLANCOVER_H
#define CCL_LIB_SEARCH_TUNE_PLANCOVER_H

#include "cclc/Support/LLVM.h"

#include <cstddef>
#include <vector>

namespace cclc {

/// The fewest sets that contain each of \p cells cells, ascending; of several such choices, one
/// with small numbers. A set has the numbers of its cells, and each cell is in some set. The result
/// has the fewest sets if they are found in some 100,000 steps, and otherwise none that the others
/// contain.
std::vector<size_t> fewestSets(size_t cells, ArrayRef<std::vector<size_t>> sets);

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_PLANCOVER_H
