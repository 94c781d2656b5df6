//===- RacesTest.cpp - Races against the transitive closure ---------------===//

#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/Races.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::string race(const std::string &text) {
  auto plan = parsed<ExecPlan>(text);
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  REQUIRE(runner.run(Slots::unlimited()));
  std::optional<Race> found = findRace(plan, connections, runner);
  if (!found)
    return "";
  DiagnosticEngine diags;
  reportRace(plan, *found, diags);
  return messages(diags);
}
std::string oneRank(const std::string &header, const std::string &body) {
  return "ccl.version 3\nexec.program @p coll " + header + " {\n  rank 0 scratch 4 {\n" + body +
         "  }\n}\n";
}
const std::string allreduce1 = "allreduce ranks 1 chunks 4 inplace";
} // namespace

TEST_CASE("two unordered threadblocks") {
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[0]
        }
        tb 1 ch 0 {
          0: cpy i[1:3] -> s[0:2]
        }
    )"_lines)) ==
        "t.ccl:8:7: error: race on r0:s[0]: r0 tb0 step 0 (cpy) writes it, r0 tb1 step 0 (cpy) "
        "writes it, and nothing orders the two\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (cpy) is here\n");
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0:2] -> s[0:2]
        }
        tb 1 ch 0 {
          0: cpy s[3] -> i[1]
        }
    )"_lines)) ==
        "t.ccl:8:7: error: race on r0:i[1]: r0 tb0 step 0 (cpy) reads it, r0 tb1 step 0 (cpy) "
        "writes it, and nothing orders the two\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (cpy) is here\n");
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[1]
        }
        tb 1 ch 0 {
          0: re s[1] -> i[2]
        }
    )"_lines)) ==
        "t.ccl:8:7: error: race on r0:s[1]: r0 tb0 step 0 (cpy) writes it, r0 tb1 step 0 (re) "
        "reads it, and nothing orders the two\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (cpy) is here\n");
  // Two readers do not conflict.
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[1]
        }
        tb 1 ch 0 {
          0: cpy i[0] -> s[2]
        }
    )"_lines)) == "");
}

TEST_CASE("a wait orders, directly and through a third threadblock") {
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[0] pub
        }
        tb 1 ch 0 {
          0: cpy s[0] -> s[1] dep tb0:0
        }
    )"_lines)) == "");
  CHECK(race(oneRank(allreduce1, R"(
        tb 0 ch 0 {
          0: cpy i[0] -> s[0] pub
        }
        tb 1 ch 0 {
          0: nop dep tb0:0 pub
        }
        tb 2 ch 0 {
          0: cpy s[0] -> s[1] dep tb1:0
        }
    )"_lines)) == "");
  // The wait is satisfied by a step before the write.
  CHECK(race(oneRank(allreduce1,
                     R"(
              tb 0 ch 0 {
                0: nop pub
                1: cpy i[0] -> s[0] pub
              }
              tb 1 ch 0 {
                0: cpy s[0] -> s[1] dep tb0:0
              }
          )"_lines)) ==
        "t.ccl:9:7: error: race on r0:s[0]: r0 tb0 step 1 (cpy) writes it, r0 tb1 step 0 (cpy) "
        "reads it, and nothing orders the two\n"
        "t.ccl:6:7: note: r0 tb0 step 1 (cpy) is here\n");
}

TEST_CASE("buffers that share memory race in place only") {
  auto body = [](StringRef placement) {
    return race("ccl.version 3\nexec.program @p coll allgather ranks 2 chunks 1 " +
                placement.str() +
                R"(
                 {
                  rank 0 {
                  }
                  rank 1 {
                    tb 0 ch 0 {
                      0: cpy i[0] -> o[0]
                    }
                    tb 1 ch 0 {
                      0: cpy o[0] -> o[1]
                    }
                  }
                }
                )"_lines);
  };
  // o[0] is written in one threadblock and read in the other; this race is reported first.
  CHECK(body("outofplace") == body("inplace"));
  auto own = [](StringRef placement) {
    return race("ccl.version 3\nexec.program @p coll allgather ranks 2 chunks 1 " +
                placement.str() +
                R"(
                 {
                  rank 0 {
                  }
                  rank 1 scratch 2 {
                    tb 0 ch 0 {
                      0: cpy i[0] -> s[0]
                    }
                    tb 1 ch 0 {
                      0: cpy s[1] -> o[1]
                    }
                  }
                }
                )"_lines);
  };
  const std::string text =
      "t.ccl:10:7: error: race on r1:o[1]: r1 tb0 step 0 (cpy) reads it, r1 tb1 step 0 (cpy) "
      "writes it, and nothing orders the two\n"
      "t.ccl:7:7: note: r1 tb0 step 0 (cpy) is here\n";
  CHECK(own("outofplace") == "");
  CHECK(own("inplace") == text);
  CHECK(own("inplace outofplace") == text);
}

TEST_CASE("a path through another rank orders, a credit does not") {
  // tb0 reads i[0] and sends; r1 answers; tb1 then writes i[0].
  auto text = [](StringRef r1) {
    return (R"(
      ccl.version 3
      exec.program @p coll allreduce ranks 2 chunks 4 inplace {
        rank 0 {
          tb 0 send r1 ch 0 {
            0: s i[0]
          }
          tb 1 recv r1 ch 0 {
            0: r -> i[0]
          }
        }
        rank 1 {
      )"_lines +
            r1 + "  }\n}\n")
        .str();
  };
  CHECK(race(text(R"(
        tb 0 send r0 recv r0 ch 0 {
          0: r -> i[0]
          1: s i[1]
        }
    )"_lines)) == "");
  CHECK(race(text(R"(
        tb 0 recv r0 ch 0 {
          0: r -> i[0]
        }
        tb 1 send r0 ch 0 {
          0: s i[1]
        }
    )"_lines)) ==
        "t.ccl:8:7: error: race on r0:i[0]: r0 tb0 step 0 (s) reads it, r0 tb1 step 0 (r) writes "
        "it, and nothing orders the two\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (s) is here\n");
  // With one slot the second send waits until the first message is received, and tb1 of r1 writes
  // after it; but that is the order of a credit.
  CHECK(race(R"(
    ccl.version 3
    exec.program @p coll allreduce ranks 2 chunks 4 inplace slots 1 {
      rank 0 scratch 1 {
        tb 0 send r1 ch 0 {
          0: s i[0]
          1: s i[1] pub
          2: nop pub
        }
        tb 1 ch 0 {
          0: cpy i[2] -> i[1]
        }
      }
      rank 1 {
        tb 0 recv r0 ch 0 {
          0: r -> i[0]
          1: r -> i[1]
        }
      }
    }
    )"_lines) ==
        "t.ccl:10:7: error: race on r0:i[1]: r0 tb0 step 1 (s) reads it, r0 tb1 step 0 (cpy) "
        "writes it, and nothing orders the two\n"
        "t.ccl:6:7: note: r0 tb0 step 1 (s) is here\n");
}

TEST_CASE("an rrs reads its operand and writes no cell") {
  auto text = [](StringRef other) {
    return ("ccl.version 3\nexec.program @p coll allreduce ranks 2 chunks 4 inplace {\n  rank 0 {\n"
            "    tb 0 send r1 recv r1 ch 0 {\n      0: rrs i[0]\n    }\n"
            "    tb 1 ch 0 {\n      0: " +
            other +
            R"(

                }
              }
              rank 1 {
                tb 0 send r0 recv r0 ch 0 {
                  0: s i[0]
                  1: r -> i[1]
                }
              }
            }
            )"_lines)
        .str();
  };
  CHECK(race(text("cpy i[0] -> i[1]")) == "");
  CHECK(race(text("cpy i[1] -> i[0]")) ==
        "t.ccl:5:7: error: race on r0:i[0]: r0 tb1 step 0 (cpy) writes it, r0 tb0 step 0 (rrs) "
        "reads it, and nothing orders the two\n"
        "t.ccl:8:7: note: r0 tb1 step 0 (cpy) is here\n");
}

namespace {
/// r0 sends `count` chunks from \p from; r1 executes \p hop; r0 executes \p receive in a second
/// threadblock.
std::string loop(StringRef send, StringRef hop, StringRef receive) {
  return race(("ccl.version 3\nexec.program @p coll allreduce ranks 2 chunks 6 inplace {\n"
               "  rank 0 {\n    tb 0 send r1 ch 0 {\n      0: " +
               send + "\n    }\n    tb 1 recv r1 ch 0 {\n      0: " + receive +
               "\n    }\n  }\n  rank 1 {\n    tb 0 send r0 recv r0 ch 0 {\n" + hop +
               "    }\n  }\n}\n")
                  .str());
}

/// Whether two conflicting steps are unordered in the closure of G_inf.
bool hasRace(const ExecPlan &plan) {
  NaivePlan naive(plan);
  auto ordered = naive.closure(naive.edges(0));
  for (uint32_t a = 0; a < plan.steps().size(); ++a)
    for (uint32_t b = a + 1; b < plan.steps().size(); ++b)
      if (!ordered[a][b] && !ordered[b][a] && naive.conflict(a, b))
        return true;
  return false;
}
} // namespace

TEST_CASE("a fused step returns chunks to cells that the step has not sent yet") {
  // Chunk 0 comes back to i[1], which the send reads for chunk 1.
  CHECK(loop("s i[0:2]", "      0: rcs -> i[0:2]\n", "r -> i[1:3]") ==
        "t.ccl:8:7: error: race on r0:i[1]: r0 tb0 step 0 (s) reads it, r0 tb1 step 0 (r) writes "
        "it, and nothing orders the two if steps are split into transmissions\n"
        "t.ccl:5:7: note: r0 tb0 step 0 (s) is here\n");
  CHECK(loop("s i[0:4]", "      0: rrs i[0:4]\n", "rrc i[2:6] -> i[2:6]") != "");
  // Chunk 1 comes back to the cell of chunk 0 or of chunk 1, which have been sent.
  CHECK(loop("s i[1:3]", "      0: rcs -> i[0:2]\n", "r -> i[0:2]") == "");
  CHECK(loop("s i[0:2]", "      0: rcs -> i[0:2]\n", "r -> i[0:2]") == "");
  // A receive that ends before the send of its chunks begins orders whole steps.
  CHECK(loop("s i[0:2]", "      0: r -> i[0:2]\n      1: s i[0:2]\n", "r -> i[1:3]") == "");
  // Steps of one chunk are never split.
  CHECK(loop("s i[1]", "      0: rcs -> i[0]\n", "r -> i[1]") == "");
}

TEST_CASE("races in loops of fused steps match those of steps of one chunk", "[property]") {
  uint32_t racing = 0, split = 0, clean = 0;
  for (uint64_t seed = 0; seed < scaled(3000); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    constexpr uint32_t chunks = 8;
    const uint32_t ranks = random.between(2, 4);
    ProgramInfo info(Collective(CollectiveKind::AllReduce, ranks, chunks));
    info.name = "p";
    info.placements = Placements::inPlace();
    ExecPlanBuilder builder(std::move(info));
    LocId nowhere = LocTable::unknown();
    const uint32_t messages = random.between(1, 2), count = random.between(1, 4);
    auto any = [&] { return Operand(Buffer::Input, random.below(chunks - count + 1)); };
    auto add = [&](OpKind op, Operand src, Operand dst) -> Step & {
      return builder.addStep(Step(op, src, dst, count, nowhere, nowhere));
    };
    for (uint32_t r = 0; r < ranks; ++r) {
      RankId rank(r), next((r + 1) % ranks), last((r + ranks - 1) % ranks);
      if (r > 0) {
        builder.beginThreadblock(rank, next, last, ChannelId(0));
        for (uint32_t l = 0; l < messages; ++l) {
          Operand at = any();
          switch (random.below(5)) {
          case 0:
            add(OpKind::Recv, Operand(), at);
            add(OpKind::Send, at, Operand());
            break;
          case 1:
            add(OpKind::RecvReduceSend, at, Operand());
            break;
          case 2:
            add(OpKind::RecvReduceCopySend, at, at);
            break;
          default:
            add(OpKind::RecvCopySend, Operand(), at);
          }
        }
        continue;
      }
      builder.beginThreadblock(rank, next, {}, ChannelId(0));
      for (uint32_t l = 0; l < messages; ++l)
        add(OpKind::Send, any(), Operand()).publishes = l + 1 == messages || random.chance(50);
      builder.beginThreadblock(rank, {}, last, ChannelId(0));
      for (uint32_t l = 0; l < messages; ++l) {
        Operand at = any();
        Step &step = random.chance(50) ? add(OpKind::Recv, Operand(), at)
                                       : add(OpKind::RecvReduceCopy, at, at);
        if (random.chance(15))
          step.setWait(Wait{ThreadblockId(0), StepIndex(random.below(messages))});
      }
    }
    DiagnosticEngine diags;
    FailureOr<ExecPlan> made = std::move(builder).finish(diags);
    if (failed(made))
      continue;
    ConnectionTable connections(*made);
    PlanControlFlow runner(*made, connections);
    REQUIRE(runner.run(Slots::unlimited()));
    std::optional<Race> found = findRace(*made, connections, runner);
    bool racesSplit = hasRace(splitIntoChunks(*made));
    if (found.has_value() != racesSplit)
      FAIL((found ? "no race" : "missed") << printed(*made));
    if (found && found->ifSplit)
      ++split;
    if (!hasRace(*made))
      CHECK((!found || found->ifSplit));
    racing += found.has_value();
    clean += !found;
  }
  CHECK(racing > 100);
  CHECK(split > 100);
  CHECK(clean > 100);
}

TEST_CASE("races of random plans match those of the closure", "[property]") {
  uint32_t racing = 0, clean = 0;
  for (uint64_t seed = 0; seed < scaled(1500); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    RandomProgramOptions options;
    options.maxOps = 30;
    options.maxRanks = 4;
    options.switches = seed % 3 == 2;
    ExecPlan good = randomPlan(seed + 50000, Slots(8), seed % 2, options);
    uint32_t swaps = random.chance(30) ? 3 : 0;
    std::optional<ExecPlan> plan = spoilt(good, {random.chance(30) ? 0 : 25u, swaps}, random);
    if (!plan)
      continue;
    NaivePlan naive(*plan);
    ConnectionTable connections(*plan);
    PlanControlFlow runner(*plan, connections);
    if (!runner.run(Slots::unlimited()))
      continue;
    auto ordered = naive.closure(naive.edges(0));
    bool races = hasRace(splitIntoChunks(*plan));
    std::optional<Race> found = findRace(*plan, connections, runner);
    if (found.has_value() != races)
      FAIL((races ? "missed" : "no race") << printed(*plan));
    racing += races;
    clean += !races;
    if (!found)
      continue;
    // The reported race is one of them, with the correct cell and accesses.
    uint32_t a = found->earlier.index(), b = found->later.index();
    REQUIRE(ordered[a][b] == found->ifSplit);
    REQUIRE(!ordered[b][a]);
    REQUIRE(naive.rankOf(a) == found->rank);
    REQUIRE(naive.rankOf(b) == found->rank);
    auto common = [&](const NaivePlan::Cells &x, const NaivePlan::Cells &y) {
      for (const auto &cell : x)
        if (y.count(cell))
          return true;
      return false;
    };
    auto accesses = [&](uint32_t step, bool writes) {
      return writes ? naive.writes(step, found->placement) : naive.reads(step, found->placement);
    };
    REQUIRE((found->earlierWrites || found->laterWrites));
    REQUIRE(common(accesses(a, found->earlierWrites), accesses(b, found->laterWrites)));
  }
  CHECK(racing > 100);
  CHECK(clean > 100);
}

TEST_CASE("plans of cclc have no races", "[property]") {
  for (uint64_t seed = 0; seed < scaled(200); ++seed) {
    ExecPlan plan = randomPlan(seed + 60000, Slots(1 + seed % 3), true);
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    REQUIRE(runner.run(*plan.slots()));
    REQUIRE_FALSE(findRace(plan, connections, runner));
    // The scheduler omits no local wait because of a path through another rank: the edges within
    // ranks order all conflicts as well.
    NaivePlan naive(plan);
    NaivePlan::Edges local;
    for (auto [from, to] : naive.edges(0))
      if (naive.rankOf(from) == naive.rankOf(to))
        local.emplace_back(from, to);
    auto ordered = naive.closure(local);
    for (uint32_t a = 0; a < plan.steps().size(); ++a)
      for (uint32_t b = a + 1; b < plan.steps().size(); ++b)
        if (naive.rankOf(a) == naive.rankOf(b) && naive.threadblockOf(a) != naive.threadblockOf(b))
          REQUIRE((ordered[a][b] || ordered[b][a] || !naive.conflict(a, b)));
  }
}

TEST_CASE("a race behind a repeated send of another rank names that send") {
  // The second message of rank 0 orders the write behind the read: it follows the message of r1.
  auto plan = [](const std::string &r0) {
    return "ccl.version 3\nexec.program @p coll allreduce ranks 2 chunks 3 inplace slots 8 {\n"
           "  rank 0 scratch 1 {\n" +
           r0 + R"(
      }
      rank 1 {
        tb 0 send r0 ch 0 {
          0: s i[0]
        }
        tb 1 recv r0 ch 0 {
          0: r -> i[1]
          1: r -> i[0]
        }
      }
    }
    )"_lines;
  };
  CHECK(race(plan(R"(
        tb 0 send r1 recv r1 ch 0 {
          0: s i[1]
          1: r -> s[0]
          2: s i[2]
        }
    )"_lines)) == "");
  CHECK(race(plan(R"(
        tb 0 send r1 recv r1 ch 0 {
          0: s i[1]
          1: s i[1]
          2: r -> s[0]
        }
    )"_lines)) ==
        "t.ccl:16:7: error: race on r1:i[0]: r1 tb0 step 0 (s) reads it, r1 tb1 step 1 (r) writes "
        "it, and nothing orders the two\n"
        "t.ccl:12:7: note: r1 tb0 step 0 (s) is here\n"
        "t.ccl:6:7: note: r0 tb0 step 1 (s) sends the same data as r0 tb0 step 0 (s)\n");
  // Data that has changed in between is not sent again.
  CHECK(race(plan(R"(
        tb 0 send r1 recv r1 ch 0 {
          0: s i[1]
          1: re i[0] -> i[1]
          2: s i[1]
          3: r -> s[0]
        }
    )"_lines)) ==
        "t.ccl:17:7: error: race on r1:i[0]: r1 tb0 step 0 (s) reads it, r1 tb1 step 1 (r) writes "
        "it, and nothing orders the two\n"
        "t.ccl:13:7: note: r1 tb0 step 0 (s) is here\n");
}
