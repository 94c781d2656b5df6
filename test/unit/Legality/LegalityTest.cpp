//===- LegalityTest.cpp - Each limit of a target --------------------------===//
//
// For every limit: the plan that meets it exactly is legal, and with a limit that
// is one lower it is refused in a message that names the limit.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Legality/Legality.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string verdict(const ExecPlan &plan, const Machine &m) {
  DiagnosticEngine diags;
  LogicalResult result = checkLegality(plan, m, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  CHECK(diags.all().size() <= 1);
  return textOf(diags);
}

std::string verdict(const ExecPlan &plan, const std::string &limit) {
  return verdict(plan, machine("ring", {limit}, plan.ranks()));
}

/// r0 sends to r1 on two channels, and to r2; it also has a threadblock of three
/// copies, one of them of four chunks. r2 receives from r0 and r1.
const ExecPlan &example() {
  static const ExecPlan plan = readGood(R"(ccl.version 2
exec.program @example coll custom ranks 3 outofplace {
  input 4
  output 4
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0] loc("e.cpp":1)
    }
    tb 1 send r1 ch 1 {
      0: s i[0] loc("e.cpp":2)
    }
    tb 2 send r2 ch 0 {
      0: s i[0] loc("e.cpp":3)
    }
    tb 3 ch 0 {
      0: cpy i[0] -> o[0] loc("e.cpp":4)
      1: cpy i[0:4] -> o[0:4] loc("e.cpp":5)
      2: cpy i[0] -> o[0] loc("e.cpp":6)
    }
  }
  rank 1 {
    tb 0 send r2 recv r0 ch 0 {
      0: rcs -> o[0] loc("e.cpp":7)
    }
    tb 1 recv r0 ch 1 {
      0: r -> o[1] loc("e.cpp":8)
    }
  }
  rank 2 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0] loc("e.cpp":9)
    }
    tb 1 recv r1 ch 0 {
      0: r -> o[1] loc("e.cpp":10)
    }
  }
}
)");
  return plan;
}
} // namespace

TEST_CASE("without limits every plan is legal", "[legality]") {
  CHECK(verdict(example(), machine("ring", {}, 3)) == "");
  for (const Recipe &recipe : allRecipes()) {
    ExecPlan plan = compiled(recipe);
    CHECK(verdict(plan, machine("ideal", {}, plan.ranks())) == "");
  }
}

TEST_CASE("the machine must have room for the ranks", "[legality]") {
  CHECK(verdict(example(), machine("ring", {}, 2)) ==
        "tool: error: illegal for target ring: 3 ranks, but it has 2 PEs\n");
  CHECK(verdict(example(), machine("ring", {}, 4)) == "");
}

TEST_CASE("channels", "[legality]") {
  CHECK(verdict(example(), "limits.channels=2") == "");
  CHECK(verdict(example(), "limits.channels=1") ==
        "tool: error: illegal for target ring: 2 channels, the limit is 1; use fewer channels or "
        "instances\n");
}

TEST_CASE("threadblocks of a rank", "[legality]") {
  CHECK(verdict(example(), "limits.threadblocks=4") == "");
  CHECK(verdict(example(), "limits.threadblocks=3") ==
        "tool: error: illegal for target ring: 4 threadblocks on r0, the limit is 3; use fewer "
        "channels or instances\n");
}

TEST_CASE("steps of a threadblock", "[legality]") {
  CHECK(verdict(example(), "limits.steps_per_threadblock=3") == "");
  CHECK(verdict(example(), "limits.steps_per_threadblock=2") ==
        "tool: error: illegal for target ring: 3 steps in one threadblock on r0, the limit is 2; "
        "spread the work over more channels\n");
}

TEST_CASE("chunks of a step", "[legality]") {
  CHECK(verdict(example(), "limits.count=4") == "");
  CHECK(verdict(example(), "limits.count=3") ==
        "e.cpp:5: error: illegal for target ring: 4 chunks in one step, the limit is 3; split the "
        "operation\n");
}

TEST_CASE("queue pairs in each direction", "[legality]") {
  CHECK(verdict(example(), "limits.queue_pairs=3") == "");
  CHECK(verdict(example(), "limits.queue_pairs=2") ==
        "tool: error: illegal for target ring: 3 outgoing connections on r0, the limit is 2; let "
        "the rank have fewer neighbours or channels\n");
  // With r0 within the limit, the next one is r1, which receives on two connections.
  ExecPlan receives = readGood(R"(ccl.version 2
exec.program @receives coll custom ranks 3 outofplace {
  input 1
  output 2
  rank 0 {
    tb 0 recv r1 ch 0 {
      0: r -> o[0]
    }
    tb 1 recv r2 ch 0 {
      0: r -> o[1]
    }
  }
  rank 1 {
    tb 0 send r0 ch 0 {
      0: s i[0]
    }
  }
  rank 2 {
    tb 0 send r0 ch 0 {
      0: s i[0]
    }
  }
}
)");
  CHECK(verdict(receives, "limits.queue_pairs=2") == "");
  CHECK(verdict(receives, "limits.queue_pairs=1") ==
        "tool: error: illegal for target ring: 2 incoming connections on r0, the limit is 1; let "
        "the rank have fewer neighbours or channels\n");
}

TEST_CASE("several limits at once: the first one is reported", "[legality]") {
  Machine m = machine("ring", {"limits.channels=1", "limits.count=1", "limits.threadblocks=1"}, 3);
  CHECK(verdict(example(), m) == "tool: error: illegal for target ring: 2 channels, the limit is "
                                 "1; use fewer channels or instances\n");
}
