//===- Arrange.h - Where the nodes of folded pictures stand -----*- C++ -*-===//

#ifndef CCL_LIB_DOT_ARRANGE_H
#define CCL_LIB_DOT_ARRANGE_H

#include "cclc/IR/Geometry.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

/// In points, to the right and upwards.
struct DotPoint {
  int64_t x, y;
};

/// A place for every member of a hierarchy, numbered with the innermost level running fastest; each
/// takes the room \p node. Grids look like what they are, and other levels are circles, of members
/// that are grids or circles themselves.
std::vector<DotPoint> arrange(ArrayRef<GridLevel> levels, DotPoint node);

/// \p columns times \p rows places, row by row from the top.
std::vector<DotPoint> arrangeTable(uint32_t columns, uint32_t rows, DotPoint node);

} // namespace cclc

#endif // CCL_LIB_DOT_ARRANGE_H
