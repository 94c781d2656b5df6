//===- Replay.h - Expected results for random data --------------*- C++ -*-===//
//
// The sum of random floating-point data depends on the order of the operands, so the expected
// result of a plan is its own reduction order. The symbolic execution of the verifier gives this
// order as expressions, which are evaluated here on the data, without the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_DATA_REPLAY_H
#define CCL_SIM_DATA_REPLAY_H

#include "cclc/IR/Connections.h"
#include "cclc/Proof/PlanExecution.h"
#include "cclc/Sim/Data/InputData.h"

#include <unordered_map>

namespace cclc {

class Replay {
public:
  /// The plan, its connections and the inputs must outlive the object.
  Replay(const ExecPlan &plan, const ConnectionTable &connections, const InputData &input,
         DataType type, ReduceOp op, uint64_t chunkElements, Placement placement);

  /// The expected elements of an output chunk after \p run.
  const std::byte *expected(RankId rank, uint32_t chunk, uint32_t run);

private:
  using Elements = std::vector<std::byte>;
  const Elements &evaluate(ValueId value);
  Elements load(Contribution from) const;

  const Collective &collective;
  const InputData &input;
  DataType type;
  ReduceOp op;
  uint64_t chunkElements;
  PlanControlFlow runner;
  PlanExecution execution;
  /// The expected outputs of one run, by value; divided, for averages. Ranks with copies of the
  /// same sum share an entry.
  std::unordered_map<uint32_t, Elements> outputs;
  uint32_t outputsOf = 0; ///< the run of `outputs`
  /// Partial results of the current expression.
  std::unordered_map<uint32_t, Elements> partial;
};

} // namespace cclc

#endif // CCL_SIM_DATA_REPLAY_H
