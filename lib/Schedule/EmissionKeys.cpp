#include "EmissionKeys.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::schedule;

EmissionKeys::EmissionKeys(const ProgramGraph &graph)
    : program(graph.program), sorted(graph.sorted), turns(sorted.size()) {
  for (uint32_t i = 0; i < sorted.size(); ++i)
    turns[sorted[i]] = i;
  auto hasPriority = [](const Directive &directive) { return directive.priority != 0; };
  if (llvm::none_of(program.info().directives, hasPriority))
    return;
  // The complements of the priorities, with the places of the parts in the order of `sorted`.
  std::vector<std::pair<uint32_t, uint32_t>> parts(sorted.size() * 3);
  for (uint32_t place = 0; place < parts.size(); ++place)
    parts[place] = {~priorityOf(sorted[place / 3], static_cast<Item::Part>(place % 3)), place};
  llvm::sort(parts);
  for (auto [priority, place] : parts)
    byKey.push_back(sorted[place / 3] * 3 + place % 3);
  keys.resize(byKey.size());
  for (uint32_t key = 0; key < byKey.size(); ++key)
    keys[byKey[key]] = key;
}

/// A fused instruction has the higher priority of its halves.
uint32_t EmissionKeys::priorityOf(uint32_t id, Item::Part part) const {
  const Instr &instr = program.instrs()[id];
  auto of = [&](DirectiveIndex index) { return program.info().directives[index].priority; };
  uint32_t receiving = of(instr.directive), sending = of(instr.sendDirective);
  return part == Item::Part::Send    ? sending
         : part == Item::Part::Whole ? std::max(receiving, sending)
                                     : receiving;
}

bool EmissionKeys::areInLockstep() const {
  uint32_t ranks = program.info().ranks();
  if (sorted.size() % ranks != 0)
    return false;
  std::vector<uint32_t> runOf(ranks, ~uint32_t(0)); ///< by rank: the last run with it
  for (uint32_t i = 0; i < sorted.size(); ++i) {
    const Instr &instr = program.instrs()[sorted[i]];
    uint32_t &last = runOf[instr.rank.index()];
    if (last == i / ranks || instr.op != program.instrs()[sorted[i - i % ranks]].op)
      return false;
    last = i / ranks;
  }
  return true;
}
