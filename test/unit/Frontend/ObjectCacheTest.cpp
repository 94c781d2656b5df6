//===- ObjectCacheTest.cpp - The cache of compiled objects ----------------===//

#include "ObjectCache.h"
#include "Plans.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace cclc;
namespace fs = std::filesystem;

namespace {
struct Folder {
  fs::path path = fs::temp_directory_path() / ("cclc-cache-" + std::to_string(getpid()));
  Folder() {
    fs::create_directory(path);
    setenv("XDG_CACHE_HOME", path.c_str(), 1);
    write(object(), "an object");
  }
  ~Folder() { fs::remove_all(path); }
  std::string object() const { return path / "made.so"; }
  fs::path kept() const { return path / "cclc" / "program.so"; }
  static void write(const fs::path &file, const std::string &text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string read(const fs::path &file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};
} // namespace

TEST_CASE("an intact object is found by its key", "[cache]") {
  Folder folder;
  ObjectCache cache("program.so");
  const std::string key = sha256("one"), other = sha256("other");
  CHECK(!cache.find(key));
  REQUIRE(cache.store(folder.object(), key) == folder.kept().string());
  CHECK(cache.find(key) == folder.kept().string());
  CHECK(!cache.find(other));
  const std::string whole = Folder::read(folder.kept());
  CHECK(whole.starts_with("an object"));

  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    Folder::write(folder.kept(), whole.substr(0, bytes));
    CHECK(!cache.find(key));
    std::string flipped = whole;
    flipped[bytes] ^= 1;
    Folder::write(folder.kept(), flipped);
    CHECK(!cache.find(key));
  }
  Folder::write(folder.kept(), whole + "x");
  CHECK(!cache.find(key));
  // Another object is stored in its place.
  REQUIRE(cache.store(folder.object(), other));
  CHECK(cache.find(other));
  CHECK(!cache.find(key));
}

TEST_CASE("without a usable folder no object is stored", "[cache]") {
  Folder folder;
  const std::string key = sha256("key");
  fs::create_directories(folder.kept()); // a folder in place of the file
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  CHECK(!ObjectCache("program.so").find(key));
  setenv("XDG_CACHE_HOME", folder.object().c_str(), 1); // a file in place of the folder
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  CHECK(!ObjectCache("program.so").find(key));
}
