#include "CellTimes.h"

#include "cclc/IR/ChunkProgram.h"

namespace cclc::dsl {

void CellTimes::begin(const Collective &ofProgram, Placements placements, uint32_t time) {
  CustomSpec spec;
  spec.inputChunks = ofProgram.inputChunks();
  spec.outputChunks = ofProgram.outputChunks();
  Collective collective = folded ? Collective(1, std::move(spec)) : ofProgram;
  for (Placement placement : placements.list()) {
    Memory memory;
    uint32_t total = 0;
    for (uint32_t r = 0; r < collective.ranks(); ++r) {
      RankId rank(r);
      memory.starts[Input.raw].push_back(total + collective.inputOffset(rank, placement));
      memory.starts[Output.raw].push_back(total + collective.outputOffset(rank, placement));
      total += collective.userChunks(rank, placement);
    }
    memory.user.assign(total, 0);
    for (uint32_t r = 0; r < collective.ranks(); ++r)
      if (collective.hasInput(RankId(r)))
        std::fill_n(memory.user.begin() + memory.starts[Input.raw][r], collective.inputChunks(),
                    time);
    memories.push_back(std::move(memory));
  }
}

Place CellTimes::relative(const Place &named) const {
  Place at = named;
  at.rank = 0;
  if (named.buffer.raw < 2)
    at.index = group.relativeIndex(ChunkBuffer::fromRaw(named.buffer.raw).kind(), named.index,
                                   group.elementOf(named.rank), named.count);
  return at;
}

bool CellTimes::same(const Place &left, const Place &right) const {
  if (left.rank != right.rank)
    return false;
  Place a = folded ? relative(left) : left, b = folded ? relative(right) : right;
  if (a.buffer.raw >= 2 || b.buffer.raw >= 2)
    return a.buffer == b.buffer && a.index == b.index;
  for (const Memory &memory : memories)
    if (memory.first(a) != memory.first(b))
      return false;
  return true;
}

} // namespace cclc::dsl
