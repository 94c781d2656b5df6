//===- LinkHistory.h - How busy links are over time -------------*- C++ -*-===//
//
// A link may carry millions of messages, and a counter that goes up and down with each
// of them shows nothing. Time is divided into windows that are the same for all links;
// when a run turns out to be longer, two become one.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_REPORT_LINKHISTORY_H
#define CCL_LIB_REPORT_LINKHISTORY_H

#include "cclc/Target/Machine.h"

#include <vector>

namespace cclc {

class LinkHistory {
public:
  explicit LinkHistory(const Machine &machine) : machine(machine), links(machine.links().size()) {}

  /// \p bytes pass over \p link between \p begin and \p end, evenly.
  void add(LinkId link, Bytes bytes, SimTime begin, SimTime end);

  SimTime window() const { return SimTime(width); }
  /// By window, for how long \p link would have been busy at its full rate; empty if it never was.
  ArrayRef<int64_t> busy(LinkId link) const { return links[link.index()]; }

private:
  static constexpr size_t numWindows = 128;
  void widen();

  const Machine &machine;
  std::vector<std::vector<int64_t>> links; ///< picoseconds
  int64_t width = 1024;
};

} // namespace cclc

#endif // CCL_LIB_REPORT_LINKHISTORY_H
