#include "../../support/Lines.h"

#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>

using namespace cclc;
using namespace cclc::test;

namespace {
/// A folder with descriptions of control groups like those of /proc and /sys.
class FakeRoot {
public:
  FakeRoot() { llvm::sys::fs::createUniqueDirectory("cclc-memory", path); }
  ~FakeRoot() { llvm::sys::fs::remove_directories(path); }
  void file(StringRef name, StringRef text) const {
    std::string full = (str() + "/" + name).str();
    llvm::sys::fs::create_directories(StringRef(full).rsplit('/').first);
    std::error_code error;
    llvm::raw_fd_ostream(full, error) << text;
    REQUIRE(!error);
  }
  StringRef str() const { return StringRef(path.data(), path.size()); }
  uint64_t limit() const { return MemoryBudget::ofMachine(str()).count(); }

private:
  SmallVector<char, 64> path;
};

/// Sets a limit above the current usage, for one scope.
struct Limited {
  explicit Limited(uint64_t more) {
    MemoryBudget::setLimit(Bytes(MemoryBudget::used().count() + more));
  }
  ~Limited() { MemoryBudget::setLimit(Bytes(INT64_MAX)); }
};

std::string textOfFailure(uint64_t more, uint64_t wanted) {
  Limited limited(more);
  MemoryBudget::Work work("the test");
  try {
    ::operator delete(::operator new(wanted)); // a new expression might be optimised away
    return "allocated";
  } catch (const MemoryExceeded &exceeded) {
    return exceeded.text();
  }
}
} // namespace

TEST_CASE("without control groups the limit is 80 % of the machine", "[memory]") {
  FakeRoot root;
  uint64_t machine = root.limit();
  REQUIRE(machine > 64 << 20);
  root.file("proc/self/cgroup", "0::/\n");
  REQUIRE(root.limit() == machine);
  root.file("sys/fs/cgroup/memory.max", "max\n");
  REQUIRE(root.limit() == machine);
}

TEST_CASE("the lowest limit of a control group and its parents applies", "[memory]") {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/user.slice/job.scope\n");
  root.file("sys/fs/cgroup/user.slice/job.scope/memory.max", "10000\n");
  REQUIRE(root.limit() == 8000);
  root.file("sys/fs/cgroup/user.slice/memory.max", "5000\n");
  REQUIRE(root.limit() == 4000);
  root.file("sys/fs/cgroup/memory.max", "1000\n");
  REQUIRE(root.limit() == 800);
}

TEST_CASE("control groups of version 1 are supported", "[memory]") {
  FakeRoot root;
  root.file("proc/self/cgroup", R"(
    5:cpu:/a
    4:cpuset,memory:/a/b
    0::/
    )"_lines);
  root.file("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "50000\n");
  root.file("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
  root.file("sys/fs/cgroup/cpu/a/memory.limit_in_bytes", "10\n");
  REQUIRE(root.limit() == 40000);
}

TEST_CASE("an allocation beyond the limit is rejected before it is made", "[memory]") {
  REQUIRE(textOfFailure(8 << 20, 1 << 20) == "allocated");
  std::string text = textOfFailure(8 << 20, uint64_t(1) << 40);
  REQUIRE(StringRef(text).starts_with("the test needs at least 1.1 TiB of memory, the limit is "));
  REQUIRE(StringRef(text).ends_with("; raise it with --max-memory SIZE"));
  REQUIRE_THROWS_AS(([] {
                      Limited limited(1 << 20);
                      MemoryBudget::require(Bytes(2 << 20));
                    }()),
                    MemoryExceeded);
}

TEST_CASE("an allocation without exceptions returns a null pointer", "[memory]") {
  Limited limited(8 << 20);
  REQUIRE(::operator new(size_t(1) << 40, std::nothrow) == nullptr);
  REQUIRE(::operator new[](size_t(1) << 40, std::nothrow) == nullptr);
  std::align_val_t align{64};
  REQUIRE(::operator new(size_t(1) << 40, align, std::nothrow) == nullptr);
  void *small = ::operator new(100, align, std::nothrow);
  REQUIRE(uintptr_t(small) % 64 == 0);
  ::operator delete(small, align, std::nothrow);
}

TEST_CASE("small allocations add up to the limit", "[memory]") {
  std::vector<std::unique_ptr<int>> many;
  many.reserve(1 << 18);
  uint64_t before = MemoryBudget::used().count();
  {
    Limited limited(1 << 20);
    REQUIRE_THROWS_AS(([&] {
                        while (many.size() < 1 << 18)
                          many.push_back(std::make_unique<int>());
                      }()),
                      MemoryExceeded);
  }
  // Between 16 and 64 bytes each.
  REQUIRE(many.size() > (1 << 20) / 64);
  REQUIRE(many.size() < (1 << 21) / 16);
  many.clear();
  // Freed memory is available again, up to the amount that a thread has not yet counted.
  REQUIRE(MemoryBudget::used().count() < before + (128 << 10));
}

TEST_CASE("sizes are printed with binary units", "[memory]") {
  REQUIRE(sizeText(Bytes(0)) == "0 B");
  REQUIRE(sizeText(Bytes(1023)) == "1023 B");
  REQUIRE(sizeText(Bytes(1024)) == "1 KiB");
  REQUIRE(sizeText(Bytes(1536)) == "1.5 KiB");
  REQUIRE(sizeText(Bytes(1537)) == "1.6 KiB");
  REQUIRE(sizeText(Bytes(uint64_t(3) << 30)) == "3 GiB");
  REQUIRE(sizeText(Bytes(UINT64_MAX)) == "16 EiB");
}
