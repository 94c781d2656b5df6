//===- PlanControlFlow.h - The control flow of a plan -----------*- C++ -*-===//
//
// Runs every threadblock as far as messages, slots and waits allow, repeatedly, until all are
// complete or all are blocked. Neither data nor times are computed.
//
// Whether all steps complete does not depend on the order, because a step that can execute stays
// executable. A run that completes has therefore visited the steps in a topological order of the
// happens-before graph G_c (threadblock order; waits; i-th send to i-th receive; with c slots, i-th
// receive to (i+c)-th send), and a run that is blocked proves that G_c has a cycle.
//
// Runtimes split a step with a large count into several transmissions, each of which takes a slot.
// A sending step is then several sends, and a fused step receives and sends once per transmission.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_PLANCONTROLFLOW_H
#define CCL_PROOF_PLANCONTROLFLOW_H

#include "cclc/IR/Connections.h"
#include "cclc/Proof/MessageCounts.h"
#include "cclc/Support/Units.h"

namespace cclc {

class PlanControlFlow {
public:
  PlanControlFlow(const ExecPlan &plan, const ConnectionTable &connections);

  /// Sets the size of a transmission in chunks; a step takes ceil(count / \p chunks).
  void setChunksPerTransmission(uint32_t chunks) {
    chunksPerTransmission = chunks;
    forgetOrder();
  }

  /// Runs from the start. Calls visit(PlanThreadblockId, StepId) for each step when it completes
  /// its first transmission. Returns whether all steps completed.
  template <class Visit> bool run(Slots slots, Visit &&visit);
  bool run(Slots slots) {
    return run(slots, [](PlanThreadblockId, StepId) {});
  }

  /// Runs from the start with the smallest number of slots with which all steps complete, and
  /// returns it. Calls \p visit as run() does. None if the plan deadlocks with unlimited slots.
  /// Runs with unlimited slots that follow have the same order, which is kept.
  template <class Visit> std::optional<uint32_t> runWithLeastSlots(Visit &&visit);
  std::optional<uint32_t> runWithLeastSlots() {
    return runWithLeastSlots([](PlanThreadblockId, StepId) {});
  }
  bool hasOrder() const { return !order.empty(); }
  void forgetOrder() { order = std::vector<Stretch>(); }

  /// The condition that an unfinished threadblock waits for after a blocked run.
  struct Blockage {
    enum class Reason { Message, Slot, Dependence } reason;
    StepId step;               ///< the blocked step
    PlanThreadblockId otherTb; ///< the threadblock that it waits for
    uint32_t message;          ///< Message, Slot: the number of the message to receive or to send
    std::optional<StepId> otherStep; ///< Dependence: the step that must complete
  };
  std::optional<Blockage> blockage(PlanThreadblockId threadblock, Slots slots) const;

  /// The publishing step that satisfies the wait of \p step.
  std::optional<StepId> waitTarget(PlanThreadblockId threadblock, StepId step) const;

private:
  struct ThreadblockState {
    uint32_t next, end; ///< steps
    ArrayRef<ConnectionId> sends, recvs;
    uint32_t transmissions = 0; ///< completed transmissions of step `next`
    bool queued = false;
    /// Threadblocks that wait for a step of this one, a list linked by `link`.
    OptionalIndex waiters = {}, link = {};
  };

  /// Successive steps of a threadblock in the order of a run: those up to `end` that are not in
  /// earlier stretches.
  struct Stretch {
    uint32_t threadblock, end;
  };

  void reset();
  template <class Visit> void replay(Visit &visit) const;
  void enqueue(uint32_t threadblock) {
    if (!std::exchange(states[threadblock].queued, true))
      ready.push_back(threadblock);
  }
  template <class Visit> void advance(uint32_t threadblock, Slots slots, Visit &visit);
  template <class Visit> void advanceAll(Slots slots, Visit &visit);
  bool isComplete() const;
  /// Whether the wait of the next step is satisfied; if not, the threadblock will be woken.
  bool awaitStep(uint32_t threadblock);
  MessageCounts &counts(ConnectionId connection) { return messages[connection.index()]; }

  const ExecPlan &plan;
  const ConnectionTable &connections;
  std::vector<OptionalId<StepId>> publishers; ///< empty if the plan has no waits
  std::vector<ThreadblockState> states;
  std::vector<MessageCounts> messages; ///< by connection
  std::vector<uint32_t> ready;         ///< threadblocks that may be able to continue
  std::vector<Stretch> order;          ///< of runWithLeastSlots(), if all steps completed
  uint32_t chunksPerTransmission = ~uint32_t(0);
};

} // namespace cclc

#include "cclc/Proof/PlanRunnerLoop.h"

#endif // CCL_PROOF_PLANCONTROLFLOW_H
