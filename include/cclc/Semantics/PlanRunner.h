//===- PlanRunner.h - The control flow of a plan ----------------*- C++ -*-===//
//
// Runs every threadblock as far as messages, slots and waits allow, over and
// over, until all are complete or all are blocked. No data, no time.
//
// Whether all get done does not depend on the order: what a step needs never
// goes away again once it is there. A run that ends has therefore visited the
// steps in a topological order of the happens-before graph G_c (threadblock
// order; waits; i-th send to i-th receive; with c slots, i-th receive to
// (i+c)-th send), and a run that gets stuck proves a cycle in it.
//
// Runtimes split a step of a large count into several transmissions, each of
// which takes a slot. Then a step that sends is several sends; a fused step
// receives and sends once for each.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_PLANRUNNER_H
#define CCL_SEMANTICS_PLANRUNNER_H

#include "cclc/IR/Connections.h"
#include "cclc/Support/Units.h"

namespace cclc {

class PlanRunner {
public:
  PlanRunner(const ExecPlan &plan, const ConnectionTable &connections);

  /// From now on a step takes one transmission for every \p chunks chunks, rounded up.
  void setChunksPerTransmission(uint32_t chunks) { chunksPerTransmission = chunks; }

  /// Runs from the start; visit(threadblock, step) is called for each step as it
  /// completes its first transmission, both as indices into the plan. True when all steps
  /// completed.
  template <class Visit> bool run(Slots slots, Visit &&visit);
  bool run(Slots slots) {
    return run(slots, [](uint32_t, uint32_t) {});
  }

  /// What an unfinished threadblock waits for after a run that got stuck.
  struct Blockage {
    enum class Reason { Message, Slot, Dependence } reason;
    uint32_t step;    ///< that cannot go on
    uint32_t otherTb; ///< whose progress it needs
    uint32_t message; ///< Message: the ordinal it waits for; Slot: the one it cannot send
    std::optional<uint32_t> otherStep; ///< Dependence: the step that must complete
  };
  std::optional<Blockage> blockage(uint32_t threadblock, Slots slots) const;

  /// The step that publishes what a wait of \p step asks for.
  std::optional<uint32_t> waitTarget(uint32_t threadblock, uint32_t step) const;

private:
  struct ThreadblockState {
    uint32_t next, end; ///< steps
    OptionalId<ConnectionId> send, recv;
    uint32_t transmissions = 0; ///< of step `next`, that are done
    bool queued = false;
    /// Threadblocks that wait for a step of this one, as a list through `link`.
    uint32_t waiters = none, link = none;
  };
  struct ConnectionState {
    uint32_t sent = 0, received = 0;
    bool senderWaits = false, receiverWaits = false;
  };
  static constexpr uint32_t none = ~uint32_t(0);

  void reset();
  void enqueue(uint32_t threadblock) {
    if (!states[threadblock].queued) {
      states[threadblock].queued = true;
      ready.push_back(threadblock);
    }
  }
  template <class Visit> void advance(uint32_t threadblock, Slots slots, Visit &visit);

  const ExecPlan &plan;
  const ConnectionTable &connections;
  std::vector<OptionalId<StepId>> publishers; ///< empty when nothing waits
  std::vector<ThreadblockState> states;
  std::vector<ConnectionState> connectionStates;
  std::vector<uint32_t> ready; ///< threadblocks to look at again
  uint32_t chunksPerTransmission = ~uint32_t(0);
};

template <class Visit> void PlanRunner::advance(uint32_t threadblock, Slots slots, Visit &visit) {
  ThreadblockState &self = states[threadblock];
  for (; self.next < self.end; ++self.next) {
    const Step &step = plan.steps()[self.next];
    const OpTraits &op = traits(step.op);
    if (step.waits() && self.transmissions == 0) {
      uint32_t target = *waitTarget(threadblock, self.next);
      uint32_t owner =
          plan.firstThreadblock(plan.threadblocks()[threadblock].rank) + step.wait()->tb.index();
      ThreadblockState &other = states[owner];
      if (other.next <= target) {
        if (owner != threadblock) {
          self.link = other.waiters;
          other.waiters = threadblock;
        }
        return;
      }
    }
    uint32_t transmissions =
        op.sends || op.receives ? ceilDiv(step.count, chunksPerTransmission) : 1;
    for (; self.transmissions < transmissions; ++self.transmissions) {
      if (op.receives) {
        ConnectionState &state = connectionStates[(*self.recv).index()];
        if (state.sent == state.received) {
          state.receiverWaits = true;
          return;
        }
      }
      if (op.sends) {
        ConnectionState &state = connectionStates[(*self.send).index()];
        if (!slots.admits(state.sent - state.received)) {
          state.senderWaits = true;
          return;
        }
      }
      if (self.transmissions == 0)
        visit(threadblock, self.next);
      if (op.receives) {
        ConnectionState &state = connectionStates[(*self.recv).index()];
        ++state.received;
        if (state.senderWaits) {
          state.senderWaits = false;
          enqueue(connections.connections()[(*self.recv).index()].senderTb);
        }
      }
      if (op.sends) {
        ConnectionState &state = connectionStates[(*self.send).index()];
        ++state.sent;
        if (state.receiverWaits) {
          state.receiverWaits = false;
          enqueue(connections.connections()[(*self.send).index()].receiverTb);
        }
      }
    }
    self.transmissions = 0;
    // The waiters look at `next`, which is advanced before any of them runs.
    if (step.publishes)
      for (uint32_t &waiter = self.waiters; waiter != none;) {
        uint32_t woken = waiter;
        waiter = states[woken].link;
        states[woken].link = none;
        enqueue(woken);
      }
  }
}

template <class Visit> bool PlanRunner::run(Slots slots, Visit &&visit) {
  reset();
  std::vector<uint32_t> batch;
  while (!ready.empty()) {
    batch.swap(ready);
    for (uint32_t threadblock : batch) {
      states[threadblock].queued = false;
      advance(threadblock, slots, visit);
    }
    batch.clear();
  }
  for (const ThreadblockState &thread : states)
    if (thread.next < thread.end)
      return false;
  return true;
}

} // namespace cclc

#endif // CCL_SEMANTICS_PLANRUNNER_H
