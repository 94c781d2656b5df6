//===- DeadlockTest.cpp - Deadlocks against a naive executor --------------===//

#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/Deadlock.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string twoRanks(const std::string &r0, const std::string &r1) {
  return R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 2 chunks 4 inplace {
      rank 0 {
    )"_lines +
         r0 + "  }\n  rank 1 {\n" + r1 + "  }\n}\n";
}

/// The deadlocks that verification reports with \p slots slots, or "".
std::string deadlock(const ExecPlan &plan, Slots slots) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  std::optional<WaitCycle> cycle = findDeadlock(plan, runner, slots);
  if (!cycle)
    return "";
  DiagnosticEngine diags;
  reportDeadlock(plan, *cycle, slots, diags);
  return messages(diags);
}
std::optional<uint32_t> needed(const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  return slotsNeeded(runner);
}

/// Checks that every wait of the cycle is an edge of G_c from a step that the next threadblock has
/// not reached, so that the cycle is one of the graph.
void checkCycle(const ExecPlan &plan, const NaivePlan &naive, const WaitCycle &cycle,
                uint32_t slots) {
  REQUIRE(!cycle.waits.empty());
  NaivePlan::Edges edges = naive.edges(slots);
  std::set<uint32_t> seen;
  for (size_t i = 0; i < cycle.waits.size(); ++i) {
    const WaitCycle::Wait &wait = cycle.waits[i];
    const WaitCycle::Wait &next = cycle.waits[(i + 1) % cycle.waits.size()];
    REQUIRE(seen.insert(wait.threadblock.index()).second);
    REQUIRE(wait.blockage.otherTb == next.threadblock);
    const Threadblock &tb = plan.threadblocks()[wait.threadblock.index()];
    REQUIRE(naive.threadblockOf(wait.blockage.step.index()) == &tb);
    bool found = false;
    for (auto [from, to] : edges)
      found |= to == wait.blockage.step.index() && from >= next.blockage.step.index() &&
               naive.threadblockOf(from) == &plan.threadblocks()[next.threadblock.index()] &&
               (to != from + 1 || naive.threadblockOf(from) != &tb);
    REQUIRE(found);
  }
  // The report begins with the lowest threadblock.
  REQUIRE(*seen.begin() == cycle.waits.front().threadblock.index());
}
} // namespace

TEST_CASE("two ranks that send before they receive need one slot per message") {
  auto plan = parsed<ExecPlan>(twoRanks(R"(
            tb 0 send r1 recv r1 ch 2 {
              0: s i[0]
              1: s i[1]
              2: r -> i[2]
              3: r -> i[3]
            }
        )"_lines,
                                        R"(
                   tb 0 send r0 recv r0 ch 2 {
                     0: s i[2]
                     1: s i[3]
                     2: r -> i[0]
                     3: r -> i[1]
                   }
               )"_lines));
  CHECK(deadlock(plan, Slots(1)) ==
        "t.ccl:6:7: error: deadlock with 1 slot: cyclic wait of 2 threadblocks\nt.ccl:6:7: note: "
        "r0 tb0 step 1 (s) waits for a free slot to r1 channel 2, which r1 tb0 has yet to receive "
        "from\nt.ccl:14:7: note: r1 tb0 step 1 (s) waits for a free slot to r0 channel 2, which r0 "
        "tb0 has yet to receive from\n");
  CHECK(deadlock(plan, Slots(2)) == "");
  CHECK(deadlock(plan, Slots::unlimited()) == "");
  CHECK(needed(plan) == 2u);
}

TEST_CASE("two ranks that receive first are deadlocked") {
  auto plan = parsed<ExecPlan>(twoRanks(R"(
            tb 0 send r1 recv r1 ch 0 {
              0: r -> i[0]
              1: s i[1]
            }
        )"_lines,
                                        R"(
                   tb 0 send r0 recv r0 ch 0 {
                     0: nop
                     1: r -> i[1]
                     2: s i[0]
                   }
               )"_lines));
  const std::string rest =
      R"(
      : cyclic wait of 2 threadblocks
      t.ccl:5:7: note: r0 tb0 step 0 (r) waits for message 0 from r1 tb0
      t.ccl:12:7: note: r1 tb0 step 1 (r) waits for message 0 from r0 tb0
      )"_lines;
  CHECK(deadlock(plan, Slots(1)) == "t.ccl:5:7: error: deadlock with 1 slot" + rest);
  CHECK(deadlock(plan, Slots::unlimited()) == "t.ccl:5:7: error: deadlock with inf slots" + rest);
  CHECK(needed(plan) == std::nullopt);
}

TEST_CASE("a cycle through a wait, a message and the order of a threadblock") {
  auto plan = parsed<ExecPlan>(twoRanks(R"(
            tb 0 send r1 ch 0 {
              0: s i[0] dep tb1:0
            }
            tb 1 recv r1 ch 0 {
              0: r -> i[1] pub
            }
        )"_lines,
                                        R"(
                   tb 0 send r0 recv r0 ch 0 {
                     0: r -> i[0]
                     1: s i[1]
                   }
               )"_lines));
  CHECK(deadlock(plan, Slots(8)) ==
        R"(
        t.ccl:5:7: error: deadlock with 8 slots: cyclic wait of 3 threadblocks
        t.ccl:5:7: note: r0 tb0 step 0 (s) waits for r0 tb1 step 0 (r)
        t.ccl:8:7: note: r0 tb1 step 0 (r) waits for message 0 from r1 tb0
        t.ccl:13:7: note: r1 tb0 step 0 (r) waits for message 0 from r0 tb0
        )"_lines);
  CHECK(needed(plan) == std::nullopt);
}

TEST_CASE("a wait for a step that is published too late") {
  // The wait names step 0, which publishes no progress; step 1 does, and waits for this
  // threadblock.
  auto plan = parsed<ExecPlan>(twoRanks(R"(
        tb 0 ch 0 {
          0: nop dep tb1:0
          1: nop pub
        }
        tb 1 ch 0 {
          0: nop
          1: nop dep tb0:1 pub
        }
    )"_lines,
                                        ""));
  CHECK(deadlock(plan, Slots::unlimited()) ==
        R"(
        t.ccl:5:7: error: deadlock with inf slots: cyclic wait of 2 threadblocks
        t.ccl:5:7: note: r0 tb0 step 0 (nop) waits for r0 tb1 step 1 (nop)
        t.ccl:10:7: note: r0 tb1 step 1 (nop) waits for r0 tb0 step 1 (nop)
        )"_lines);
}

TEST_CASE("a threadblock that waits for itself") {
  auto plan = parsed<ExecPlan>(twoRanks(R"(
            tb 0 ch 0 {
              0: nop dep tb0:1
              1: nop pub
            }
        )"_lines,
                                        ""));
  CHECK(deadlock(plan, Slots(1)) ==
        R"(
        t.ccl:5:7: error: deadlock with 1 slot: a threadblock waits for itself
        t.ccl:5:7: note: r0 tb0 step 0 (nop) waits for r0 tb0 step 1 (nop)
        )"_lines);
  // A wait for an earlier step of the same threadblock is satisfied.
  CHECK(deadlock(parsed<ExecPlan>(twoRanks(
                     R"(
              tb 0 ch 0 {
                0: nop pub
                1: nop dep tb0:0
              }
          )"_lines,
                     "")),
                 Slots(1)) == "");
}

TEST_CASE("a fused step needs a full and a free slot at the same time") {
  // A ring of rcs without a message in flight is deadlocked; with one message it completes.
  auto ring = [](StringRef first) {
    return parsed<ExecPlan>(
        twoRanks(("    tb 0 send r1 recv r1 ch 0 {\n" + first + "    }\n").str(),
                 R"(
                     tb 0 send r0 recv r0 ch 0 {
                       0: rcs -> i[1]
                     }
                 )"_lines));
  };
  CHECK(needed(ring("      0: rcs -> i[0]\n")) == std::nullopt);
  CHECK(needed(ring("      0: s i[0]\n      1: r -> i[0]\n")) == 1u);
}

TEST_CASE("long cycles are truncated in the report") {
  std::string text = "ccl.version 3\nexec.program @p coll allreduce ranks 20 inplace {\n";
  for (int r = 0; r < 20; ++r)
    text += "  rank " + std::to_string(r) + " {\n    tb 0 send r" + std::to_string((r + 1) % 20) +
            " recv r" + std::to_string((r + 19) % 20) +
            R"(
             ch 0 {
                  0: rcs -> i[0]
                }
              }
            )"_lines;
  std::string report = deadlock(parsed<ExecPlan>(text + "}\n"), Slots(4));
  CHECK_THAT(report,
             Catch::StartsWith(
                 "t.ccl:5:7: error: deadlock with 4 slots: cyclic wait of 20 threadblocks\n"));
  CHECK(std::count(report.begin(), report.end(), '\n') == 1 + 16 + 1);
  CHECK_THAT(report, Catch::EndsWith("tool: note: and 4 more\n"));
}

TEST_CASE("a plan without messages needs one slot") {
  CHECK(needed(parsed<ExecPlan>(twoRanks(R"(
        tb 0 ch 0 {
          0: nop
        }
    )"_lines,
                                         ""))) == 1u);
  CHECK(needed(parsed<ExecPlan>(twoRanks("", ""))) == 1u);
}

TEST_CASE("deadlocks of random plans match a naive executor", "[property]") {
  uint32_t stuck = 0, circles = 0, severalSlots = 0;
  for (uint64_t seed = 0; seed < scaled(2000); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    RandomProgramOptions options;
    options.maxOps = 24;
    options.maxRanks = 4;
    options.switches = seed % 3 == 2;
    ExecPlan good = randomPlan(seed + 40000, Slots(8), seed % 2, options);
    std::optional<ExecPlan> plan = spoilt(good, {0, uint32_t(seed % 5)}, random);
    if (!plan)
      continue;
    NaivePlan naive(*plan);
    ConnectionTable connections(*plan);
    PlanControlFlow runner(*plan, connections);
    std::optional<uint32_t> fewest;
    for (uint32_t slots : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 100u}) {
      // The result is independent of the order in which steps are executed.
      bool completes = naive.completes(slots, [](size_t) { return 0; });
      REQUIRE(naive.completes(slots, [](size_t n) { return n - 1; }) == completes);
      REQUIRE(naive.completes(slots, [&](size_t n) { return random.below(n); }) == completes);
      REQUIRE(naive.isCyclic(slots) == !completes);
      Slots count = slots ? Slots(slots) : Slots::unlimited();
      std::optional<WaitCycle> cycle = findDeadlock(*plan, runner, count);
      REQUIRE(cycle.has_value() == !completes);
      stuck += !completes;
      if (cycle) {
        ++circles;
        checkCycle(*plan, naive, *cycle, slots);
      }
      if (slots && completes && !fewest)
        fewest = slots;
    }
    REQUIRE(slotsNeeded(runner) == fewest);
    severalSlots += fewest && *fewest > 1;
  }
  // The random plans must include every case.
  CHECK(stuck > 50);
  CHECK(circles > 50);
  CHECK(severalSlots > 20);
}

TEST_CASE("a run visits the steps in a topological order of the graph", "[property]") {
  for (uint64_t seed = 0; seed < scaled(100); ++seed) {
    ExecPlan plan = randomPlan(seed + 42000, Slots(2), true);
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    std::vector<uint32_t> time(plan.steps().size(), ~0u);
    uint32_t now = 0;
    REQUIRE(runner.run(Slots(2), [&](PlanThreadblockId tb, StepId step) {
      REQUIRE(NaivePlan(plan).threadblockOf(step.index()) == &plan.threadblocks()[tb.index()]);
      time[step.index()] = now++;
    }));
    REQUIRE(now == plan.steps().size());
    for (auto [from, to] : NaivePlan(plan).edges(2))
      REQUIRE(time[from] < time[to]);
  }
}

TEST_CASE("split steps need a slot for every transmission") {
  // Each sends three chunks in one step before it receives.
  auto plan = parsed<ExecPlan>(R"(
    ccl.version 3
    exec.program @swap coll custom ranks 2 outofplace {
      input 3
      output 3
      rank 0 {
        tb 0 send r1 recv r1 ch 0 {
          0: s i[0:3]
          1: r -> o[0:3]
        }
      }
      rank 1 {
        tb 0 send r0 recv r0 ch 0 {
          0: s i[0:3]
          1: r -> o[0:3]
        }
      }
    }
    )"_lines);
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  CHECK(slotsNeeded(runner) == 1);
  for (auto [chunks, needed] : {std::pair(3u, 1u), std::pair(2u, 2u), std::pair(1u, 3u)}) {
    INFO(chunks << " chunks in a transmission");
    runner.setChunksPerTransmission(chunks);
    CHECK(slotsNeeded(runner) == needed);
    std::optional<WaitCycle> cycle = findDeadlock(plan, runner, Slots(needed));
    CHECK(!cycle);
    if (needed > 1)
      CHECK(findDeadlock(plan, runner, Slots(needed - 1))->waits.size() == 2);
  }
}
