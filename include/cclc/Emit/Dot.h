//===- Dot.h - Graphs for graphviz ------------------------------*- C++ -*-===//
//
// The Chunk DAG, the Instruction DAG and the schedule as .dot files for people:
// ranks are clusters, chunks have colours, true, false and communication edges
// look different, tooltips name source lines.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_EMIT_DOT_H
#define CCL_EMIT_DOT_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/IR/InstrProgram.h"

namespace cclc {

/// Which part of a graph to draw: what concerns this rank, this chunk index.
struct DotFilter {
  std::optional<RankId> rank;
  std::optional<uint32_t> chunk;
};

void writeDot(const ChunkProgram &program, raw_ostream &os, const DotFilter &filter = {});
void writeDot(const InstrProgram &program, raw_ostream &os, const DotFilter &filter = {});
void writeDot(const ExecPlan &plan, raw_ostream &os, const DotFilter &filter = {});

} // namespace cclc

#endif // CCL_EMIT_DOT_H
