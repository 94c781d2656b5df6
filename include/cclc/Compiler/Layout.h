//===- Layout.h - Layouts of tiles ------------------------------*- C++ -*-===//
//
// A mapper selects the PEs that are ranks, and so the PEs that have a tile: the layout. A program
// that fixes its mapper is correct for that layout only.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_LAYOUT_H
#define CCL_COMPILER_LAYOUT_H

#include "cclc/IR/Geometry.h"

namespace cclc {

struct Layout {
  const char *name;
  const char *meaning;
};

constexpr Layout layoutOf(Mapper mapper) {
  switch (mapper) {
  case Mapper::LeaderOnly:
    return {"one_pe_per_sip", "one tile in every SIP, on the first PE of its first cube"};
  case Mapper::CubeLeaders:
    return {"one_pe_per_cube", "one tile in every cube, on its first PE"};
  case Mapper::AllPes:
    break;
  }
  return {"multi_pe_sip_local", "one tile on every PE"};
}

} // namespace cclc

#endif // CCL_COMPILER_LAYOUT_H
