//===- SplitCounts.cpp - Splitting operations with many chunks ------------===//
//
// Runtimes and targets limit the number of chunks of a step. An operation on more chunks is split
// into successive operations on consecutive parts of its ranges.
//
// This is sound for every program: an operation moves or adds each chunk independently, its source
// and destination are disjoint or the same cells, and an operation that depends on one of its
// chunks depends on the part with that chunk. The number of parts is minimal and their sizes are
// nearly equal, so that operations on equal ranges are split at the same chunks and can be fused as
// before.
//
//===----------------------------------------------------------------------===//

#include "Refine.h"

#include "cclc/Support/Units.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

FailureOr<ChunkProgram> cclc::splitCounts(ChunkProgram &&program, uint32_t max,
                                          PassContext &context) {
  if (llvm::all_of(program.ops(), [&](const ChunkOp &op) { return op.count <= max; }))
    return std::move(program);
  ChunkProgramBuilder builder(program.info());
  refineScratch(program, 1, builder);
  builder.reserve(program.ops().size());
  uint64_t cuts = 0;
  for (const ChunkOp &op : program.ops()) {
    uint32_t parts = ceilDiv(op.count, max);
    for (uint32_t k = 0; k < parts; ++k) {
      uint32_t begin = uint64_t(op.count) * k / parts;
      ChunkOp part = op;
      part.count = uint64_t(op.count) * (k + 1) / parts - begin;
      part.srcIndex += begin;
      part.dstIndex += begin;
      builder.add(part);
    }
    cuts += parts - 1;
    if (context.remarks && parts > 1)
      context.remarks->done("split-counts", op.loc,
                            "in " + std::to_string(parts) + " parts: a step has at most " +
                                std::to_string(max) + " chunks");
  }
  context.count("split-counts", "cuts", cuts);
  return std::move(builder).finish(context.diags);
}
