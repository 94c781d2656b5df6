//===- CacheFolder.h - The folder of what can be made again -----*- C++ -*-===//

#ifndef CCL_SUPPORT_CACHEFOLDER_H
#define CCL_SUPPORT_CACHEFOLDER_H

#include <string>

namespace cclc {

/// $XDG_CACHE_HOME/cclc, or else ~/.cache/cclc; it may not exist. Empty if neither is set.
std::string cacheFolder();

} // namespace cclc

#endif // CCL_SUPPORT_CACHEFOLDER_H
