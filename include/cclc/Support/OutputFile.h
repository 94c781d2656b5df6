//===- OutputFile.h - Files that are written in one piece -------*- C++ -*-===//

#ifndef CCL_SUPPORT_OUTPUTFILE_H
#define CCL_SUPPORT_OUTPUTFILE_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace cclc {

/// Writes a file in one piece: readers see the old one or the whole new one, which has its
/// mode. Symbolic links stay and lead to the new file. Devices and pipes are written as they
/// are, and "-" is standard output.
LogicalResult writeFile(StringRef path, llvm::function_ref<void(raw_ostream &)> write,
                        DiagnosticEngine &diags);

/// Where symbolic links lead, even if there is no file yet.
std::string followLinks(StringRef link);

} // namespace cclc

#endif // CCL_SUPPORT_OUTPUTFILE_H
