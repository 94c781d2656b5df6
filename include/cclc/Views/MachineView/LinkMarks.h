//===- LinkMarks.h - Links that are missing or slow -------------*- C++ -*-===//

#ifndef CCL_VIEWS_MACHINEVIEW_LINKMARKS_H
#define CCL_VIEWS_MACHINEVIEW_LINKMARKS_H

#include "cclc/Target/Machine.h"

namespace cclc {

enum class LinkMark : uint8_t {
  None,
  Slow,    ///< slower than most links between nodes of the same kinds
  Missing, ///< absent
};

/// The marks of all links. A link is slow if its rate is lower than that of most links between
/// nodes of the same classes of names, in the same direction of a grid, and few others have this
/// rate.
std::vector<LinkMark> markLinks(const Machine &machine);

} // namespace cclc

#endif // CCL_VIEWS_MACHINEVIEW_LINKMARKS_H
