//===- CacheFolder.cpp - The folder of what can be made again -------------===//
//
// The rules are those of the XDG Base Directory Specification: a relative $XDG_CACHE_HOME is
// ignored.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/CacheFolder.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

std::string cclc::cacheFolder() {
  llvm::SmallString<128> folder;
  const char *xdg = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (xdg && llvm::sys::path::is_absolute(xdg))
    folder = llvm::StringRef(xdg);
  else if (home && *home)
    llvm::sys::path::append(folder, home, ".cache");
  else
    return "";
  llvm::sys::path::append(folder, "cclc");
  return folder.str().str();
}
