//===- StreamingCopy.h - Copies of long data --------------------*- C++ -*-===//
//
// A processor reads a cache line before it writes to it. Where the data of a rank are larger than
// its share of the caches, and no step reads the copy, this only costs memory bandwidth: such
// copies are written to memory directly.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_STREAMINGCOPY_H
#define CCL_RUN_STREAMINGCOPY_H

#include "cclc/Run/PreparedPlan.h"

namespace cclc::run {

/// As std::memmove, whose instruction for long copies, REP MOVSB, is slow on some processors.
void copyData(std::byte *to, const std::byte *from, size_t bytes);

/// Copies to disjoint memory past the caches, where the processor can. The copy is visible to other
/// threads that acquire what this one releases.
void copyStreaming(std::byte *to, const std::byte *from, size_t bytes);

/// By step of the rank, over all threadblocks: whether the data that it receives or copies may
/// bypass the caches. Empty if the buffers of the rank fit into them.
std::vector<bool> findStreamingSteps(const PreparedPlan &plan, RankId rank);

} // namespace cclc::run

#endif // CCL_RUN_STREAMINGCOPY_H
