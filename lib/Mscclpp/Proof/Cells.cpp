#include "Cells.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

std::string Span::name(uint32_t index) const {
  return llvm::formatv("r{0}:{1}[{2}]", rank.index(), bufferLetter(first.buffer()),
                       (first.index() + index) / cellsPerChunk);
}

CellMap::CellMap(const Plan &plan, const Groups &groups)
    : plan(plan), groups(groups),
      cellsPerChunk(
          llvm::any_of(plan.ops(), [](const Operation &op) { return traits(op.op).usesPackets(); })
              ? 2
              : 1),
      theSpace(makeSpace(plan, cellsPerChunk)) {}

CellSpace CellMap::makeSpace(const Plan &plan, uint32_t cellsPerChunk) {
  std::vector<uint32_t> scratch;
  for (const Rank &rank : plan.ranks())
    scratch.push_back(rank.scratchChunks * cellsPerChunk * (plan.header().doubleScratch ? 2 : 1));
  return CellSpace(plan.header().collective,
                   plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace, scratch);
}

Span CellMap::span(RankId owner, Buffer buffer, const Place &place, Access access,
                   uint32_t half) const {
  uint32_t scale = isPackets(access) ? 2 : 1;
  uint32_t index = place.index * scale;
  if (buffer == Buffer::Scratch && plan.header().doubleScratch)
    index += half * plan.ranks()[owner.index()].scratchChunks * cellsPerChunk;
  return {owner, Operand(buffer, index), place.count * scale, access,
          scale * plan.header().chunksPerChunk};
}

} // namespace cclc::mscclpp
