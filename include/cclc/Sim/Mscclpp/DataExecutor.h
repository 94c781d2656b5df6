//===- DataExecutor.h - Executing an MSCCL++ plan on data -------*- C++ -*-===//
//
// Moves and adds real elements as the simulation executes operations, and compares the outputs with
// the definition of the collective after every launch. Each launch has other inputs.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_MSCCLPP_DATAEXECUTOR_H
#define CCL_SIM_MSCCLPP_DATAEXECUTOR_H

#include "cclc/IR/CellSpace.h"
#include "cclc/Mscclpp/Proof/Groups.h"
#include "cclc/Sim/Data/DataMismatch.h"
#include "cclc/Sim/Data/ExpectedData.h"
#include "cclc/Sim/Mscclpp/Simulate.h"

namespace cclc::mscclpp {

class DataExecutor final : public DataMover {
public:
  /// The collective of the plan must have a post-condition, and its elements must be integers, f16,
  /// bf16 or f32, as those of the executor. All launches of \p sized add.
  DataExecutor(const SizedPlan &sized, uint32_t launches);

  void move(const Threadblock &tb, const Operation &op, uint64_t first, uint64_t bytes,
            uint32_t launch, std::optional<uint32_t> pair) override;
  void endLaunch(RankId rank, uint32_t launch) override;

  /// The first difference of all launches that have ended.
  const std::optional<DataMismatch> &mismatch() const { return found; }

private:
  static CellSpace makeSpace(const SizedPlan &sized);
  void fill(RankId rank, uint32_t launch);
  std::byte *buffer(RankId rank, Buffer buffer);
  std::byte *at(RankId rank, Buffer of, const Place &place, Access access, uint64_t first,
                uint32_t launch);
  SmallVector<std::byte *, 8> find(const Threadblock &tb, const Operation &op, const Place &place,
                                   Access access, uint64_t first, uint32_t launch);

  const SizedPlan &sized;
  const Plan &plan;
  uint32_t launches;
  CellSpace space;
  Groups groups;
  InputData inputs;
  ExpectedData expected;
  ReduceFn add;
  std::vector<std::vector<std::byte>> memory; ///< by rank
  std::vector<std::byte> value;               ///< of the current operation
  std::optional<DataMismatch> found;
};

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_DATAEXECUTOR_H
