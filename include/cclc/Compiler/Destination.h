//===- Destination.h - The form that a plan is compiled for -----*- C++ -*-===//

#ifndef CCL_COMPILER_DESTINATION_H
#define CCL_COMPILER_DESTINATION_H

#include "cclc/Compiler/Compile.h"
#include "cclc/Formats/PlanFormat.h"

namespace cclc {

/// Lets \p request, whose target and protocol are set, make a plan that is written as \p form, for
/// the runtime of \p dialect if the form has dialects. Slots that are set remain.
void setDestination(const PlanFormat &form, const MscclDialect &dialect, CompileRequest &request);

} // namespace cclc

#endif // CCL_COMPILER_DESTINATION_H
