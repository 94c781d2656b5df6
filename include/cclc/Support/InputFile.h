//===- InputFile.h - Reading files, pipes and devices -----------*- C++ -*-===//

#ifndef CCL_SUPPORT_INPUTFILE_H
#define CCL_SUPPORT_INPUTFILE_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace cclc {

/// The content of a file, or of standard input for "-". Devices and pipes may be endless, so they
/// are read up to a limit. Compressed content is unpacked (Compression.h). \p shown names the file in the message "cannot read SHOWN: ...".
FailureOr<std::unique_ptr<llvm::MemoryBuffer>> readInput(StringRef path, const llvm::Twine &shown,
                                                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SUPPORT_INPUTFILE_H
