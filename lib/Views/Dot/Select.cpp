//===- Select.cpp - Filters, and the choice between nodes and groups ------===//
//
// The selection is the set of operations that pass the filters for rank, phase and chunk; its
// border is every node that is adjacent to it. The filters are conjunctive. A selection whose
// picture fits is drawn node by node, a larger one folded.
//
//===----------------------------------------------------------------------===//

#include "Style.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using State = DotSelection::State;

static bool concerns(const Collective &collective, const DotNode &node,
                     std::optional<uint32_t> chunkOfNode, uint32_t chunk) {
  auto holds = [&](std::optional<uint32_t> first) {
    return first && *first <= chunk && chunk - *first < node.count;
  };
  return holds(chunkNumber(collective, node.rank, node.dst)) ||
         holds(chunkNumber(collective, node.otherRank, node.src)) || holds(chunkOfNode);
}

static DotSelection select(const DotGraph &graph, ArrayRef<std::optional<uint32_t>> chunks,
                           const DotOptions &options) {
  DotSelection selection;
  selection.states.resize(graph.size(), State::Hidden);
  std::vector<bool> wanted(graph.size());
  for (uint32_t id = 0; id < graph.size(); ++id) {
    DotNode node = graph.node(id);
    wanted[id] =
        (!options.rank || node.rank == *options.rank || node.otherRank == *options.rank) &&
        (!options.phase || node.isInitial || node.phase == (*options.phase).index()) &&
        (!options.chunk || concerns(graph.info.collective, node, chunks[id], *options.chunk));
    if (wanted[id] && !node.isInitial) {
      selection.states[id] = State::Selected;
      ++selection.selected;
    }
  }
  // Initial chunks are drawn if they are used.
  graph.forEachEdge([&](uint32_t from, uint32_t to, DotEdge) {
    if (selection.isSelected(to) && !selection.shows(from))
      selection.states[from] = wanted[from] ? State::Selected : State::Border;
    else if (selection.isSelected(from) && !selection.shows(to) && !graph.node(from).isInitial)
      selection.states[to] = State::Border;
  });
  return selection;
}

/// A description of the selection, for the second line of the title.
static std::string describe(const DotGraph &graph, const DotSelection &selection,
                            const DotOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << graph.info.ranks() << (graph.info.ranks() == 1 ? " rank, " : " ranks, ")
     << selection.selected << ' ' << graph.nodesAre().drop_back(selection.selected == 1);
  const char *separator = ", only of ";
  auto filter = [&](const llvm::Twine &what) {
    os << separator << what;
    separator = " and ";
  };
  if (options.rank)
    filter("rank " + llvm::Twine((*options.rank).index()));
  if (options.chunk)
    filter("chunk " + llvm::Twine(*options.chunk));
  if (options.phase)
    filter("phase " + llvm::Twine((*options.phase).index()) + " " +
           dotHtml(graph.info.phases[(*options.phase).index()].name));
  return text;
}

void cclc::drawGraph(const DotGraph &graph, raw_ostream &os, const DotOptions &options) {
  std::vector<std::optional<uint32_t>> chunks = chunksOf(graph);
  DotSelection selection = select(graph, chunks, options);
  std::string subtitle = describe(graph, selection, options);
  bool single = options.fold == DotFold::None || options.fold == DotFold::Auto;
  if (!single || !drawNodes(graph, selection, chunks, os, subtitle, options))
    drawFolded(graph, selection, os, subtitle, options);
}
