//===- Replay.h - What random data must become ------------------*- C++ -*-===//
//
// Random floating-point data have no exact sum: what a plan must compute is its
// own reduction order, operand by operand. The verifier knows that order as
// expressions; here they are evaluated on the data, without the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_REPLAY_H
#define CCL_SIM_REPLAY_H

#include "cclc/Semantics/PlanExecution.h"
#include "cclc/Sim/DataExecutor.h"

#include <unordered_map>

namespace cclc {

class Replay {
public:
  Replay(const BoundPlan &bound, const Sizing &sizing, const InputData &input, ReduceOp op,
         Placement placement);

  /// The elements that an output chunk must hold after \p run.
  const std::byte *expected(RankId rank, uint32_t chunk, uint32_t run);

private:
  using Elements = std::vector<std::byte>;
  const Elements &evaluate(ValueId value);
  Elements load(Contribution from) const;

  const Collective &collective;
  const Sizing &sizing;
  const InputData &input;
  ReduceOp op;
  PlanRunner runner;
  PlanExecution execution;
  /// Of outputs of one run, by value; for averages divided. Ranks that hold copies of the
  /// same sum share an entry.
  std::unordered_map<uint32_t, Elements> outputs;
  uint32_t outputsOf = 0; ///< the run
  /// Of the expression that is being evaluated.
  std::unordered_map<uint32_t, Elements> partial;
};

} // namespace cclc

#endif // CCL_SIM_REPLAY_H
