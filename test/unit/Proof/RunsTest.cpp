//===- RunsTest.cpp - Proofs with runs of cells ---------------------------===//
//
// Proofs with runs have the results of proofs cell by cell, and their cost does not
// grow with the count.
//
//===----------------------------------------------------------------------===//

#include "../../support/CellwiseProof.h"
#include "../../support/Lines.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanExecution.h"
#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/RunMap.h"

using namespace cclc;
using namespace cclc::test;

namespace {
/// Limits the memory that the process may allocate in addition, for one scope.
struct Limited {
  explicit Limited(uint64_t more) {
    MemoryBudget::setLimit(Bytes(MemoryBudget::used().count() + more));
  }
  ~Limited() { MemoryBudget::setLimit(Bytes(INT64_MAX)); }
};

/// The proof is the same for any number of jobs.
void compareJobs(const ExecPlan &plan) {
  DiagnosticEngine diags;
  PlanProof proof = verifyPlan(plan, Slots(1), diags);
  for (unsigned jobs : {2, 3, 8}) {
    DiagnosticEngine parallelDiags;
    PlanProof parallel = verifyPlan(plan, Slots(1), parallelDiags, ReductionHash::Compute, jobs);
    CHECK(parallel.verdict == proof.verdict);
    CHECK(parallel.slotsNeeded == proof.slotsNeeded);
    CHECK(parallel.reductionHash == proof.reductionHash);
    CHECK(parallel.note == proof.note);
    CHECK(messages(parallelDiags) == messages(diags));
  }
}

void compareProofs(const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  if (!runner.run(Slots::unlimited()))
    return;
  // A runner that has found an order repeats it.
  PlanControlFlow repeating(plan, connections);
  REQUIRE(repeating.runWithLeastSlots());
  REQUIRE(repeating.hasOrder() == !plan.steps().empty());
  std::optional<Race> expected = cellwiseRace(plan, runner);
  for (PlanControlFlow *run : {&runner, &repeating}) {
    std::optional<Race> race = findRace(plan, connections, *run);
    REQUIRE(race.has_value() == expected.has_value());
    if (!race)
      continue;
    CHECK(race->placement == expected->placement);
    CHECK(race->rank == expected->rank);
    CHECK(race->cell == expected->cell);
    CHECK(race->earlier == expected->earlier);
    CHECK(race->later == expected->later);
    CHECK(race->earlierWrites == expected->earlierWrites);
    CHECK(race->laterWrites == expected->laterWrites);
  }
  const Collective &collective = plan.info().collective;
  for (Placement placement : plan.info().placements.list()) {
    PlanExecution execution(plan, connections, runner, placement);
    CellwiseExecution cellwise(plan, connections, runner, placement);
    PlanExecution joined(plan, connections, repeating, placement, Ranges::Joined);
    CHECK(joined.memory().hasDistinctIds());
    CHECK(execution.reductionHash() == cellwise.reductionHash());
    CHECK(joined.reductionHash() == cellwise.reductionHash());
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < collective.outputChunks(); c += 1 + collective.outputChunks() / 16) {
        CHECK(execution.reductionOrder(RankId(r), c) == cellwise.expression(RankId(r), c));
        CHECK(joined.reductionOrder(RankId(r), c) == cellwise.expression(RankId(r), c));
      }
    auto wrong = collective.hasPostCondition() ? cellwise.wrongOutputs()
                                               : decltype(cellwise.wrongOutputs())();
    auto found = execution.memory().findWrongOutput();
    auto foundJoined = joined.memory().findWrongOutput();
    REQUIRE(found.has_value() == !wrong.empty());
    REQUIRE(foundJoined.has_value() == !wrong.empty());
    if (!found)
      continue;
    CHECK(foundJoined->text == found->text);
    std::string cell = "wrong result: r" + std::to_string(wrong[0].first) + ":o[" +
                       std::to_string(wrong[0].second) + "]:";
    CHECK(StringRef(found->text).starts_with(cell));
    size_t more = wrong.size() - 1;
    if (more)
      CHECK(StringRef(found->text)
                .ends_with(" (" + std::to_string(more) + " more wrong " +
                           (more == 1 ? "cell)" : "cells)")));
  }
}
} // namespace

TEST_CASE("proofs with runs have the results of proofs with cells", "[property]") {
  for (uint64_t seed = 0; seed < scaled(200); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    RandomProgramOptions options;
    options.maxOps = 24;
    options.maxRanks = 4;
    options.switches = seed % 3 == 2;
    ExecPlan good = randomPlan(seed + 90000, Slots(8), seed % 2, options);
    std::optional<ExecPlan> plan =
        spoilt(good, {random.chance(50) ? 0 : 25u, random.chance(30) ? 3u : 0}, random);
    if (!plan)
      continue;
    compareProofs(*plan);
    compareJobs(*plan);
    compareProofs(widened(*plan, random.between(2, 9)));
    compareProofs(widened(*plan, 100));
  }
}

namespace {
/// A value that advances within a run, and one that is constant.
struct Number {
  uint32_t n = 0;
  Number advanced(uint32_t by) const { return {n ? n + by : 0}; }
  friend bool operator==(Number, Number) = default;
};
} // namespace

TEST_CASE("a map of runs behaves like an array", "[property]") {
  for (uint64_t seed = 0; seed < scaled(200); ++seed) {
    Random random(seed);
    uint32_t size = random.between(1, random.chance(50) ? 40 : 3000);
    RunMap<Number> map(size, Number{1}, random.chance(10));
    std::vector<Number> cells;
    for (uint32_t c = 0; c < size; ++c)
      cells.push_back({1 + c});
    for (uint32_t n = random.below(100); n > 0; --n) {
      uint32_t begin = random.below(size), count = random.below(size - begin + 1);
      if (random.chance(50))
        count = std::min(count, 3u);
      Number value{random.below(3) * 10000};
      if (random.chance(5))
        map.expect(random.below(500));
      if (random.chance(70)) {
        map.assign(begin, count, value);
        for (uint32_t i = 0; i < count; ++i)
          cells[begin + i] = value.advanced(i);
      } else {
        map.update(begin, count, [&](uint32_t at, uint32_t length, Number &number) {
          REQUIRE(cells[at] == number);
          number.n = number.n ? number.n + 7 : 0;
          for (uint32_t i = 0; i < length; ++i)
            cells[at + i] = number.advanced(i);
        });
      }
    }
    uint32_t next = 0;
    map.forRuns(0, size, [&](uint32_t at, uint32_t length, Number first) {
      REQUIRE(at == next);
      next += length;
      for (uint32_t i = 0; i < length; ++i)
        REQUIRE(cells[at + i] == first.advanced(i));
    });
    REQUIRE(next == size);
    for (uint32_t c = 0; c < size; ++c)
      REQUIRE(map.at(c) == cells[c]);
  }
}

TEST_CASE("few steps over many chunks take little memory") {
  // 2^26 cells under each placement; without runs, the values alone would take 800 MB.
  auto plan = parsed<ExecPlan>(
      R"(
      ccl.version 2
      exec.program @p coll sendrecv ranks 2 chunks 16777216 outofplace {
        rank 0 {
          tb 0 send r1 ch 0 {
            0: s i[0:16777216]
          }
          tb 1 recv r1 ch 0 {
            0: r -> o[0:16777216]
          }
        }
        rank 1 {
          tb 0 send r0 ch 0 {
            0: s i[0:16777216]
          }
          tb 1 recv r0 ch 0 {
            0: r -> o[0:16777216]
          }
        }
      }
      )"_lines);
  Limited limited(4 << 20);
  DiagnosticEngine diags;
  PlanProof report = verifyPlan(plan, Slots(1), diags);
  CHECK(report.verdict == Verdict::Ok);
}

TEST_CASE("the memory of a rank with many threadblocks is proportional to its steps") {
  // Each waits for the previous one: full vector clocks would have 4000 * 4000 entries, twice.
  constexpr uint32_t ranks = 4001;
  std::string text =
      R"(
      ccl.version 2
      exec.program @p coll reduce ranks 4001 inplace {
        rank 0 {
      )"_lines;
  for (uint32_t t = 0; t + 1 < ranks; ++t)
    text += "    tb " + std::to_string(t) + " recv r" + std::to_string(t + 1) +
            " ch 0 {\n      0: rrc i[0] -> i[0]" +
            (t ? " dep tb" + std::to_string(t - 1) + ":0" : "") + " pub\n    }\n";
  text += "  }\n";
  for (uint32_t r = 1; r < ranks; ++r)
    text += "  rank " + std::to_string(r) +
            R"(
             {
                tb 0 send r0 ch 0 {
                  0: s i[0]
                }
              }
            )"_lines;
  auto plan = parsed<ExecPlan>(text + "}\n");
  Limited limited(80 << 20);
  DiagnosticEngine diags;
  CHECK(verifyPlan(plan, Slots(1), diags).verdict == Verdict::Ok);
}

TEST_CASE("an order that a clock has dropped is found in the graph") {
  // The last threadblock overwrites a cell that the first one read, and is ordered after it through
  // all others: more than a clock of this rank stores.
  constexpr uint32_t threadblocks = 3000;
  auto text = [](bool ordered) {
    std::string text = R"(
      ccl.version 2
      exec.program @p coll custom ranks 1 outofplace {
        input 2
        output 3000
        rank 0 {
      )"_lines;
    for (uint32_t t = 0; t < threadblocks; ++t) {
      bool waits = t > 0 && (ordered || t != threadblocks / 2);
      text += "    tb " + std::to_string(t) + " ch 0 {\n      0: cpy " +
              (t + 1 < threadblocks ? "i[0] -> o[" + std::to_string(t) + "]"
                                    : std::string("i[1] -> i[0]")) +
              (waits ? " dep tb" + std::to_string(t - 1) + ":0" : "") + " pub\n    }\n";
    }
    return text + "  }\n}\n";
  };
  for (bool ordered : {true, false}) {
    auto plan = parsed<ExecPlan>(text(ordered));
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    std::optional<Race> race = findRace(plan, connections, runner);
    CHECK(race.has_value() == !ordered);
    if (race)
      CHECK(race->earlier == StepId(threadblocks / 2 - 1));
  }
}
