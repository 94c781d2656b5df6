//===- ObjectCache.h - A cache of compiled programs -------------*- C++ -*-===//
//
// A file holds the latest object of a program, followed by its key and a hash of both:
//
//   object | key: 64 digits | SHA-256 of object and key: 64 digits
//
// A key is a hash of all inputs of the object (UserCompiler.h). Loaders ignore data after the
// object, so the file itself can be loaded. A file with a different key or a damaged file is
// replaced. Files are written under a temporary name and renamed, so several tools may write
// concurrently.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FRONTEND_OBJECTCACHE_H
#define CCL_LIB_FRONTEND_OBJECTCACHE_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <string>

namespace cclc {

/// The SHA-256 of \p text in lower-case hexadecimal digits.
std::string sha256(StringRef text);

class ObjectCache {
public:
  /// The file \p name in $XDG_CACHE_HOME/cclc, or else in ~/.cache/cclc.
  explicit ObjectCache(StringRef name);

  /// The path of the object for \p key, if it is cached.
  std::optional<std::string> find(StringRef key) const;
  /// Stores the object in file \p object, and returns its path in the cache; none if the cache
  /// cannot be written.
  std::optional<std::string> store(StringRef object, StringRef key) const;

private:
  std::string path; ///< empty without a folder
};

} // namespace cclc

#endif // CCL_LIB_FRONTEND_OBJECTCACHE_H
