//===- Compact.h - Compact plans of MSCCL++ ---------------------*- C++ -*-===//
//
// Other lowerings than Lower.h, with fewer operations: one operation computes a value from several
// messages and sends it to several ranks, and synchronisation is only where the race check of the
// proof finds conflicts.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_EMIT_COMPACT_H
#define CCL_MSCCLPP_EMIT_COMPACT_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Mscclpp/Emit/NodeMap.h"
#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// The compact form of a verified plan of the LL protocol. None if the result would exceed a limit
/// of the executor; lower() then applies.
std::optional<Plan> emitPackets(const ExecPlan &plan, const NodeMap &nodes = {});

/// The same for a plan of the Simple protocol. Reductions read from the
/// memory of other ranks where nothing overwrites it before, and values are put where they are
/// received.
std::optional<Plan> emitDirect(const ExecPlan &plan, const NodeMap &nodes = {});

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_EMIT_COMPACT_H
