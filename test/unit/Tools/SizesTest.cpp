#include "cclc/Tools/Cli/Sizes.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
std::vector<uint64_t> sizesOf(const SizeArguments &args) {
  DiagnosticEngine diags;
  std::vector<uint64_t> sizes;
  REQUIRE(succeeded(parseSizes(args, sizes, diags)));
  return sizes;
}

std::vector<uint64_t> sweep(const char *text) {
  SizeArguments args;
  args.sweep = text;
  return sizesOf(args);
}
using Sizes = std::vector<uint64_t>;
} // namespace

TEST_CASE("a sweep includes both ends", "[tools]") {
  CHECK(sweep("1K:16K:4") == Sizes{1024, 4096, 16384});
  CHECK(sweep("8:1K:8") == Sizes{8, 64, 512, 1024});
  CHECK(sweep("1K:16M:16") == Sizes{1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24});
  CHECK(sweep("3:10") == Sizes{3, 6, 10});
  CHECK(sweep("5:5") == Sizes{5});
  CHECK(sweep("5:6:100") == Sizes{5, 6});
  CHECK(sweep("1:18446744073709551615:4294967296") == Sizes{1, uint64_t(1) << 32, ~uint64_t(0)});
}

TEST_CASE("the options of nccl-tests have the sizes of a sweep", "[tools]") {
  SizeArguments args;
  args.begin = "8";
  args.end = "1K";
  args.factor = "8";
  CHECK(sizesOf(args) == sweep("8:1K:8"));
}
