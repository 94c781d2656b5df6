//===- Layout.cpp - Rows by longest path, lanes by chunk ------------------===//
//
// Rows are a longest-path layering (the first phase of Sugiyama, Tagawa and Toda, IEEE SMC-11,
// 1981) over edges and columns in topological order, and then compressed to the rows in use and
// split to the number of lanes. Lanes are assigned greedily, row by row: a node takes the last lane
// of its chunk if it is free, else the first free one. Linear in nodes and edges, apart from
// sorting. Only unverified plans have cycles. Where no node is ready, the first one that is not
// placed is: it continues its column, and messages and waits that close a cycle do not count.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace cclc;

DotLayout::DotLayout(const DotGraph &graph, const DotSelection &selection,
                     ArrayRef<std::optional<uint32_t>> chunks, uint32_t mostLanes) {
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
  if (!columns)
    splitRows(mostLanes);
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
  std::vector<std::pair<uint32_t, uint32_t>> reversed; // to, from
  std::vector<std::vector<uint32_t>> successors(graph.size());
  std::vector<uint32_t> waitsFor(graph.size()), row(graph.size());
  auto add = [&](uint32_t from, uint32_t to) {
    reversed.emplace_back(to, from);
    successors[from].push_back(to);
    ++waitsFor[to];
  };
  graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge) { add(from, to); });
  for (uint32_t id = 1; id < graph.size(); ++id)
    if (graph.column(id) && graph.column(id) == graph.column(id - 1))
      add(id - 1, id);
  std::vector<bool> placed(graph.size());
  std::vector<uint32_t> ready;
  for (uint32_t id = 0; id < graph.size(); ++id)
    if (waitsFor[id] == 0)
      ready.push_back(id);
  uint32_t next = 0;
  while (true) {
    if (ready.empty()) {
      // All others are on cycles or below one: place the first that continues its column.
      while (next < graph.size() && placed[next])
        ++next;
      if (next == graph.size())
        break;
      ready.push_back(next);
    }
    uint32_t id = ready.back();
    ready.pop_back();
    placed[id] = true;
    for (uint32_t to : successors[id])
      if (!placed[to]) {
        row[to] = std::max(row[to], row[id] + 1);
        if (--waitsFor[to] == 0)
          ready.push_back(to);
      }
  }
  uint32_t numInitial = 0;
  while (numInitial < graph.size() && graph.node(numInitial).isInitial)
    ++numInitial;
  std::vector<OptionalIndex> above(numInitial);
  for (auto [to, from] : reversed)
    if (from < numInitial)
      above[from] = std::min(above[from].value_or(row[to] - 1), row[to] - 1);
  for (uint32_t id = 0; id < numInitial; ++id)
    row[id] = above[id].value_or(0);
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

void DotLayout::splitRows(uint32_t mostLanes) {
  // All nodes are in lane 0 now, ordered by rank and row.
  std::vector<uint32_t> numParts(rows), parts(thePlaces.size()), first(rows);
  for (size_t i = 0, begin = 0; i < thePlaces.size(); ++i) {
    const Place &start = thePlaces[begin];
    if (start.rank != thePlaces[i].rank || start.row != thePlaces[i].row)
      begin = i;
    parts[i] = (i - begin) / mostLanes;
    numParts[thePlaces[i].row] = std::max(numParts[thePlaces[i].row], parts[i] + 1);
  }
  for (uint32_t row = 1; row < rows; ++row)
    first[row] = first[row - 1] + numParts[row - 1];
  for (size_t i = 0; i < thePlaces.size(); ++i)
    thePlaces[i].row = first[thePlaces[i].row] + parts[i];
  rows = rows == 0 ? 0 : first.back() + numParts.back();
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
