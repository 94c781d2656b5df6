//===- UniformOrder.h - Equal reduction orders ------------------*- C++ -*-===//
//
// A plan divides its buffer into chunks, and other sizes or plans divide it elsewhere. So an
// element has the same bits with all of them only if every chunk of every plan is reduced in one
// order: as one expression over the ranks. The two operands of a reduction may be exchanged, which
// does not change the result.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_UNIFORMORDER_H
#define CCL_PROOF_UNIFORMORDER_H

#include "cclc/IR/ExecPlan.h"
#include "cclc/Proof/SymbolicMemory.h"

namespace cclc {

/// A hash of the reduction order that all outputs of \p plan share, or in a scan those of each
/// rank: equal hashes imply bit-equal elements. Zero if nothing is reduced; unset if the order
/// differs between outputs. The plan must complete.
std::optional<uint64_t> findUniformOrder(const ExecPlan &plan);

/// Whether all ranks of an all-reduce get the same bits: each chunk of the result is one expression
/// over the ranks, the same on all of them. Different chunks may have different ones. \p memory has
/// the right result.
bool hasSameBits(const Collective &collective, const SymbolicMemory &memory);

} // namespace cclc

#endif // CCL_PROOF_UNIFORMORDER_H
