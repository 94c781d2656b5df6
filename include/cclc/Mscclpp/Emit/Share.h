//===- Share.h - Groups of threadblocks of MSCCL++ plans --------*- C++ -*-===//
//
// Instances of a program multiply everything that its threadblocks do. Between nodes that includes
// the transfers of the proxy of a rank, which it performs one after the other. A group shares the
// loads and stores of one threadblock instead, and its first member synchronises for all.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_EMIT_SHARE_H
#define CCL_MSCCLPP_EMIT_SHARE_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// Where barriers of a group replace the nops of its threadblock. Otherwise each member waits for
/// its own threads, which suffices if operations that access the same chunks have equal parts.
enum class GroupNop : uint8_t {
  WherePartsDiffer, ///< in threadblocks with other operations
  Everywhere,
};

/// \p plan, which has neither pipelines nor groups, with a group of \p members for each of its
/// threadblocks.
FailureOr<Plan> shareThreadblocks(const Plan &plan, uint32_t members, GroupNop barriers,
                                  DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EMIT_SHARE_H
