//===- PlanCheckTest.cpp - Plans at each limit of a destination -----------===//
//
// For every rule on plans: a plan that meets the limit exactly is accepted; with
// the limit one lower it is rejected with a message that contains both numbers.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Limits/PlanCheck.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string verdict(const ExecPlan &plan, const Constraints &constraints) {
  DiagnosticEngine diags;
  LogicalResult result = checkPlan(plan, constraints, diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  CHECK(succeeded(result) == keeps(plan, constraints));
  CHECK(diags.all().size() <= 1);
  return textOf(diags);
}

std::string verdict(const ExecPlan &plan, const Machine &m) {
  return verdict(plan, constraintsOf(m));
}

std::string verdict(const ExecPlan &plan, const std::string &limit) {
  return verdict(plan, machine("ring", {limit}, plan.ranks()));
}

/// r0 sends to r1 on two channels and to r2 on one; it also has a threadblock of three copies, one
/// of them of four chunks. r2 receives from r0 and r1.
const ExecPlan &example() {
  static const ExecPlan plan = readGood(R"(ccl.version 3
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

TEST_CASE("without limits every plan is legal", "[constraints]") {
  CHECK(verdict(example(), machine("ring", {}, 3)) == "");
  for (const Recipe &recipe : allRecipes()) {
    ExecPlan plan = compiled(recipe);
    CHECK(verdict(plan, machine("ideal", {}, plan.ranks())) == "");
  }
}

TEST_CASE("the machine has an endpoint for every rank", "[constraints]") {
  CHECK(verdict(example(), machine("ring", {}, 2)) ==
        "tool: error: illegal for target ring: 3 ranks, the limit is 2; use fewer ranks (cclc "
        "--ranks)\n");
  CHECK(verdict(example(), machine("ring", {}, 4)) == "");
}

TEST_CASE("channels", "[constraints]") {
  CHECK(verdict(example(), "limits.channels=2") == "");
  CHECK(verdict(example(), "limits.channels=1") ==
        "tool: error: illegal for target ring: 2 channels, the limit is 1; use fewer channels or "
        "instances (cclc --max-channels, --instances)\n");
}

TEST_CASE("threadblocks of a rank", "[constraints]") {
  CHECK(verdict(example(), "limits.threadblocks=4") == "");
  CHECK(verdict(example(), "limits.threadblocks=3") ==
        "tool: error: illegal for target ring: 4 threadblocks on r0, the limit is 3; use fewer "
        "channels or instances (cclc --max-threadblocks, --instances)\n");
}

TEST_CASE("steps of a threadblock", "[constraints]") {
  CHECK(verdict(example(), "limits.steps_per_threadblock=3") == "");
  CHECK(verdict(example(), "limits.steps_per_threadblock=2") ==
        "tool: error: illegal for target ring: 3 steps in one threadblock on r0, the limit is 2; "
        "spread the work over more channels (cclc --max-channels)\n");
}

TEST_CASE("chunks of a step", "[constraints]") {
  CHECK(verdict(example(), "limits.count=4") == "");
  CHECK(verdict(example(), "limits.count=3") ==
        "e.cpp:5: error: illegal for target ring: 4 chunks in one step, the limit is 3; split the "
        "operation\n");
}

/// r0 receives from r1 and r2 on channel 0.
static ExecPlan receiving() {
  return readGood(R"(ccl.version 3
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
}

TEST_CASE("queue pairs in each direction", "[constraints]") {
  CHECK(verdict(example(), "limits.queue_pairs=3") == "");
  CHECK(verdict(example(), "limits.queue_pairs=2") ==
        "tool: error: illegal for target ring: 3 outgoing connections on r0, the limit is 2; use "
        "fewer neighbours or channels (cclc --max-channels)\n");
  // r0 is within the limit; the next violation is at r1, which receives on two connections.
  ExecPlan receives = receiving();
  CHECK(verdict(receives, "limits.queue_pairs=2") == "");
  CHECK(verdict(receives, "limits.queue_pairs=1") ==
        "tool: error: illegal for target ring: 2 incoming connections on r0, the limit is 1; use "
        "fewer neighbours or channels (cclc --max-channels)\n");
}

TEST_CASE("of several violations the first one is reported", "[constraints]") {
  Machine m = machine("ring", {"limits.channels=1", "limits.count=1", "limits.threadblocks=1"}, 3);
  CHECK(verdict(example(), m) == "tool: error: illegal for target ring: 2 channels, the limit is "
                                 "1; use fewer channels or instances (cclc --max-channels, "
                                 "--instances)\n");
}

TEST_CASE("connections of a channel in each direction", "[constraints]") {
  auto at = [](uint64_t most) {
    return verdict(example(), Constraints("it").atMost(Limit::ConnectionsOfChannel, most));
  };
  CHECK(at(2) == "");
  CHECK(at(1) ==
        "tool: error: illegal for it: 2 outgoing connections of r0 on channel 0, the limit "
        "is 1; use more channels (cclc --max-channels)\n");
  ExecPlan receives = receiving();
  Constraints constraints("it");
  CHECK(verdict(receives, constraints.atMost(Limit::ConnectionsOfChannel, 2)) == "");
  CHECK(verdict(receives, constraints.atMost(Limit::ConnectionsOfChannel, 1)) ==
        "tool: error: illegal for it: 2 incoming connections of r0 on channel 0, the limit is 1; "
        "use more channels (cclc --max-channels)\n");
}

TEST_CASE("fused receives", "[constraints]") {
  Constraints constraints("it");
  CHECK(verdict(example(), constraints.atMost(Limit::FusedReceives, 1)) == "");
  CHECK(verdict(example(), constraints.forbid(Limit::FusedReceives)) ==
        "e.cpp:7: error: illegal for it: there is no kernel for 'rcs'; compile it with "
        "--fused-ops=lower\n");
}

TEST_CASE("the number of a threadblock that others wait for", "[constraints]") {
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @waits coll custom ranks 1 outofplace {
  input 1
  output 2
  rank 0 {
    tb 0 ch 0 {
      0: cpy i[0] -> o[0] dep tb1:0 loc("e.cpp":1)
    }
    tb 1 ch 0 {
      0: cpy i[0] -> o[1] pub
    }
  }
}
)");
  Constraints constraints("it");
  CHECK(verdict(plan, constraints.atMost(Limit::WaitTarget, 1)) == "");
  CHECK(verdict(plan, constraints.atMost(Limit::WaitTarget, 0)) ==
        "e.cpp:1: error: illegal for it: 1 as the number of a threadblock to wait for, the limit "
        "is 0; use fewer threadblocks of a rank (cclc --max-threadblocks)\n");
}

TEST_CASE("minimum requirements under any choice of channels", "[constraints]") {
  // r0 sends five messages to r1 and one to r2.
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @messages coll custom ranks 3 outofplace {
  input 1
  output 5
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0] loc("e.cpp":1)
      1: s i[0] loc("e.cpp":2)
      2: s i[0] loc("e.cpp":3)
      3: s i[0] loc("e.cpp":4)
      4: s i[0] loc("e.cpp":5)
    }
    tb 1 send r2 ch 0 {
      0: s i[0] loc("e.cpp":6)
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
      1: r -> o[1]
      2: r -> o[2]
      3: r -> o[3]
      4: r -> o[4]
    }
  }
  rank 2 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
  }
}
)");
  auto bounds = [&](Limit limit, uint64_t most, std::optional<uint64_t> steps) {
    DiagnosticEngine diags;
    LogicalResult result =
        checkBounds(plan, Constraints("it").atMost(limit, most).atMost(Limit::Steps, steps), diags);
    CHECK(succeeded(result) == !diags.hasErrors());
    return textOf(diags);
  };
  CHECK(bounds(Limit::Channels, 1, std::nullopt) == "");
  CHECK(bounds(Limit::Channels, 3, 2) == "");
  CHECK(bounds(Limit::Channels, 2, 2) ==
        "e.cpp:1: error: illegal for it: 5 messages that r0 sends to r1 in threadblocks of 2 steps "
        "take 3 channels, the limit is 2; use fewer chunks or instances (cclc --instances)\n");
  CHECK(bounds(Limit::Threadblocks, 2, std::nullopt) == "");
  CHECK(bounds(Limit::Threadblocks, 1, std::nullopt) ==
        "tool: error: illegal for it: r0 sends to 2 ranks, a threadblock each, the limit is 1; use "
        "fewer ranks (cclc --ranks)\n");
  CHECK(bounds(Limit::Threadblocks, 4, 2) == "");
  CHECK(bounds(Limit::Threadblocks, 3, 2) ==
        "tool: error: illegal for it: 6 messages that r0 sends to 2 other ranks in threadblocks of "
        "2 steps take 4 threadblocks, the limit is 3; use fewer ranks, chunks or instances "
        "(cclc --ranks, --instances)\n");
  // The root, three ranks, three threadblocks and six steps.
  CHECK(bounds(Limit::Elements, 13, 2) == "");
  CHECK(bounds(Limit::Elements, 12, 2) ==
        "tool: error: illegal for it: 6 steps on r0 in 3 threadblocks take 13 XML elements, the "
        "limit is 12; use fewer ranks, chunks or instances (cclc --ranks, --instances)\n");
}

TEST_CASE("the steps of a rank need threadblocks, of both directions") {
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @both coll custom ranks 2 outofplace slots 8 {
  input 2
  output 2
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[0]
      1: s i[1]
      2: r -> o[0]
      3: r -> o[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s i[0]
      1: s i[1]
      2: r -> o[0]
      3: r -> o[1]
    }
  }
}
)");
  auto bounds = [&](uint64_t threadblocks) {
    DiagnosticEngine diags;
    LogicalResult result = checkBounds(
        plan, Constraints("it").atMost(Limit::Threadblocks, threadblocks).atMost(Limit::Steps, 2),
        diags);
    CHECK(succeeded(result) == !diags.hasErrors());
    return textOf(diags);
  };
  CHECK(bounds(2) == "");
  CHECK(bounds(1) ==
        "tool: error: illegal for it: 4 steps of r0 in threadblocks of 2 steps take 2 "
        "threadblocks, the limit is 1; use fewer ranks, chunks or instances (cclc --ranks, "
        "--instances)\n");
}
