//===- Gates.h - Do the generations of calls only grow ----------*- C++ -*-===//
//
// Calls of collectives enter the gates of their communicators in the order of the
// program (IR/Generations.h). Every rank has a gate of its own on every communicator, and
// enters a phase where it has an operation in it. A plan keeps the contract if
//
//   * on every communicator no rank enters a phase of a generation that its gate has
//     passed, nor a call of a user generation that is not above that of the call before;
//   * a message is sent and received by phases of one generation of one communicator;
//   * no threadblock goes back to an earlier generation of a communicator.
//
// That messages stay inside a group of their communicator, and that phases have
// generations, is structure (IR/Verifier.h). The engine enforces the same while it runs
// (Sim/Engine.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_GATES_H
#define CCL_SEMANTICS_GATES_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/Connections.h"

namespace cclc {

/// The first phase, and the first rank of it, that would enter a gate which is ahead.
struct ClosedGate {
  RankId rank;
  uint32_t phase;
  uint32_t expected; ///< at least
  uint32_t before;   ///< phase that left the gate there
  /// Whether it is the generation of the user's call that is too low.
  bool ofUser = false;
};
std::optional<ClosedGate> findClosedGate(const ChunkProgram &program);
std::optional<ClosedGate> findClosedGate(const ExecPlan &plan);

/// Reports the gate, what it expects and what came.
void reportClosedGate(const ProgramInfo &info, const ClosedGate &closed, DiagnosticEngine &diags);

/// Of a traced program: that no gate is closed.
LogicalResult checkGates(const ChunkProgram &program, DiagnosticEngine &diags);
/// Of a plan: everything above.
LogicalResult checkGates(const ExecPlan &plan, const ConnectionTable &connections,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEMANTICS_GATES_H
