//===- ObjectCacheTest.cpp - The cache of compiled objects ----------------===//

#include "ObjectCache.h"
#include "Plans.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
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
  const std::string key = sha256("one"), other = sha256("other"), copy = folder.path / "copy.so";
  CHECK(!cache.fetch(key, copy));
  REQUIRE(cache.store(folder.object(), key));
  REQUIRE(cache.fetch(key, copy));
  CHECK(Folder::read(copy) == "an object");
  CHECK(!cache.fetch(other, copy));
  const std::string whole = Folder::read(folder.kept());
  CHECK(whole.starts_with("an object"));

  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    Folder::write(folder.kept(), whole.substr(0, bytes));
    CHECK(!cache.fetch(key, copy));
    std::string flipped = whole;
    flipped[bytes] ^= 1;
    Folder::write(folder.kept(), flipped);
    CHECK(!cache.fetch(key, copy));
  }
  Folder::write(folder.kept(), whole + "x");
  CHECK(!cache.fetch(key, copy));
  // Another object is stored in its place.
  REQUIRE(cache.store(folder.object(), other));
  CHECK(cache.fetch(other, copy));
  CHECK(!cache.fetch(key, copy));
}

TEST_CASE("an object that was fetched is not replaced with the entry", "[cache]") {
  Folder folder;
  ObjectCache cache("program.so");
  const std::string key = sha256("one"), other = sha256("other"), copy = folder.path / "copy.so";
  REQUIRE(cache.store(folder.object(), key));
  REQUIRE(cache.fetch(key, copy));
  Folder::write(folder.object(), "another object");
  REQUIRE(cache.store(folder.object(), other));
  CHECK(Folder::read(copy) == "an object");
}

TEST_CASE("threads that store and fetch see whole objects of their key", "[cache]") {
  Folder folder;
  std::atomic<unsigned> fetched = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      ObjectCache cache("program.so");
      const std::string mine(100000, char('a' + t)), key = sha256(mine);
      const std::string object = folder.path / ("made" + std::to_string(t)),
                        copy = object + ".copy";
      Folder::write(object, mine);
      for (int round = 0; round < 50; ++round) {
        cache.store(object, key);
        if (cache.fetch(key, copy)) {
          ++fetched;
          wrong += Folder::read(copy) != mine;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(fetched > 0);
  CHECK(wrong == 0);
}

TEST_CASE("without a usable folder no object is stored", "[cache]") {
  Folder folder;
  const std::string key = sha256("key"), copy = folder.path / "copy.so";
  fs::create_directories(folder.kept()); // a folder in place of the file
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  CHECK(!ObjectCache("program.so").fetch(key, copy));
  setenv("XDG_CACHE_HOME", folder.object().c_str(), 1); // a file in place of the folder
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  CHECK(!ObjectCache("program.so").store(folder.object(), key));
  CHECK(!ObjectCache("program.so").fetch(key, copy));
}
