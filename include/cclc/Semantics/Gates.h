//===- Gates.h - Do the generations of calls only grow ----------*- C++ -*-===//
//
// Calls of collectives enter the gates of their communicators in the order of the
// program (IR/Generations.h). A plan keeps the contract if
//
//   * on every communicator no phase has a generation that its gates have passed;
//   * messages of a phase stay inside a group of its communicator;
//   * a message is sent and received by phases of one generation of one communicator;
//   * no threadblock goes back to an earlier generation of a communicator.
//
// The engine enforces the same while it runs (Sim/Engine.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_GATES_H
#define CCL_SEMANTICS_GATES_H

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/Connections.h"

namespace cclc {

/// The first phase that would enter a gate which is ahead of it.
struct ClosedGate {
  uint32_t phase;
  uint32_t expected; ///< at least
  uint32_t before;   ///< phase that left the gate there
};
std::optional<ClosedGate> findClosedGate(const ProgramInfo &info);

/// Reports the gate, what it expects and what came.
void reportClosedGate(const ProgramInfo &info, const ClosedGate &closed, DiagnosticEngine &diags);

/// Of a traced program: gates whose generations are allocated, and who sends to whom.
LogicalResult checkGates(const ChunkProgram &program, DiagnosticEngine &diags);
/// Of a plan: everything above.
LogicalResult checkGates(const ExecPlan &plan, const ConnectionTable &connections,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEMANTICS_GATES_H
