//===- Limits.h - Would the executor of MSCCL++ run a plan ------*- C++ -*-===//
//
// The executor copies a plan into arrays of fixed size and checks the bounds of
// one of them only; it ignores fields that it does not know how to use. What would
// overflow, be ignored or be executed otherwise than written is refused here.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_LIMITS_H
#define CCL_MSCCLPP_LIMITS_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

namespace limit {
constexpr uint32_t channelsOfThreadblock = 16;
constexpr uint32_t remotesOfThreadblock = 16;
constexpr uint32_t channelsOfOp = 8;
constexpr uint32_t remotesOfOp = 8; // on each side
constexpr uint32_t placesOfOp = 10; // two local ones beside them
constexpr uint32_t ops = 64;
constexpr uint32_t semaphores = 16;
constexpr uint32_t barriers = 16;
/// All blocks of a launch must be resident: the multiprocessors of an A100.
constexpr uint32_t threadblocks = 108;
constexpr uint32_t maxThreads = 1024;
} // namespace limit

/// Reports the first limit that is exceeded, with the value and what to do.
LogicalResult checkLimits(const Plan &plan, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_LIMITS_H
