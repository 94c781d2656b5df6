//===- RunData.h - The buffers of an execution ------------------*- C++ -*-===//
//
// Memory for the ranks of this process, filled with the data of a test and compared with what is
// expected. Processes that share memory have the buffers of each other, so that messages need no
// slots. Buffers have the requested size: nothing is padded but scratch.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_RUNDATA_H
#define CCL_RUN_RUNDATA_H

#include "cclc/Run/Group.h"
#include "cclc/Sim/Data/DataMismatch.h"
#include "cclc/Sim/Data/InputData.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc::run {

/// The last step of an average: divides the outputs of \p rank, which are sums.
void finishAverages(const PreparedPlan &plan, RankId rank, const RankBuffers &buffers);

/// Writes the bytes that the input of \p rank has into all of its cache lines, which leave the
/// caches of others.
void rewriteInput(const PreparedPlan &plan, RankId rank, const RankBuffers &buffers);

class RunData {
public:
  /// For the local ranks of \p group, whose processes all make such an object. The buffers of other
  /// ranks are null, unless their memory is shared.
  RunData(const PreparedPlan &plan, Placement placement, Group &group);

  /// By rank.
  ArrayRef<RankBuffers> buffers() const { return pointers; }
  /// Stores the inputs of \p run and clears outputs, so that results of the last run do not hide
  /// missing writes.
  void fill(const InputData &inputs, uint32_t run);
  /// The elements of an output chunk that are expected after a run, as many as a chunk has at most;
  /// null if they are not constrained.
  using Expected = llvm::function_ref<const std::byte *(RankId, uint32_t chunk, uint32_t run)>;
  /// Adds the differences of the outputs after \p run to \p mismatch.
  void compare(Expected expected, uint32_t run, std::optional<DataMismatch> &mismatch) const;

private:
  const PreparedPlan &plan;
  std::vector<RankId> ranks;
  std::shared_ptr<std::byte> memory; ///< of near ranks
  std::vector<RankBuffers> pointers;
};

} // namespace cclc::run

#endif // CCL_RUN_RUNDATA_H
