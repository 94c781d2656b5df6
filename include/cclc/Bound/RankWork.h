//===- RankWork.h - The least work of the ranks of a collective -*- C++ -*-===//
//
// What ranks receive, send, reduce, load and store in any plan of a collective, and the type of a
// bound that follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_BOUND_RANKWORK_H
#define CCL_BOUND_RANKWORK_H

#include "cclc/IR/Collective.h"
#include "cclc/Support/Units.h"
#include "cclc/Target/SwitchModel.h"

#include <optional>
#include <string>

namespace cclc {

/// A bound and the part that causes it.
struct NamedTime {
  SimTime time;
  std::string cause; ///< "the stream of a PE"; empty if there is no bound
};

/// A part of the buffer.
struct Share {
  uint64_t parts = 0, of = 1;
  Wide bytesOf(Bytes buffer) const { return Wide(buffer.count()) * parts / of; }
};

/// The least work of ranks, as shares of the buffer. Averages are over all ranks, of whom one has
/// at least as much.
struct RankWork {
  Share received, sent;                  ///< of the rank with the most
  Share averageReceived, averageReduced; ///< averages
  Share loaded, stored;                  ///< of the rank with the most
  /// An average. Without multicasts, ranks send what they receive.
  Share averageSent = averageReceived;
};
/// \p switches are those of the machine.
RankWork leastWork(const Collective &collective, const std::optional<SwitchModel> &switches = {});

} // namespace cclc

#endif // CCL_BOUND_RANKWORK_H
