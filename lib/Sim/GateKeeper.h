//===- GateKeeper.h - Enforcing generations at run time ---------*- C++ -*-===//
//
// Every trip through the step list issues the calls of the program again, with higher generations
// than the previous trip. Gates take no time: a threadblock continues, possibly ahead of other
// ranks, as soon as its step can execute.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_GATEKEEPER_H
#define CCL_LIB_SIM_GATEKEEPER_H

#include "cclc/Proof/Gates.h"

namespace cclc {

class GateKeeper {
public:
  explicit GateKeeper(const ExecPlan &plan) : plan(plan), phases(plan.info().phases) {
    for (uint32_t p = 0; p < phases.size(); ++p)
      if (phases[p].gate)
        span = std::max<uint64_t>(span, uint64_t(phases[p].gate->generation.value_or(0)) + 1);
    if (span)
      passed.resize(plan.threadblocks().size() * plan.info().communicators.size());
  }

  bool hasGates() const { return span != 0; }

  /// Enters the gate of \p step of \p threadblock in trip \p trip. Returns the violation if the
  /// threadblock has already entered a later generation on its communicator.
  std::optional<ClosedGate> enter(uint32_t threadblock, uint32_t step, uint64_t trip) {
    const std::optional<Gate> &gate = gateOf(step);
    if (!gate)
      return std::nullopt;
    Passed &last = passed[threadblock * plan.info().communicators.size() + gate->communicator];
    uint64_t generation = generationOf(step, trip);
    if (generation < last.generation)
      return ClosedGate{plan.threadblocks()[threadblock].rank, plan.steps()[step].phase,
                        uint32_t(last.generation % span), last.phase};
    last = {generation, plan.steps()[step].phase};
    return std::nullopt;
  }

  /// Whether a message of \p send has the generation of \p recv.
  bool match(uint32_t send, uint64_t sendTrip, uint32_t recv, uint64_t recvTrip) const {
    const std::optional<Gate> &out = gateOf(send), &in = gateOf(recv);
    if (!out || !in)
      return !out && !in;
    return out->communicator == in->communicator &&
           generationOf(send, sendTrip) == generationOf(recv, recvTrip);
  }

private:
  struct Passed {
    uint64_t generation = 0;
    uint32_t phase = 0;
  };
  const std::optional<Gate> &gateOf(uint32_t step) const {
    return phases[plan.steps()[step].phase].gate;
  }
  uint64_t generationOf(uint32_t step, uint64_t trip) const {
    return trip * span + gateOf(step)->generation.value_or(0);
  }

  const ExecPlan &plan;
  ArrayRef<Phase> phases;
  uint64_t span = 0;          ///< number of generations of one trip
  std::vector<Passed> passed; ///< by threadblock and communicator
};

} // namespace cclc

#endif // CCL_LIB_SIM_GATEKEEPER_H
