//===- AhbmStreams.h - The calls of each rank -------------------*- C++ -*-===//

#ifndef CCL_LIB_FORMATS_AHBMSTREAMS_H
#define CCL_LIB_FORMATS_AHBMSTREAMS_H

#include "AhbmQueues.h"

namespace cclc::kernbench {

/// The steps in an order in which the kernels of all ranks complete with \p slots slots.
std::vector<StepId> kernelOrder(const ExecPlan &plan, const ConnectionTable &connections,
                                Slots slots);

/// The slots of a queue: those of \p plan, or as many as it needs.
Slots kernelSlots(const ExecPlan &plan, const ConnectionTable &connections);

/// The calls of each rank. \p queues is by connection, and each queue has \p slots slots, with
/// which the plan completes. Error: a range of scratch is read in other pieces than it was written.
FailureOr<std::vector<Stream>> makeStreams(const ExecPlan &plan, const ConnectionTable &connections,
                                           ArrayRef<Queue> queues, Slots slots,
                                           DiagnosticEngine &diags);

} // namespace cclc::kernbench

#endif // CCL_LIB_FORMATS_AHBMSTREAMS_H
