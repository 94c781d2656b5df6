//===- Unroll.h - Plans without pipelines and shares ------------*- C++ -*-===//
//
// The executor cuts an operation that a group of threadblocks shares into parts of whole granules,
// and executes the body of a pipeline for one piece of its chunks after the other. How many pieces
// there are, and where parts end, depends on the size of the message. For one size, a plan with
// such operations equals a plan with more and smaller chunks and without them, to which the proof
// applies. It is repeated for several sizes:
//
//   * pipelines: one piece, and chunks of one, two and three of the largest pieces;
//   * shares: chunks that are divisible by all numbers of parts, and up to three granules more.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCLPP_PROOF_UNROLL_H
#define CCL_MSCCLPP_PROOF_UNROLL_H

#include "cclc/Mscclpp/Plan.h"

namespace cclc::mscclpp {

/// A size of messages, in granules.
struct Division {
  uint32_t granules = 1;       ///< of a chunk
  uint64_t bytesOfPieces = 1;  ///< the greatest common divisor of the pieces of all pipelines ...
  uint64_t granulesOfThem = 1; ///< ... and what it is in granules
};

/// Whether the plan has pipelines or operations that threadblocks share.
bool needsUnrolling(const Plan &plan);

/// The sizes for which a plan that needs unrolling is proved; none if it has too many granules.
SmallVector<Division, 8> divisionsOf(const Plan &plan);

/// The same plan with the granules of \p division as chunks.
FailureOr<Plan> unroll(const Plan &plan, const Division &division, DiagnosticEngine &diags);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_PROOF_UNROLL_H
