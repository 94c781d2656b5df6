//===- SizedPlan.h - An MSCCL++ plan for one size of messages ---*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_SIZEDPLAN_H
#define CCL_SIM_MSCCLPP_SIZEDPLAN_H

#include "cclc/Mscclpp/Plan.h"
#include "cclc/Sim/PlacedPlan.h"

namespace cclc::mscclpp {

/// The executor accepts sizes that are multiples of these bytes: of the alignment of all chunks.
uint64_t sizeMultiple(const Header &header);

/// A plan whose pipelines and shared operations are replaced by those that the executor performs
/// for one size. All chunks have equal size.
struct SizedPlan {
  const Plan &file;
  Plan plan;            ///< without pipelines and shares
  uint64_t bytes;       ///< of a chunk of `plan`
  uint64_t bytesOfFile; ///< of a chunk of `file`
  Bytes requested;
  DataType type;

  uint64_t bytesOf(const Place &place) const { return place.count * bytes; }
  uint64_t elementsOfFile() const { return bytesOfFile / sizeOf(type); }
  /// The number of \p op of \p threadblock in `file`.
  uint32_t numberInFile(uint32_t threadblock, const Operation &op) const {
    return file.threadblocks()[threadblock].ops.first + op.number;
  }

  /// One piece, with chunks of the file.
  Sizing sizing() const {
    return {requested, type, elementsOfFile(), elementsOfFile(), /*pieces=*/1};
  }

  /// Fails if the executor does not accept the size: it is outside of the range of the plan, no
  /// sizeMultiple(), or a buffer is too large for its offsets.
  static FailureOr<SizedPlan> create(const Plan &plan, Bytes requested, DataType type,
                                     DiagnosticEngine &diags);
};

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_SIZEDPLAN_H
