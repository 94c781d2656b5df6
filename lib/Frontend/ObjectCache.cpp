//===- ObjectCache.cpp - A cache of compiled programs ---------------------===//
//
// Each entry is a file with a fixed name: find() compares the key and the hash at the end of the
// file, store() replaces the file. Failures to write are not reported, since they only cause the
// program to be compiled again.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "cclc/Support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace cclc;

/// The number of digits of a key and of a hash.
static constexpr size_t digits = 64;

std::string cclc::sha256(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

static std::string cacheFolder() {
  llvm::SmallString<128> folder;
  const char *xdg = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (xdg && llvm::sys::path::is_absolute(xdg))
    folder = StringRef(xdg);
  else if (home && *home)
    llvm::sys::path::append(folder, home, ".cache");
  else
    return "";
  llvm::sys::path::append(folder, "cclc");
  return folder.str().str();
}

ObjectCache::ObjectCache(StringRef name) : path(cacheFolder()) {
  if (!path.empty())
    path += "/" + name.str();
}

std::optional<std::string> ObjectCache::find(StringRef key) const {
  if (path.empty() || !llvm::sys::fs::is_regular_file(path))
    return std::nullopt;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer || (*buffer)->getBufferSize() < 2 * digits)
    return std::nullopt;
  StringRef content = (*buffer)->getBuffer().drop_back(digits);
  StringRef hash = (*buffer)->getBuffer().take_back(digits);
  if (content.take_back(digits) != key || sha256(content) != hash)
    return std::nullopt;
  return path;
}

std::optional<std::string> ObjectCache::store(StringRef object, StringRef key) const {
  auto buffer = llvm::MemoryBuffer::getFile(object);
  if (path.empty() || !buffer ||
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return std::nullopt;
  std::string content = ((*buffer)->getBuffer() + key).str();
  // Not reported to the user: an object that is not cached is compiled again.
  DiagnosticEngine ignored;
  if (failed(writeFile(path, [&](raw_ostream &os) { os << content << sha256(content); }, ignored)))
    return std::nullopt;
  return path;
}
