//===- Edit.h - Removing instructions from a program ------------*- C++ -*-===//

#ifndef CCL_LIB_TRANSFORMS_EDIT_H
#define CCL_LIB_TRANSFORMS_EDIT_H

#include "cclc/IR/InstrProgram.h"

namespace cclc {

/// Removes the marked instructions and renumbers `to` and `from`; no remaining instruction may be
/// linked to a removed one. Returns the new id of each remaining instruction.
inline std::vector<uint32_t> removeInstrs(std::vector<Instr> &instrs,
                                          const std::vector<bool> &removed) {
  std::vector<uint32_t> newId(instrs.size());
  uint32_t kept = 0;
  for (uint32_t id = 0; id < instrs.size(); ++id) {
    newId[id] = kept;
    if (!removed[id])
      instrs[kept++] = instrs[id];
  }
  instrs.erase(instrs.begin() + kept, instrs.end());
  auto renumber = [&](OptionalId<InstrId> id) {
    return id ? OptionalId<InstrId>(InstrId(newId[(*id).index()])) : id;
  };
  for (Instr &instr : instrs) {
    instr.to = renumber(instr.to);
    instr.from = renumber(instr.from);
  }
  return newId;
}

/// Compares ranges as physical cells under every placement of a program.
class RangeCompare {
public:
  explicit RangeCompare(const InstrProgram &program) : spaces(program.cellSpaces()) {}

  bool same(RankId rank, Operand a, Operand b) const {
    for (const CellSpace &space : spaces)
      if (space.offsetInRank(rank, a) != space.offsetInRank(rank, b))
        return false;
    return true;
  }
  /// The offset of [inner, inner + innerCount) in [outer, outer + outerCount), if it is contained
  /// with the same offset under every placement.
  std::optional<uint32_t> offsetInside(RankId rank, Operand outer, uint32_t outerCount,
                                       Operand inner, uint32_t innerCount) const {
    std::optional<uint32_t> offset;
    for (const CellSpace &space : spaces) {
      uint64_t first = space.offsetInRank(rank, outer), at = space.offsetInRank(rank, inner);
      if (at < first || at + innerCount > first + outerCount || (offset && *offset != at - first))
        return std::nullopt;
      offset = at - first;
    }
    return offset;
  }
  bool overlap(RankId rank, Operand a, uint32_t aCount, Operand b, uint32_t bCount) const {
    for (const CellSpace &space : spaces) {
      uint64_t x = space.offsetInRank(rank, a), y = space.offsetInRank(rank, b);
      if (x < y + bCount && y < x + aCount)
        return true;
    }
    return false;
  }

private:
  std::vector<CellSpace> spaces;
};

/// The number of later instructions that read the result of each instruction.
inline std::vector<uint32_t> countReaders(const InstrProgram &program) {
  std::vector<uint32_t> readers(program.size());
  for (uint32_t id = 0; id < program.size(); ++id)
    for (DepEdge edge : program.dependences().preds(id))
      readers[edge.node()] += edge.isTrue();
  return readers;
}

/// Whether all values that instruction \p id read or wrote remain until instruction \p later, which
/// may itself overwrite them.
inline bool isIntactUntil(const InstrProgram &program, uint32_t id, uint32_t later) {
  OptionalId<InstrId> overwrite = program.firstOverwrite(InstrId(id));
  return !overwrite || (*overwrite).index() >= later;
}

} // namespace cclc

#endif // CCL_LIB_TRANSFORMS_EDIT_H
