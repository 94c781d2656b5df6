//===- MemoryConflictsTest.cpp - Tests of steps that use the same memory --===//

#include "Plans.h"

#include "cclc/Run/MemoryConflicts.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
/// Two ranks exchange their inputs through a slot; in place, input and output are the same memory.
/// Then two other threadblocks of rank 0 use what was received.
ExecPlan exchange() {
  return readGood(R"(ccl.version 3
exec.program @exchange coll custom ranks 2 inplace outofplace {
  input 2
  output 2
  rank 0 scratch 1 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[0]
      1: s i[1]
      2: r -> o[0:2] pub
      3: cpy o[0] -> s[0]
    }
    tb 1 ch 0 {
      0: cpy o[1] -> o[0] dep tb0:2
    }
    tb 2 ch 0 {
      0: cpy i[1] -> o[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s i[0:2]
      1: r -> o[0]
      2: r -> o[1]
    }
  }
}
)");
}

std::string textOf(ArrayRef<MemoryConflicts::Prefix> prefixes) {
  std::string text;
  for (const MemoryConflicts::Prefix &prefix : prefixes)
    text += llvm::formatv("{0}tb{1}: {2} steps, {3} sends", text.empty() ? "" : "; ",
                          prefix.threadblock, prefix.steps, prefix.sends);
  return text;
}
} // namespace

TEST_CASE("a step waits for the messages that it overwrites", "[run]") {
  ExecPlan plan = exchange();
  PreparedPlan run(plan, 64, {});
  MemoryConflicts apart(run, RankId(0), Placement::OutOfPlace);
  CHECK(textOf(apart.overwritten(0, 2)).empty());
  MemoryConflicts shared(run, RankId(0), Placement::InPlace);
  CHECK(textOf(shared.overwritten(0, 2)) == "tb0: 1 steps, 1 sends; tb0: 2 steps, 2 sends");
  CHECK(textOf(shared.overwritten(1, 0)) == "tb0: 1 steps, 1 sends");
  CHECK(textOf(shared.overwritten(0, 3)).empty());
}

// The copy of tb1 waits for the receive, so it follows; that of tb2 is not known to follow.
TEST_CASE("a message arrives in memory after its earlier accesses", "[run]") {
  ExecPlan plan = exchange();
  PreparedPlan run(plan, 64, {});
  MemoryConflicts apart(run, RankId(0), Placement::OutOfPlace);
  CHECK(textOf(apart.beforeArrival(0, 2)) == "tb2: 1 steps, 0 sends");
  MemoryConflicts shared(run, RankId(0), Placement::InPlace);
  CHECK(textOf(shared.beforeArrival(0, 2)) == "tb0: 2 steps, 2 sends; tb2: 1 steps, 0 sends");
  MemoryConflicts other(run, RankId(1), Placement::InPlace);
  CHECK(textOf(other.beforeArrival(0, 1)) == "tb0: 1 steps, 1 sends");
}
