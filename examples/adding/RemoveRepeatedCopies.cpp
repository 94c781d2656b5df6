//===- RemoveRepeatedCopies.cpp - Copies that were just made --------------===//
//
// Removes a copy that is equal to the operation before it. Sound because source and destination of
// a copy do not overlap: after the first copy both have the same value, so the second one writes
// the value that is already there.
//
//===----------------------------------------------------------------------===//

#include "Adding.h"

using namespace cclc;

static bool repeats(const ChunkOp &op, const ChunkOp &last) {
  return op.kind == ChunkOpKind::Copy && last.kind == ChunkOpKind::Copy &&
         op.srcRank == last.srcRank && op.dstRank == last.dstRank && op.src == last.src &&
         op.dst == last.dst && op.srcIndex == last.srcIndex && op.dstIndex == last.dstIndex &&
         op.count == last.count;
}

FailureOr<ChunkProgram> cclc::removeRepeatedCopies(ChunkProgram &&program, PassContext &context) {
  const std::vector<ChunkOp> ops = program.ops().vec();
  ChunkProgramBuilder builder(program.info());
  for (const ScratchBuffer &buffer : program.scratch())
    for (uint32_t rank = 0; rank < buffer.chunks.size(); ++rank)
      builder.growScratch(builder.scratchBuffer(buffer.name), RankId(rank), buffer.chunks[rank]);
  uint64_t removed = 0;
  for (size_t i = 0; i < ops.size(); ++i)
    if (i > 0 && repeats(ops[i], ops[i - 1]))
      ++removed;
    else
      builder.add(ops[i]);
  context.count("remove-repeated-copies", "removed", removed);
  return std::move(builder).finish(context.diags);
}

void cclc::registerRemoveRepeatedCopies(PassRegistry &registry) {
  registry.add({"remove-repeated-copies", Level::Chunk, Level::Chunk,
                "remove copies that repeat the operation before them", "", [](PassOptions &) {
                  return makePass<ChunkProgram, ChunkProgram>("remove-repeated-copies",
                                                              removeRepeatedCopies);
                }});
}
