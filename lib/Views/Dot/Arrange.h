//===- Arrange.h - Arranging the nodes of folded pictures -------*- C++ -*-===//

#ifndef CCL_LIB_VIEWS_DOT_ARRANGE_H
#define CCL_LIB_VIEWS_DOT_ARRANGE_H

#include "cclc/IR/Geometry.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

/// Coordinates in points, to the right and upwards.
struct DotPoint {
  int64_t x, y;
};

/// A position for every member of a hierarchy, numbered with the innermost level varying fastest,
/// with space \p node for each. Grids are drawn as grids and other levels as circles, whose members
/// may be grids or circles themselves.
std::vector<DotPoint> arrange(ArrayRef<GridLevel> levels, DotPoint node);

/// \p columns times \p rows positions, row by row from the top.
std::vector<DotPoint> arrangeTable(uint32_t columns, uint32_t rows, DotPoint node);

} // namespace cclc

#endif // CCL_LIB_VIEWS_DOT_ARRANGE_H
