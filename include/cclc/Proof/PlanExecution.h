//===- PlanExecution.h - A plan executed on symbolic values -----*- C++ -*-===//
//
// Executes a deadlock-free plan on symbolic values, in one topological order and under one
// placement. If the plan has no races either, every other interleaving gives the same values.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_PLANEXECUTION_H
#define CCL_PROOF_PLANEXECUTION_H

#include "cclc/Proof/PlanControlFlow.h"
#include "cclc/Proof/SymbolicMemory.h"

namespace cclc {

/// Whether \p step writes the input, which is read-only out of place.
inline bool writesReadOnlyInput(const Step &step, Placement placement) {
  return placement == Placement::OutOfPlace && traits(step.op).writesDst &&
         step.dst.buffer() == Buffer::Input;
}
/// "r0 tb1 step 2 (cpy) writes the input, which is read-only out of place".
std::string readOnlyInputText(const ExecPlan &plan, StepId step);

class PlanExecution {
public:
  PlanExecution(const ExecPlan &plan, const ConnectionTable &connections, PlanControlFlow &runner,
                Placement placement, Ranges ranges = Ranges::Separate);
  /// The memory before the first step, for a run that calls execute() for every step.
  PlanExecution(const ExecPlan &plan, const ConnectionTable &connections, Placement placement,
                Ranges ranges);
  void execute(PlanThreadblockId threadblock, StepId step, const ConnectionTable &connections);

  /// The memory after the last step. Writer ids are the numbers of steps of the plan.
  const SymbolicMemory &memory() const { return theMemory; }

  /// The reduction order of output chunk \p index of \p rank.
  std::string reductionOrder(RankId rank, uint32_t index) const;
  /// A hash over the reduction orders of all output chunks: equal hashes imply bit-equal results.
  uint64_t reductionHash() const;

  /// Part 4 of the proof: reports the first wrong cell, with the number of further ones.
  LogicalResult checkPostCondition(DiagnosticEngine &diags) const;

private:
  struct Fifo {
    std::vector<ValueRun> runs;
    size_t taken = 0;
    /// Removes the runs that were taken, once they are many, and half of all.
    void dropTaken() {
      constexpr size_t many = 64;
      if (taken < runs.size() && (taken < many || 2 * taken < runs.size()))
        return;
      runs.erase(runs.begin(), runs.begin() + taken);
      taken = 0;
    }
  };
  /// The values of the next message of \p count chunks.
  static ArrayRef<ValueRun> take(Fifo &fifo, uint32_t count);

  /// The step that read the culprit of \p wrong from the input, if the plan can be traced.
  std::optional<StepId> readerOf(const SymbolicMemory::WrongOutput &wrong) const;
  /// The sum of one message of each connection in \p from and of \p local, formed by the switch.
  ValueRuns addInSwitch(ArrayRef<ConnectionId> from, std::optional<ValueRuns> local, uint32_t count,
                        WriterId writer);

  const ExecPlan &plan;
  SymbolicMemory theMemory;
  std::vector<Fifo> fifos; ///< by connection
  std::optional<StepId> inputWriter;
};

} // namespace cclc

#endif // CCL_PROOF_PLANEXECUTION_H
