//===- Interpreters.h - Two oracles of the property tests -------*- C++ -*-===//
//
// The oracle of the property tests: direct execution of a chunk program in trace
// order, and execution of a plan with real FIFOs in a random interleaving. Both
// operate on plain numbers and share no code with the compiler or the verifier;
// they use only the IR's data types.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TEST_SUPPORT_INTERPRETERS_H
#define CCL_TEST_SUPPORT_INTERPRETERS_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/ExecPlan.h"

#include <functional>
#include <map>
#include <optional>

namespace cclc::test {

/// The output buffers of all ranks; cells that were never written are missing.
using Outputs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// Adds modulo 2^64; the initial value of every input chunk is a random number.
Outputs executeDirectly(const ChunkProgram &program, Placement placement);

/// The initial value of an input chunk, by rank and index.
using Fill = std::function<uint64_t(uint32_t, uint32_t)>;

/// Executes a random ready threadblock at a time. None if all are blocked before the end. Without
/// \p fill, inputs are random numbers.
std::optional<Outputs> executePlan(const ExecPlan &plan, Placement placement, Slots slots,
                                   uint64_t seed, const Fill &fill = nullptr);

} // namespace cclc::test

#endif // CCL_TEST_SUPPORT_INTERPRETERS_H
