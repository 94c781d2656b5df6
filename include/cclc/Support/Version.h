//===- Version.h - The version of the toolchain -----------------*- C++ -*-===//

#ifndef CCL_SUPPORT_VERSION_H
#define CCL_SUPPORT_VERSION_H

namespace cclc {

/// "1.2.3".
const char *versionString();

} // namespace cclc

#endif // CCL_SUPPORT_VERSION_H
