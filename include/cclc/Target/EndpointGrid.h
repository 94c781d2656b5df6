//===- EndpointGrid.h - Coordinates of endpoints ----------------*- C++ -*-===//

#ifndef CCL_TARGET_ENDPOINTGRID_H
#define CCL_TARGET_ENDPOINTGRID_H

#include <cstdint>
#include <vector>

namespace cclc {

/// The coordinates of endpoints in a grid with any number of dimensions. Places may be empty.
struct EndpointGrid {
  std::vector<uint32_t> sizes; ///< of the dimensions; places along dimension 0 are consecutive
  /// By dimension: links between blocks of this number of coordinates may be slower than those
  /// inside a block. The size of the dimension if there are no blocks.
  std::vector<uint32_t> blocks;
  std::vector<uint32_t> places; ///< by endpoint
};

} // namespace cclc

#endif // CCL_TARGET_ENDPOINTGRID_H
