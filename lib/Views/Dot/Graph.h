//===- Graph.h - The common interface of graphs -----------------*- C++ -*-===//
//
// An interface to the graphs of the three levels of a program, for selecting, drawing and folding.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_DOT_GRAPH_H
#define CCL_LIB_VIEWS_DOT_GRAPH_H

#include "cclc/Views/Dot/Dot.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

enum class DotEdge : uint8_t {
  Message, ///< a transfer to another rank
  True,    ///< read after write
  False,   ///< write after read or write
  Wait,    ///< for a step of another threadblock
};
inline constexpr unsigned numDotEdges = 4;

struct DotNode {
  RankId rank;
  /// The second rank of a remote operation: the source of a copy or reduce.
  RankId otherRank;
  uint32_t phase;
  /// The mnemonic of the text IR.
  StringRef kind;
  /// The operands at otherRank and at rank, of `count` chunks.
  Operand src, dst;
  uint32_t count;
  LocId loc, sendLoc;
  /// The parts of a fused instruction; empty unless fused.
  StringRef receives = "", sends = "";
  /// Whether the node is an initial chunk and not an operation.
  bool isInitial = false;
};

class DotGraph {
public:
  explicit DotGraph(const ProgramInfo &info) : info(info) {}
  virtual ~DotGraph() = default;

  /// "Chunk DAG", and the name of its nodes: "operations".
  virtual StringRef title() const = 0;
  virtual StringRef nodesAre() const = 0;
  virtual uint32_t size() const = 0;
  virtual DotNode node(uint32_t id) const = 0;
  /// The name of the node in the file, and in the picture.
  virtual std::string name(uint32_t id) const = 0;
  virtual void label(raw_ostream &os, uint32_t id) const = 0;
  virtual void
  forEachEdge(llvm::function_ref<void(uint32_t from, uint32_t to, DotEdge kind)> fn) const = 0;

  /// Whether nodes are in columns of sequential nodes, which are numbered over all ranks.
  virtual bool hasColumns() const { return false; }
  virtual std::optional<uint32_t> column(uint32_t) const { return std::nullopt; }
  virtual std::string columnLabel(uint32_t) const { return ""; }

  const ProgramInfo &info;
};

/// The node of an instruction or step.
DotNode instrNode(RankId rank, uint32_t phase, OpKind op, Operand src, Operand dst, uint32_t count,
                  LocId loc, LocId sendLoc);

/// The number of the chunk at \p operand in the larger of the input and output buffers. None for
/// scratch, which has no chunk numbers.
std::optional<uint32_t> chunkNumber(const Collective &collective, RankId rank, Operand operand);
/// The levels with more than one member, outermost first; none if they do not match the number of
/// ranks.
std::vector<GridLevel> hierarchyOf(const ProgramInfo &info);

/// The number of the (first) chunk that each node writes or, if it writes none, reads. In scratch
/// it is the chunk that a message transfers.
std::vector<std::optional<uint32_t>> chunksOf(const DotGraph &graph);
/// The part of a graph that a picture shows.
struct DotSelection {
  enum class State : uint8_t { Hidden, Border, Selected };
  std::vector<State> states; ///< by node
  /// The number of selected operations, without initial chunks.
  uint32_t selected = 0;

  bool shows(uint32_t id) const { return states[id] != State::Hidden; }
  bool isSelected(uint32_t id) const { return states[id] == State::Selected; }
  bool showsEdge(uint32_t from, uint32_t to) const {
    return shows(from) && shows(to) && (isSelected(from) || isSelected(to));
  }
};

/// Draws node by node, unless the picture does not fit and is to be folded then.
bool drawNodes(const DotGraph &graph, const DotSelection &selection,
               ArrayRef<std::optional<uint32_t>> chunks, raw_ostream &os, StringRef subtitle,
               const DotOptions &options);
/// Draws groups of nodes according to options.fold.
void drawFolded(const DotGraph &graph, const DotSelection &selection, raw_ostream &os,
                StringRef subtitle, const DotOptions &options);
/// Selects nodes and draws them, folded or not.
void drawGraph(const DotGraph &graph, raw_ostream &os, const DotOptions &options);

} // namespace cclc

#endif // CCL_LIB_VIEWS_DOT_GRAPH_H
