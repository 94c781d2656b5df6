//===- Dot.h - Graphs for graphviz ------------------------------*- C++ -*-===//
//
// Writes the Chunk DAG, the Instruction DAG and the schedule as .dot files. Ranks are clusters in
// ascending order, chunks have colours, messages and true and false dependences have different line
// styles, fused instructions show their parts, and tooltips name source lines. docs/Pictures.md
// explains the pictures.
//
// The nodes that a filter selects are drawn together with adjacent nodes, which are grey. Wide
// pictures have independent nodes in several rows, and ranks in several bands. Graphs that are
// still too large are folded: a node of the picture then represents all operations of a rank, a
// group of ranks or a phase, and an edge represents several edges.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_DOT_DOT_H
#define CCL_VIEWS_DOT_DOT_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

namespace cclc {

/// The meaning of a node of a picture.
enum class DotFold : uint8_t {
  Auto, ///< the first of the following that makes the picture small enough
  None, ///< one operation, instruction or step
  RankPhase,
  Rank,
  GroupPhase, ///< groups of the hierarchy, else of consecutive ranks
  Group,
  Phase,
};
std::optional<DotFold> parseDotFold(StringRef name);

struct DotOptions {
  /// Draw only nodes of this rank, this chunk index, this phase. The index refers to the larger of
  /// the input and output buffers.
  std::optional<RankId> rank;
  std::optional<uint32_t> chunk;
  std::optional<PhaseId> phase;
  DotFold fold = DotFold::Auto;
  /// The largest width and height of a picture that is not folded automatically, in points: 60
  /// inches. If it is wider than half of this, its width is at most six times its height.
  uint32_t most = 4320;
  bool fits(int64_t width, int64_t height) const {
    return width <= most && height <= most && (width <= most / 2 || width <= 6 * height);
  }
};

void writeDot(const ChunkProgram &program, raw_ostream &os, const DotOptions &options = {});
void writeDot(const InstrProgram &program, raw_ostream &os, const DotOptions &options = {});
void writeDot(const ExecPlan &plan, raw_ostream &os, const DotOptions &options = {});

} // namespace cclc

#endif // CCL_VIEWS_DOT_DOT_H
