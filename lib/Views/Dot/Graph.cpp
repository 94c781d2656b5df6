//===- Graph.cpp - Chunk numbers and levels of a DotGraph -----------------===//
//
// A node in scratch has no chunk number and takes that of a neighbour: four passes over the edges
// propagate numbers forwards along messages and true dependences, and backwards along messages,
// which covers chunks that pass through scratch of a few ranks.
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

std::optional<DotFold> cclc::parseDotFold(StringRef name) {
  return llvm::StringSwitch<std::optional<DotFold>>(name)
      .Case("auto", DotFold::Auto)
      .Case("none", DotFold::None)
      .Case("rank-phase", DotFold::RankPhase)
      .Case("rank", DotFold::Rank)
      .Case("group-phase", DotFold::GroupPhase)
      .Case("group", DotFold::Group)
      .Case("phase", DotFold::Phase)
      .Default(std::nullopt);
}

DotNode cclc::instrNode(RankId rank, uint32_t phase, OpKind op, Operand src, Operand dst,
                        uint32_t count, LocId loc, LocId sendLoc) {
  // An rrs does not write its dst.
  if (!traits(op).writesDst)
    dst = Operand();
  DotNode node{rank, rank, phase, traits(op).mnemonic, src, dst, count, loc, sendLoc};
  if (traits(op).isFused()) {
    node.receives = !traits(op).reduces() ? "r" : traits(op).writesDst ? "rrc" : "rr";
    node.sends = "s";
  }
  return node;
}

std::optional<uint32_t> cclc::chunkNumber(const Collective &collective, RankId rank,
                                          Operand operand) {
  if (operand.isNone() || operand.buffer() == Buffer::Scratch)
    return std::nullopt;
  uint32_t part = rank.index() * collective.chunks();
  switch (collective.kind()) {
  case CollectiveKind::AllGather:
  case CollectiveKind::Gather:
    return operand.index() + (operand.buffer() == Buffer::Input ? part : 0);
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Scatter:
    return operand.index() + (operand.buffer() == Buffer::Output ? part : 0);
  default:
    return operand.index();
  }
}

std::vector<GridLevel> cclc::hierarchyOf(const ProgramInfo &info) {
  std::vector<GridLevel> levels;
  if (info.geometry.ranks() == info.ranks())
    for (const GridLevel &level : info.geometry.levels)
      if (level.size() > 1)
        levels.push_back(level);
  return levels;
}

std::vector<std::optional<uint32_t>> cclc::chunksOf(const DotGraph &graph) {
  std::vector<std::optional<uint32_t>> chunks(graph.size());
  bool missing = false;
  for (uint32_t id = 0; id < graph.size(); ++id) {
    DotNode node = graph.node(id);
    chunks[id] = chunkNumber(graph.info.collective, node.rank, node.dst);
    if (!chunks[id])
      chunks[id] = chunkNumber(graph.info.collective, node.otherRank, node.src);
    missing |= !chunks[id];
  }
  // The number of successive ranks on which a chunk may pass through scratch.
  constexpr unsigned mostHops = 4;
  for (unsigned pass = 0; pass < mostHops && missing; ++pass)
    graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge kind) {
      if (kind != DotEdge::Message && kind != DotEdge::True)
        return;
      if (chunks[from] && !chunks[to])
        chunks[to] = chunks[from];
      else if (!chunks[from] && chunks[to] && kind == DotEdge::Message)
        chunks[from] = chunks[to];
    });
  return chunks;
}
