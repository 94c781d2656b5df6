//===- PlanBehaviour.h - The behaviour of an executed plan ------*- C++ -*-===//
//
// The behaviour of small plans, for comparison with the verdict of the prover, from
// which nothing is used here: executions in random orders, races by the closure of
// all edges between transmissions of one chunk, and the table of collectives.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_PLANBEHAVIOUR_H
#define CCL_TEST_SUPPORT_PLANBEHAVIOUR_H

#include "Interpreters.h"

#include <string>

namespace cclc::test {

struct PlanBehaviour {
  bool completes = true;    ///< with the given slots, in each of the orders
  bool isUnordered = false; ///< some pair of conflicting accesses is not ordered
  bool varies = false;      ///< outputs differ between orders
  bool isRight = true; ///< all outputs are those of the collective, and no input is overwritten
  friend bool operator==(const PlanBehaviour &, const PlanBehaviour &) = default;
};

/// Executes \p plan in \p orders random orders for each placement.
PlanBehaviour observe(const ExecPlan &plan, Slots slots, uint32_t orders, uint64_t seed);

/// Why the prover's verdict, by its name, contradicts the behaviour; "" if they agree.
std::string contradiction(StringRef verdict, const PlanBehaviour &behaviour);

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_PLANBEHAVIOUR_H
