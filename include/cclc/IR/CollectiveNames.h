//===- CollectiveNames.h - The collectives with a definition ----*- C++ -*-===//

#ifndef CCL_IR_COLLECTIVENAMES_H
#define CCL_IR_COLLECTIVENAMES_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// The names of all collectives but the custom one.
std::vector<std::string> collectiveNames();

/// A collective by its name, in the spelling of cclc or of MPI; reports an unknown one.
FailureOr<CollectiveKind> parseCollective(StringRef name, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_IR_COLLECTIVENAMES_H
