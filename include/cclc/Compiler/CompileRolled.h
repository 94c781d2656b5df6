//===- CompileRolled.h - Compiling a program to a rolled plan ---*- C++ -*-===//
//
// Compiles one repetition of the orbits of a symmetric program on folded ranks
// (Symmetry/SymmetricProgram.h), with the passes and the scheduler of compile(), in time
// independent of the number of ranks except by the length of the repetition.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_COMPILEROLLED_H
#define CCL_COMPILER_COMPILEROLLED_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Symmetry/Rolled/RolledPlan.h"

namespace cclc {

struct RolledOutcome {
  ExitCode code;
  std::optional<RolledPlan> plan; ///< set on success
  /// Unset if the proof was skipped.
  std::optional<PlanProof> report = {};
};

/// Fails if the program is not symmetric, or the request has a target or needs several instances,
/// since chunks are then divided. On failure the error is in the diagnostics.
RolledOutcome compileRolled(const dsl::Declaration &declaration, const CompileRequest &request,
                            DiagnosticEngine &diags);

/// A program with more operations on all ranks has a rolled plan by default
/// (CompileRequest::mayRoll).
inline constexpr uint64_t mostUnrolledOps = uint64_t(1) << 24;

} // namespace cclc

#endif // CCL_COMPILER_COMPILEROLLED_H
