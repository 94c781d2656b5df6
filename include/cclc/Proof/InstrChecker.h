//===- InstrChecker.h - Verification of an instruction program --*- C++ -*-===//
//
// Executes an instruction program on symbolic values, in the order of its positions, and compares
// every output cell with the post-condition. Generations must ascend. --verify-each runs it between
// passes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_INSTRCHECKER_H
#define CCL_PROOF_INSTRCHECKER_H

#include "cclc/IR/InstrProgram.h"

namespace cclc {

LogicalResult checkProgram(const InstrProgram &program, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_PROOF_INSTRCHECKER_H
