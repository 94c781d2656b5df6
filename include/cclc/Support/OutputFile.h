//===- OutputFile.h - Atomic replacement of files ---------------*- C++ -*-===//

#ifndef CCL_SUPPORT_OUTPUTFILE_H
#define CCL_SUPPORT_OUTPUTFILE_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace cclc {

/// Writes a file atomically: readers see the old content or all of the new content. The file's mode
/// is kept, and symbolic links to it continue to refer to it. Devices and pipes are written
/// directly, and "-" is standard output. A name that ends in .zst or .gz asks for compression
/// (Compression.h).
LogicalResult writeFile(StringRef path, llvm::function_ref<void(raw_ostream &)> write,
                        DiagnosticEngine &diags);

/// Creates a folder and those that contain it, with the permissions of the umask. Fails if no files
/// can be created in it.
LogicalResult createFolder(const std::string &path, DiagnosticEngine &diags);

/// The target of a chain of symbolic links, which need not exist yet.
std::string followLinks(StringRef link);

} // namespace cclc

#endif // CCL_SUPPORT_OUTPUTFILE_H
