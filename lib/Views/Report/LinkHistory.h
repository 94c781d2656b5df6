//===- LinkHistory.h - Utilisation of links over time -----------*- C++ -*-===//
//
// A link may carry millions of messages, too many for a counter that changes with each. Time is
// divided into windows that are the same for all links; when a run exceeds them, pairs of windows
// are merged.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_REPORT_LINKHISTORY_H
#define CCL_LIB_VIEWS_REPORT_LINKHISTORY_H

#include "cclc/Target/Machine.h"

#include <vector>

namespace cclc {

class LinkHistory {
public:
  explicit LinkHistory(const Machine &machine) : machine(machine), links(machine.links().size()) {}

  /// Adds \p bytes that pass over \p link evenly between \p begin and \p end.
  void add(LinkId link, Bytes bytes, SimTime begin, SimTime end);

  SimTime window() const { return SimTime(width); }
  /// By window: the time for which \p link would have been busy at its full rate; empty if it was
  /// unused.
  ArrayRef<int64_t> busy(LinkId link) const { return links[link.index()]; }

private:
  static constexpr size_t numWindows = 128;
  void widen();

  const Machine &machine;
  std::vector<std::vector<int64_t>> links; ///< in picoseconds
  int64_t width = 1024;
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_REPORT_LINKHISTORY_H
