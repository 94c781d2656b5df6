//===- Layout.h - Where the tiles of a program lie --------------*- C++ -*-===//
//
// A mapper says which PEs are ranks, and so on which of them a tile lies: the layout.
// A program that fixes its mapper is right for that layout only.
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
