//===- Listings.h - cclc list, targets, describe ----------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_LISTINGS_H
#define CCL_TOOLS_CCLC_LISTINGS_H

#include "cclc/DSL/Registry.h"
#include "cclc/Support/LLVM.h"

namespace cclc {

void printPrograms(const dsl::ProgramRegistry &registry, bool json, raw_ostream &os);
void printTargets(StringRef targetDir, bool json, raw_ostream &os);
/// Prints the parameters, defaults and limits of a program, its algorithm and its source.
void describeProgram(const dsl::Declaration &declaration, bool json, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCLC_LISTINGS_H
