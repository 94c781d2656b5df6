//===- Graph.h - What pictures know of a graph ------------------*- C++ -*-===//
//
// The three levels of a program as one kind of graph, for those who select, draw
// and fold.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DOT_GRAPH_H
#define CCL_LIB_DOT_GRAPH_H

#include "cclc/Dot/Dot.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

enum class DotEdge : uint8_t {
  Message, ///< data move to another rank
  True,    ///< read after write
  False,   ///< write after read or write
  Wait,    ///< of a step for one of another threadblock
};
inline constexpr unsigned numDotEdges = 4;

struct DotNode {
  RankId rank;
  /// Whom it concerns as well: the source of a copy or reduce.
  RankId otherRank;
  uint32_t phase;
  /// What it does, in the words of the text IR.
  StringRef kind;
  /// Of otherRank and of rank; with them \p count chunks.
  Operand src, dst;
  uint32_t count;
  LocId loc, sendLoc;
  /// The parts of a fused instruction; empty unless fused.
  StringRef receives = "", sends = "";
  /// A chunk that is there before anything happens, which is no operation.
  bool isInitial = false;
};

class DotGraph {
public:
  explicit DotGraph(const ProgramInfo &info) : info(info) {}
  virtual ~DotGraph() = default;

  /// "Chunk DAG", and what its nodes are: "operations".
  virtual StringRef title() const = 0;
  virtual StringRef nodesAre() const = 0;
  virtual uint32_t size() const = 0;
  virtual DotNode node(uint32_t id) const = 0;
  /// What it is called in the file, and in the picture.
  virtual std::string name(uint32_t id) const = 0;
  virtual void label(raw_ostream &os, uint32_t id) const = 0;
  virtual void
  forEachEdge(llvm::function_ref<void(uint32_t from, uint32_t to, DotEdge kind)> fn) const = 0;

  /// Nodes of a rank may stand in columns, numbered over all ranks, in which they follow each
  /// other.
  virtual bool hasColumns() const { return false; }
  virtual std::optional<uint32_t> column(uint32_t) const { return std::nullopt; }
  virtual std::string columnLabel(uint32_t) const { return ""; }

  const ProgramInfo &info;
};

/// The node of an instruction or step.
DotNode instrNode(RankId rank, uint32_t phase, OpKind op, Operand src, Operand dst, uint32_t count,
                  LocId loc, LocId sendLoc);

/// Number of the chunk at \p operand as if all took place in the larger one of input and output
/// buffer. None for scratch, which has no chunk numbers of its own.
std::optional<uint32_t> chunkNumber(const Collective &collective, RankId rank, Operand operand);
/// Levels of more than one member, outermost first; none where they do not make up the ranks.
std::vector<GridLevel> hierarchyOf(const ProgramInfo &info);

/// The chunk that each node is about, or its first one: what it writes or, if it writes none,
/// reads. In scratch it is the chunk that a message brings or takes away.
std::vector<std::optional<uint32_t>> chunksOf(const DotGraph &graph);
/// Which part of a graph a picture shows.
struct DotSelection {
  enum class State : uint8_t { Hidden, Border, Selected };
  std::vector<State> states; ///< by node
  /// Operations, not initial chunks.
  uint32_t selected = 0;

  bool shows(uint32_t id) const { return states[id] != State::Hidden; }
  bool isSelected(uint32_t id) const { return states[id] == State::Selected; }
  bool showsEdge(uint32_t from, uint32_t to) const {
    return shows(from) && shows(to) && (isSelected(from) || isSelected(to));
  }
};

/// Draws node by node.
void drawNodes(const DotGraph &graph, const DotSelection &selection,
               ArrayRef<std::optional<uint32_t>> chunks, raw_ostream &os, StringRef subtitle);
/// Draws groups of nodes as options.fold says.
void drawFolded(const DotGraph &graph, const DotSelection &selection, raw_ostream &os,
                StringRef subtitle, DotFold fold);
/// Selects, and draws what is selected, folded or not.
void drawGraph(const DotGraph &graph, raw_ostream &os, const DotOptions &options);

} // namespace cclc

#endif // CCL_LIB_DOT_GRAPH_H
