#include "cclc/Semantics/SymbolicMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

SymbolicMemory::SymbolicMemory(const Collective &collective, CellSpace cellSpace)
    : values(collective), collective(collective), space(std::move(cellSpace)), cells(space.size()) {
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    if (collective.hasInput(RankId(r)))
      for (uint32_t c = 0; c < collective.inputChunks(); ++c)
        at(RankId(r), Operand(Buffer::Input, c))->value = values.contribution({RankId(r), c});
}

std::optional<SymbolicMemory::WrongOutput> SymbolicMemory::findWrongOutput() const {
  if (!collective.hasPostCondition())
    return std::nullopt;
  PostCondition postCondition(collective, values);
  std::optional<WrongOutput> first;
  uint64_t more = 0;
  for (uint32_t r = 0; r < collective.ranks(); ++r)
    for (uint32_t c = 0; c < collective.outputChunks(); ++c) {
      const Cell &cell = *at(RankId(r), Operand(Buffer::Output, c));
      if (postCondition.holds(RankId(r), c, cell.value))
        continue;
      if (first)
        ++more;
      else
        first =
            WrongOutput{cell, "wrong result: " + postCondition.explain(RankId(r), c, cell.value)};
    }
  if (more)
    first->text += formatv(" ({0} more wrong {1})", more, more == 1 ? "cell" : "cells");
  return first;
}
