//===- ShortestPaths.h - Shortest paths of a graph --------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SHORTESTPATHS_H
#define CCL_SUPPORT_SHORTESTPATHS_H

#include "cclc/Support/Grouped.h"
#include "cclc/Support/Ids.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <queue>

namespace cclc {

/// Shortest paths from one node after the other (Dijkstra, Numerische Mathematik 1, 1959). Lengths
/// are not negative.
template <class Length> class ShortestPaths {
public:
  /// \p arcs have the members `from` and `to`, below \p nodes.
  template <class Arcs>
  ShortestPaths(uint32_t nodes, const Arcs &arcs)
      : out(nodes, arcs.size(), [&](uint32_t a) { return arcs[a].from; }), reached(nodes),
        arrived(nodes), distances(nodes), entries(nodes) {
    for (const auto &arc : arcs)
      ends.push_back(arc.to);
  }

  /// \p lengths are those of the arcs. Ends at the first node for which \p isLast is true.
  void from(uint32_t source, ArrayRef<Length> lengths,
            llvm::function_ref<bool(uint32_t)> isLast = nullptr) {
    std::fill(entries.begin(), entries.end(), OptionalIndex());
    std::fill(arrived.begin(), arrived.end(), false);
    std::fill(reached.begin(), reached.end(), false);
    order.clear();
    distances[source] = Length(0);
    reached[source] = true;
    queue.emplace(Length(0), source);
    while (!queue.empty()) {
      auto [distance, node] = queue.top();
      queue.pop();
      if (arrived[node])
        continue;
      arrived[node] = true;
      order.push_back(node);
      if (isLast && isLast(node)) {
        queue = {};
        return;
      }
      for (uint32_t a : out[node]) {
        uint32_t to = ends[a];
        Length longer = distance + lengths[a];
        if (reached[to] && distances[to] <= longer)
          continue;
        reached[to] = true;
        distances[to] = longer;
        entries[to] = a;
        queue.emplace(longer, to);
      }
    }
  }

  bool reaches(uint32_t node) const { return reached[node]; }
  Length distance(uint32_t node) const { return distances[node]; }
  /// The last arc on the path to a node; none for the source.
  OptionalIndex entry(uint32_t node) const { return entries[node]; }
  /// The nodes that are reached, by distance.
  ArrayRef<uint32_t> byDistance() const { return order; }

private:
  using Entry = std::pair<Length, uint32_t>;
  Grouped out;                ///< the arcs out of each node
  std::vector<uint32_t> ends; ///< by arc
  std::vector<bool> reached, arrived;
  std::vector<Length> distances;
  std::vector<OptionalIndex> entries;
  std::vector<uint32_t> order;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

} // namespace cclc

#endif // CCL_SUPPORT_SHORTESTPATHS_H
