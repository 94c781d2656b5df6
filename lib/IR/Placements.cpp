#include "cclc/IR/Placements.h"

using namespace cclc;

SmallVector<Placement, 2> Placements::list() const {
  SmallVector<Placement, 2> result;
  if (in)
    result.push_back(Placement::InPlace);
  if (out)
    result.push_back(Placement::OutOfPlace);
  return result;
}
