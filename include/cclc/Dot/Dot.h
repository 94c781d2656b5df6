//===- Dot.h - Graphs for graphviz ------------------------------*- C++ -*-===//
//
// The Chunk DAG, the Instruction DAG and the schedule as .dot files for people:
// ranks are clusters in their order, chunks have colours, messages, true and false
// dependences look different, fused instructions show their parts, tooltips name
// source lines. docs/Pictures.md shows how to read them.
//
// What a filter selects is drawn together with its border: whatever an edge joins to
// the selection, in grey. Large graphs are folded: a node of the picture then stands
// for what a rank, a group of ranks or a phase does, and an edge for many.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_DOT_DOT_H
#define CCL_DOT_DOT_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

namespace cclc {

/// What a node of a picture stands for.
enum class DotFold : uint8_t {
  Auto, ///< the first of the following with which the picture is small enough
  None, ///< one operation, instruction or step
  RankPhase,
  Rank,
  GroupPhase, ///< groups are those of the hierarchy, else consecutive ranks
  Group,
  Phase,
};
std::optional<DotFold> parseDotFold(StringRef name);

struct DotOptions {
  /// Draw only what concerns this rank, this chunk index, this phase. The index is that in the
  /// larger one of input and output buffer, as if the collective took place in one buffer.
  std::optional<RankId> rank;
  std::optional<uint32_t> chunk;
  std::optional<PhaseId> phase;
  DotFold fold = DotFold::Auto;
  /// Nodes of a picture that is not folded on its own account.
  uint32_t limit = 600;
};

void writeDot(const ChunkProgram &program, raw_ostream &os, const DotOptions &options = {});
void writeDot(const InstrProgram &program, raw_ostream &os, const DotOptions &options = {});
void writeDot(const ExecPlan &plan, raw_ostream &os, const DotOptions &options = {});

} // namespace cclc

#endif // CCL_DOT_DOT_H
