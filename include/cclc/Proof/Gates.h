//===- Gates.h - Verification of generations --------------------*- C++ -*-===//
//
// Calls of collectives enter the gates of their communicators in the order of the program
// (IR/Generations.h). Every rank has its own gate on every communicator, and enters the phases in
// which it has an operation. A plan is correct if
//
//   * on every communicator, the generations of the phases that a rank enters ascend, and so do the
//     user generations of its calls;
//   * a message is sent and received in the same generation of the same communicator;
//   * no threadblock returns to an earlier generation of a communicator.
//
// The structural verifier (IR/Verifier.h) checks that messages stay inside a group of their
// communicator and that phases have generations. The simulator enforces the same rules at run time
// (Sim/Engine.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_GATES_H
#define CCL_PROOF_GATES_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/Connections.h"
#include "cclc/IR/InstrProgram.h"

namespace cclc {

/// A violation: the first phase, and its first rank, that would enter a gate whose counter is
/// higher.
struct ClosedGate {
  RankId rank;
  uint32_t phase;
  uint32_t expected; ///< the lowest generation that the gate accepts
  uint32_t before;   ///< the phase that set the counter
  /// Whether the user generation of the call is too low.
  bool ofUser = false;
};
std::optional<ClosedGate> findClosedGate(const ChunkProgram &program);
std::optional<ClosedGate> findClosedGate(const InstrProgram &program);
std::optional<ClosedGate> findClosedGate(const ExecPlan &plan);

/// Reports the gate, the expected and the actual generation.
void reportClosedGate(const ProgramInfo &info, const ClosedGate &closed, DiagnosticEngine &diags);

/// Checks a program: generations ascend.
LogicalResult checkGates(const ChunkProgram &program, DiagnosticEngine &diags);
LogicalResult checkGates(const InstrProgram &program, DiagnosticEngine &diags);
/// Checks a plan: all conditions above.
LogicalResult checkGates(const ExecPlan &plan, const ConnectionTable &connections,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_PROOF_GATES_H
