//===- ObjectCache.cpp - A cache of compiled programs ---------------------===//
//
// Each entry is a file with a fixed name: fetch() compares the key and the hash at the end of the
// file and copies what it has compared, store() replaces the file. Failures to write are not
// reported, since they only cause the program to be compiled again.
//
//===----------------------------------------------------------------------===//

#include "ObjectCache.h"

#include "cclc/Support/CacheFolder.h"
#include "cclc/Support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace cclc;

/// The number of digits of a key and of a hash.
static constexpr size_t digits = 64;

ObjectCache::ObjectCache(StringRef name) : path(cacheFolder()) {
  if (!path.empty())
    path += "/" + name.str();
}

/// The bytes of a file. They are read and not mapped: a file that is cut off meanwhile ends early
/// instead of raising a signal.
static std::unique_ptr<llvm::MemoryBuffer> contentOf(StringRef file) {
  if (!llvm::sys::fs::is_regular_file(file))
    return nullptr;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  return buffer ? std::move(*buffer) : nullptr;
}

bool ObjectCache::fetch(StringRef key, const std::string &object) const {
  auto buffer = path.empty() ? nullptr : contentOf(path);
  if (!buffer || buffer->getBufferSize() < 2 * digits)
    return false;
  StringRef content = buffer->getBuffer().drop_back(digits);
  StringRef hash = buffer->getBuffer().take_back(digits);
  if (content.take_back(digits) != key || sha256(content) != hash)
    return false;
  DiagnosticEngine ignored; // without a copy, the object is compiled
  return succeeded(
      writeFile(object, [&](raw_ostream &os) { os << content.drop_back(digits); }, ignored));
}

bool ObjectCache::store(StringRef object, StringRef key) const {
  auto buffer = contentOf(object);
  if (path.empty() || !buffer ||
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return false;
  std::string content = (buffer->getBuffer() + key).str();
  // Not reported to the user: an object that is not cached is compiled again.
  DiagnosticEngine ignored;
  return succeeded(
      writeFile(path, [&](raw_ostream &os) { os << content << sha256(content); }, ignored));
}
