//===- PipeliningTest.cpp - Tests of the pieces of processes --------------===//

#include "Plans.h"

#include "cclc/Run/PreparedPlan.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
/// One chunk goes from rank 0 to the last of \p ranks.
ExecPlan chain(uint32_t ranks) {
  std::string text = llvm::formatv("ccl.version 3\nexec.program @chain coll custom ranks {0} "
                                   "outofplace {{\n  input 1\n  output 1\n",
                                   ranks);
  for (uint32_t r = 0; r < ranks; ++r) {
    bool first = r == 0, last = r + 1 == ranks;
    text += llvm::formatv("  rank {0} {{\n    tb 0 ", r);
    text += last ? "" : llvm::formatv("send r{0} ", r + 1).str();
    text += first ? "" : llvm::formatv("recv r{0} ", r - 1).str();
    text += llvm::formatv("ch 0 {{\n      0: {0}\n    }\n  }\n", first  ? "s i[0]"
                                                                 : last ? "r -> o[0]"
                                                                        : "rcs -> o[0]");
  }
  return readGood(text + "}\n");
}

/// Two ranks exchange two messages, one after the other, so that neither is ever idle.
ExecPlan turns() {
  return readGood(R"(ccl.version 3
exec.program @turns coll custom ranks 2 outofplace {
  input 1
  output 1
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[0]
      1: rcs -> o[0]
      2: r -> o[0]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s i[0]
      1: rcs -> o[0]
      2: r -> o[0]
    }
  }
}
)");
}

uint32_t pieces(const ExecPlan &plan, uint64_t bytes) {
  RunSettings settings;
  settings.slotBytes = std::nullopt;
  return PreparedPlan(plan, bytes / 4, settings).pieces();
}
} // namespace

TEST_CASE("processes that are never idle send no pieces", "[run]") {
  CHECK(pieces(turns(), 1 << 24) == 1);
  CHECK(pieces(chain(2), 1 << 24) == 1);
}

TEST_CASE("a chain of processes sends pieces that overlap", "[run]") {
  // The root of (path / work - 1) * bytes / cost of a message.
  CHECK(pieces(chain(3), 1 << 24) == 16);
  CHECK(pieces(chain(6), 1 << 24) == 32);
  CHECK(pieces(chain(3), 1 << 20) == 4);
  CHECK(pieces(chain(3), 1 << 10) == 1);
}

TEST_CASE("messages of processes have a limit", "[run]") {
  CHECK(pieces(turns(), uint64_t(1) << 30) == (uint64_t(1) << 30) / processSlotLimit);
}
