//===- CacheFolder.h - The folder of what can be made again -----*- C++ -*-===//

#ifndef CCL_SUPPORT_CACHEFOLDER_H
#define CCL_SUPPORT_CACHEFOLDER_H

#include "cclc/Support/LLVM.h"

#include <string>

namespace cclc {

/// $XDG_CACHE_HOME/cclc, or else ~/.cache/cclc; it may not exist. Empty if neither is set.
std::string cacheFolder();

/// A text that another version of the file \p path does not have: its bytes and the time of its
/// last change. Empty if there is no such file.
std::string fileStamp(StringRef path);

/// Removes what is in \p folder, files and folders, but for the \p most that were changed last.
void keepNewest(StringRef folder, size_t most);

} // namespace cclc

#endif // CCL_SUPPORT_CACHEFOLDER_H
