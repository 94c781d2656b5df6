//===- Compression.h - Compressed files -------------------------*- C++ -*-===//
//
// A file whose name ends in .zst is written compressed with Zstandard (RFC 8878), in .gz with gzip
// (RFC 1952). Readers recognise both by the first bytes, whatever the name. The bytes of a
// compressed file depend on the content and the version of the library alone: there is no time and
// no name in it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_COMPRESSION_H
#define CCL_SUPPORT_COMPRESSION_H

#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace cclc {

/// \p path without the ending .zst or .gz, so that the ending before it says what the content is.
StringRef withoutCompression(StringRef path);

/// A stream that compresses to \p to as the name \p path asks, or null if it asks for nothing.
/// Its destructor writes the end of the file; \p to must outlive it, and holds the errors.
std::unique_ptr<raw_ostream> compressingStream(StringRef path, raw_ostream &to);

/// The content of \p file, which is returned as it is unless it is compressed. \p shown names the
/// file in the message "cannot read SHOWN: ...".
FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
decompressed(std::unique_ptr<llvm::MemoryBuffer> file, const llvm::Twine &shown,
             DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SUPPORT_COMPRESSION_H
