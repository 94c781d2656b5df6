//===- ChunkChecker.h - Verification of the traced program ------*- C++ -*-===//
//
// Stage 2 of the toolchain: executes the traced program on symbolic values, under each of its
// placements, and compares every output cell with the post-condition. Errors point to the user's
// line that last wrote the wrong cell, with a note at the line that computed the value.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_CHUNKCHECKER_H
#define CCL_PROOF_CHUNKCHECKER_H

#include "cclc/IR/ChunkProgram.h"

namespace cclc {

/// Reports the first wrong cell (with the number of further ones), the first read of an
/// uninitialised cell, or the first call whose generations decrease (Gates.h). Up to \p jobs
/// placements are checked at a time.
LogicalResult checkProgram(const ChunkProgram &program, DiagnosticEngine &diags, unsigned jobs = 1);

} // namespace cclc

#endif // CCL_PROOF_CHUNKCHECKER_H
