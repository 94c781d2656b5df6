//===- CacheFolder.cpp - The folder of what can be made again -------------===//
//
// The rules are those of the XDG Base Directory Specification: a relative $XDG_CACHE_HOME is
// ignored.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/CacheFolder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <vector>

using namespace cclc;

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

std::string cclc::fileStamp(StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "";
  return std::to_string(status.getSize()) + " " +
         std::to_string(status.getLastModificationTime().time_since_epoch().count());
}

void cclc::keepNewest(StringRef folder, size_t most) {
  namespace fs = llvm::sys::fs;
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> all;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error))
    if (auto status = each->status())
      all.emplace_back(status->getLastModificationTime(), each->path());
  if (all.size() <= most)
    return;
  llvm::sort(all);
  for (const auto &[time, path] : ArrayRef(all).drop_back(most))
    if (fs::is_directory(path))
      fs::remove_directories(path);
    else
      fs::remove(path);
}
