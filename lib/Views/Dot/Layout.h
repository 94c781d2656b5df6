//===- Layout.h - Placing single nodes --------------------------*- C++ -*-===//
//
// Graphviz does not keep the order of clusters, so the layout is computed here: ranks are side by
// side, and time runs downwards. The row of a node is the length of the longest path to it, so that
// every edge points down. Its lane is its column or, without columns, that of the last node of its
// rank with the same chunk if that is free. If lanes are limited, the nodes of one row that exceed
// them are in further rows below it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_DOT_LAYOUT_H
#define CCL_LIB_VIEWS_DOT_LAYOUT_H

#include "Graph.h"

namespace cclc {

class DotLayout {
public:
  struct Place {
    uint32_t id;
    uint32_t rank, lane; ///< lanes are counted within the rank
    uint32_t row;
  };

  /// Without columns, a rank has at most \p mostLanes lanes.
  DotLayout(const DotGraph &graph, const DotSelection &selection,
            ArrayRef<std::optional<uint32_t>> chunks, uint32_t mostLanes);

  /// The nodes that are shown, by rank, lane and row.
  ArrayRef<Place> places() const { return thePlaces; }
  /// The number of rows, from 0 at the top.
  uint32_t numRows() const { return rows; }

private:
  std::vector<uint32_t> longestPaths(const DotGraph &graph) const;
  void compressRows();
  void splitRows(uint32_t mostLanes);
  void giveLanes(MutableArrayRef<Place> rank, ArrayRef<std::optional<uint32_t>> chunks);

  std::vector<Place> thePlaces;
  uint32_t rows = 0;
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_DOT_LAYOUT_H
