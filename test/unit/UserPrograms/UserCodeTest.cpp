//===- UserCodeTest.cpp - Scopes of user code in several threads ----------===//

#include "cclc/UserPrograms/UserCode.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace cclc;

namespace {
std::pair<dev_t, ino_t> standardOutput() {
  struct stat status{};
  fstat(STDOUT_FILENO, &status);
  return {status.st_dev, status.st_ino};
}
} // namespace

TEST_CASE("scopes of several threads exclude each other and restore standard output",
          "[user-code]") {
  // Descriptors 1 and 2 must be different files for the test to see the diversion.
  std::FILE *file = std::tmpfile();
  int before = dup(STDOUT_FILENO);
  REQUIRE(dup2(fileno(file), STDOUT_FILENO) == STDOUT_FILENO);
  const auto output = standardOutput();
  std::atomic<int> running = 0, together = 0, diverted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      DiagnosticEngine diags;
      for (int i = 0; i < 200; ++i)
        (void)runUserCode(
            {"program 'p'", "", {}}, "here",
            [&] {
              together += ++running > 1;
              diverted += standardOutput() != output;
              std::this_thread::yield();
              --running;
            },
            diags);
    });
  for (std::thread &thread : threads)
    thread.join();
  const auto after = standardOutput();
  dup2(before, STDOUT_FILENO);
  close(before);
  std::fclose(file);
  CHECK(after == output);
  CHECK(together == 0);
  CHECK(diverted == 4 * 200);
}
