//===- ObjectCache.h - Compiled programs, kept between runs -----*- C++ -*-===//
//
// One file holds the object that a program was compiled to last, and behind it the
// key that it was made for and a hash of both:
//
//   object | key: 64 digits | SHA-256 of object and key: 64 digits
//
// A key stands for everything that decides what the object is (UserCompiler.h). Loaders read no
// further than the object, so the file itself is loaded. A file of another key, or one that
// is damaged, is as good as none: it is replaced. Files are written under another name and
// renamed, which several tools may do at a time.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FRONTEND_OBJECTCACHE_H
#define CCL_LIB_FRONTEND_OBJECTCACHE_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <string>

namespace cclc {

/// Lower-case digits of the SHA-256 of \p text.
std::string sha256(StringRef text);

class ObjectCache {
public:
  /// The file \p name in $XDG_CACHE_HOME/cclc, or else in ~/.cache/cclc.
  explicit ObjectCache(StringRef name);

  /// The path of the object that was made for \p key.
  std::optional<std::string> find(StringRef key) const;
  /// Keeps the object in file \p object, and returns its path in the cache; nothing where
  /// the cache cannot be written.
  std::optional<std::string> store(StringRef object, StringRef key) const;

private:
  std::string path; ///< empty without a folder
};

} // namespace cclc

#endif // CCL_LIB_FRONTEND_OBJECTCACHE_H
