//===- Layout.h - Where single nodes stand ----------------------*- C++ -*-===//
//
// Graphviz does not keep clusters in an order. The layout is simple enough to be made
// here: ranks stand side by side, time runs downwards. The row of a node is the
// longest path that leads to it, so that every edge points down; its lane is its
// column or, where there are none, that of the last node of its rank with the same
// chunk if that is free.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DOT_LAYOUT_H
#define CCL_LIB_DOT_LAYOUT_H

#include "Graph.h"

namespace cclc {

class DotLayout {
public:
  struct Place {
    uint32_t id;
    uint32_t rank, lane; ///< lanes are counted within the rank
    uint32_t row;
  };

  DotLayout(const DotGraph &graph, const DotSelection &selection,
            ArrayRef<std::optional<uint32_t>> chunks);

  /// Of the nodes that are shown: by rank, lane and row.
  ArrayRef<Place> places() const { return thePlaces; }
  /// Rows that are used, from 0 at the top.
  uint32_t numRows() const { return rows; }

private:
  std::vector<uint32_t> longestPaths(const DotGraph &graph) const;
  void compressRows();
  void giveLanes(MutableArrayRef<Place> rank, ArrayRef<std::optional<uint32_t>> chunks);

  std::vector<Place> thePlaces;
  uint32_t rows = 0;
};

} // namespace cclc

#endif // CCL_LIB_DOT_LAYOUT_H
