//===- Sha256.h - Names for contents ----------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_SHA256_H
#define CCL_SUPPORT_SHA256_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// The SHA-256 of \p text in 64 lower-case hexadecimal digits.
std::string sha256(StringRef text);

} // namespace cclc

#endif // CCL_SUPPORT_SHA256_H
