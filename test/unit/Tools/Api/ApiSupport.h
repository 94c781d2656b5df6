//===- ApiSupport.h - Plans and files for tests of the API ------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_API_APISUPPORT_H
#define CCL_TEST_UNIT_API_APISUPPORT_H

#include "cclc/cclc.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cclc::test {

inline const api::Toolchain &toolchain() {
  static const api::Toolchain bundled(CCLC_TARGET_DIR);
  return bundled;
}

inline api::Plan ringOf(uint32_t ranks, const std::map<std::string, std::string> &parameters = {}) {
  api::Result<api::Plan> plan =
      toolchain().compile("allreduce_ring", {.parameters = parameters, .ranks = ranks});
  INFO(plan.text());
  REQUIRE(plan);
  return *plan;
}

/// A file that the destructor removes.
struct File {
  explicit File(const std::string &text)
      : path((std::filesystem::temp_directory_path() /
              ("cclc-api-" + std::to_string(std::hash<std::string>()(text)) + ".json"))
                 .string()) {
    std::ofstream(path) << text;
  }
  ~File() { std::remove(path.c_str()); }
  File(const File &) = delete;
  std::string path;
};

/// An empty folder that the destructor removes.
struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "cclc-api-XXXXXX").string()) {
    REQUIRE(mkdtemp(path.data()));
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder &) = delete;
  std::string path;
};

} // namespace cclc::test

#endif // CCL_TEST_UNIT_API_APISUPPORT_H
