//===- TracerSwitch.cpp - Operations of switches --------------------------===//
//
// They are traced as the copies and reductions that they stand for, in the order of the group, with
// a mark (Directive::inSwitch) from which form-switch-operations makes one operation of a switch.
//
// Implements trace rule 7.
//
//===----------------------------------------------------------------------===//

#include "Tracer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;

namespace cclc::dsl {

void Tracer::inSwitch(const std::vector<int> &group, int rank, const Loc &where,
                      llvm::function_ref<void(int)> each) {
  for (size_t i = 0; i < group.size(); ++i) {
    checkRank(group[i], where);
    if (llvm::is_contained(ArrayRef(group).take_front(i), group[i]))
      fail(where, formatv("rank {0} is in the group twice", group[i]));
  }
  if (!llvm::is_contained(group, rank))
    fail(where, formatv("rank {0}, whose chunks these are, is not in the group", rank));
  // Operations that follow each other directly have different numbers.
  lastInSwitch = lastInSwitch == 1 ? 2 : 1;
  scope.inSwitch = lastInSwitch;
  for (int other : group)
    if (other != rank)
      each(other);
  scope.inSwitch = 0;
}

} // namespace cclc::dsl
