//===- ChunkChecker.h - Is the traced program the collective ----*- C++ -*-===//
//
// Stage 2 of the toolchain: executes the traced program on symbolic values,
// under every placement that it is offered for, and compares every output cell
// with the post-condition. Errors point to the user's line that wrote the wrong
// value last, with a note on where the value was computed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_CHUNKCHECKER_H
#define CCL_SEMANTICS_CHUNKCHECKER_H

#include "cclc/IR/ChunkProgram.h"

namespace cclc {

/// Reports the first wrong cell (and how many more there are), the first read of a
/// cell that is uninitialised, or the first call whose generations decrease (Gates.h).
LogicalResult checkProgram(const ChunkProgram &program, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEMANTICS_CHUNKCHECKER_H
