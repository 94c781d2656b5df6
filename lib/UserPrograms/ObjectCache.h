//===- ObjectCache.h - A cache of compiled programs -------------*- C++ -*-===//
//
// A file holds the latest object of a program, followed by its key and a hash of both:
//
//   object | key: 64 digits | SHA-256 of object and key: 64 digits
//
// A key is a hash of all inputs of the object (UserCompiler.h). A file with a different key or a
// damaged file is replaced. Files are written under a temporary name and renamed, so several tools
// may write concurrently. A tool loads a copy of the object that it has checked, and not the file,
// which another tool may replace by the object of another key in between.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_USERPROGRAMS_OBJECTCACHE_H
#define CCL_LIB_USERPROGRAMS_OBJECTCACHE_H

#include "cclc/Support/Sha256.h"

#include <string>

namespace cclc {

class ObjectCache {
public:
  /// The file \p name in $XDG_CACHE_HOME/cclc, or else in ~/.cache/cclc.
  explicit ObjectCache(StringRef name);

  /// Copies the object for \p key to the file \p object, if it is cached.
  bool fetch(StringRef key, const std::string &object) const;
  /// Stores the object in file \p object. Returns whether the cache could be written.
  bool store(StringRef object, StringRef key) const;

private:
  std::string path; ///< empty without a folder
};

} // namespace cclc

#endif // CCL_LIB_USERPROGRAMS_OBJECTCACHE_H
