//===- Layout.cpp - Rows by longest path, lanes by chunk ------------------===//
//
// Rows are a longest-path layering (the first phase of Sugiyama, Tagawa and Toda, IEEE SMC-11,
// 1981), computed in topological order (Kahn, CACM 5, 1962) over edges and columns, and then
// compressed to the rows in use. Lanes are assigned greedily, row by row: a node takes the last
// lane of its chunk if it is free, else the first free one. Linear in nodes and edges, apart from
// sorting. Nodes on a cycle, which only unverified plans have, keep the row reached so far.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace cclc;

DotLayout::DotLayout(const DotGraph &graph, const DotSelection &selection,
                     ArrayRef<std::optional<uint32_t>> chunks) {
  std::vector<uint32_t> row = longestPaths(graph);
  bool columns = false;
  for (uint32_t id = 0; id < graph.size(); ++id)
    if (selection.shows(id)) {
      std::optional<uint32_t> column = graph.column(id);
      columns |= column.has_value();
      thePlaces.push_back({id, graph.node(id).rank.index(), column.value_or(0), row[id]});
    }
  compressRows();
  std::sort(thePlaces.begin(), thePlaces.end(), [](const Place &a, const Place &b) {
    return std::tuple(a.rank, a.lane, a.row, a.id) < std::tuple(b.rank, b.lane, b.row, b.id);
  });
  for (size_t begin = 0, end; begin < thePlaces.size(); begin = end) {
    end = begin + 1;
    while (end < thePlaces.size() && thePlaces[end].rank == thePlaces[begin].rank)
      ++end;
    MutableArrayRef<Place> rank(thePlaces.data() + begin, end - begin);
    if (!columns) {
      giveLanes(rank, chunks);
      continue;
    }
    uint32_t lane = 0;
    for (size_t i = 0, last = rank[0].lane; i < rank.size(); ++i) {
      lane += std::exchange(last, rank[i].lane) != rank[i].lane;
      rank[i].lane = lane;
    }
  }
}

/// The longest path to each node over edges and columns. Initial chunks are directly above their
/// first use.
std::vector<uint32_t> DotLayout::longestPaths(const DotGraph &graph) const {
  struct Arc {
    uint32_t from, to;
  };
  std::vector<Arc> arcs;
  graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge) { arcs.push_back({from, to}); });
  for (uint32_t id = 1; id < graph.size(); ++id)
    if (graph.column(id) && graph.column(id) == graph.column(id - 1))
      arcs.push_back({id - 1, id});
  std::vector<uint32_t> begin(graph.size() + 1), left(graph.size()), to(arcs.size());
  for (Arc arc : arcs) {
    ++begin[arc.from + 1];
    ++left[arc.to];
  }
  for (uint32_t id = 0; id < graph.size(); ++id)
    begin[id + 1] += begin[id];
  std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
  for (Arc arc : arcs)
    to[next[arc.from]++] = arc.to;

  std::vector<uint32_t> row(graph.size()), ready;
  for (uint32_t id = 0; id < graph.size(); ++id)
    if (left[id] == 0)
      ready.push_back(id);
  // Nodes on a cycle, which only unverified plans have, are never ready and keep their row.
  for (size_t i = 0; i < ready.size(); ++i)
    for (uint32_t e = begin[ready[i]]; e < begin[ready[i] + 1]; ++e) {
      row[to[e]] = std::max(row[to[e]], row[ready[i]] + 1);
      if (--left[to[e]] == 0)
        ready.push_back(to[e]);
    }
  for (uint32_t id = 0; id < graph.size() && graph.node(id).isInitial; ++id)
    for (uint32_t e = begin[id]; e < begin[id + 1]; ++e)
      row[id] = e == begin[id] ? row[to[e]] - 1 : std::min(row[id], row[to[e]] - 1);
  return row;
}

void DotLayout::compressRows() {
  std::vector<uint32_t> used;
  for (const Place &place : thePlaces)
    used.push_back(place.row);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Place &place : thePlaces)
    place.row = std::lower_bound(used.begin(), used.end(), place.row) - used.begin();
  rows = used.size();
}

void DotLayout::giveLanes(MutableArrayRef<Place> rank, ArrayRef<std::optional<uint32_t>> chunks) {
  // All nodes are in lane 0 now, ordered by row.
  uint32_t lanes = 0;
  auto endOfRow = [&](size_t begin) {
    size_t end = begin + 1;
    while (end < rank.size() && rank[end].row == rank[begin].row)
      ++end;
    return end;
  };
  for (size_t begin = 0, end; begin < rank.size(); begin = end) {
    end = endOfRow(begin);
    lanes = std::max<uint32_t>(lanes, end - begin);
  }
  llvm::DenseMap<uint32_t, uint32_t> laneOfChunk;
  for (size_t begin = 0, end; begin < rank.size(); begin = end) {
    end = endOfRow(begin);
    std::vector<bool> taken(lanes), placed(end - begin);
    for (size_t i = begin; i < end; ++i) {
      auto known = chunks[rank[i].id] ? laneOfChunk.find(*chunks[rank[i].id]) : laneOfChunk.end();
      if (known == laneOfChunk.end() || taken[known->second])
        continue;
      rank[i].lane = known->second;
      taken[known->second] = placed[i - begin] = true;
    }
    for (size_t i = begin; i < end; ++i) {
      if (!placed[i - begin]) {
        rank[i].lane = std::find(taken.begin(), taken.end(), false) - taken.begin();
        taken[rank[i].lane] = true;
      }
      if (chunks[rank[i].id])
        laneOfChunk[*chunks[rank[i].id]] = rank[i].lane;
    }
  }
  std::sort(rank.begin(), rank.end(), [](const Place &a, const Place &b) {
    return std::tuple(a.lane, a.row, a.id) < std::tuple(b.lane, b.row, b.id);
  });
}
