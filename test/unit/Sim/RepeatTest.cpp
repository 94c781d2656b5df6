//===- RepeatTest.cpp - Consecutive runs ----------------------------------===//
//
// A rank begins the next run when all its threadblocks have ended the previous one.
// The oracle expands the runs into one plan, with waits between them.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Simulation.h"

#include "cclc/Proof/PlanVerifier.h"

#include <numeric>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t ringRate = 100'000'000'000; // of the bundled ring target
constexpr int64_t ringPropagation = 1'000'000;

/// Records when each run of each rank begins; the first ones begin at 0.
class Begins final : public SimListener {
public:
  explicit Begins(const ExecPlan &plan) : at(plan.ranks(), {0}) {}
  void runBegins(RankId rank, uint32_t run, SimTime now) override {
    CHECK(run == at[rank.index()].size());
    at[rank.index()].push_back(now.picoseconds());
  }
  std::vector<std::vector<int64_t>> at; ///< by rank and run
};

/// Chunk \p index of a buffer is the same place of the same part in run \p run of an operation that
/// has \p runs times the chunks in each part.
Operand ofRun(Operand operand, uint32_t chunks, uint32_t run, uint32_t runs) {
  if (operand.isNone() || operand.buffer() == Buffer::Scratch)
    return operand;
  uint32_t part = operand.index() / chunks, place = operand.index() % chunks;
  return Operand(operand.buffer(), (part * runs + run) * chunks + place);
}

/// \p plan repeated \p runs times as one operation; with \p ownData, each run has its own chunks.
/// If
/// \p joined, a threadblock waits for all others of its rank between two runs.
ExecPlan unrolled(const ExecPlan &plan, uint32_t runs, bool joined = true, bool ownData = true) {
  ProgramInfo info = plan.info();
  const Collective &one = plan.info().collective;
  ownData &= one.kind() != CollectiveKind::Custom;
  if (one.hasPostCondition() && ownData)
    info.collective = Collective(one.kind(), one.ranks(), one.chunks() * runs, one.root());
  uint32_t chunks = ownData ? one.chunks() : 0;
  ExecPlanBuilder builder(info);
  builder.setSlots(plan.slots());
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    builder.setScratch(RankId(r), plan.scratchChunks()[r]);
    ArrayRef<Threadblock> tbs = plan.threadblocks(RankId(r));
    uint32_t waits = 0; ///< of a threadblock between two runs
    for (const Threadblock &tb : tbs)
      waits += joined && tb.numSteps > 0;
    waits -= waits > 0;
    for (uint32_t t = 0; t < tbs.size(); ++t) {
      builder.beginThreadblock(RankId(r), tbs[t].sendPeer, tbs[t].recvPeer, tbs[t].channel);
      for (uint32_t run = 0; run < runs && tbs[t].numSteps > 0; ++run) {
        for (uint32_t other = 0; joined && other < tbs.size() && run > 0; ++other)
          if (uint32_t steps = tbs[other].numSteps; steps > 0 && other != t) {
            LocId loc = LocTable::unknown();
            Step wait(OpKind::Nop, {}, {}, 0, loc, loc);
            wait.setWait(
                Wait{ThreadblockId(other), StepIndex(run * steps + (run - 1) * waits - 1)});
            builder.addStep(wait);
          }
        for (Step step : plan.steps(tbs[t])) {
          step.src = chunks ? ofRun(step.src, chunks, run, runs) : step.src;
          step.dst = chunks ? ofRun(step.dst, chunks, run, runs) : step.dst;
          if (std::optional<Wait> wait = step.wait()) {
            uint32_t all = tbs[wait->tb.index()].numSteps + waits;
            step.setWait(Wait{wait->tb, StepIndex(run * all + wait->step.index())});
          }
          step.publishes |= waits > 0;
          builder.addStep(step);
        }
      }
    }
  }
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = std::move(builder).finish(diags);
  INFO(textOf(diags));
  REQUIRE(succeeded(result));
  return std::move(*result);
}

void checkProved(const ExecPlan &plan, Slots slots) {
  DiagnosticEngine diags;
  Verdict verdict = verifyPlan(plan, slots, diags).verdict;
  CHECK(textOf(diags) == "");
  CHECK(verdict == Verdict::Ok);
}
} // namespace

TEST_CASE("a rank begins its next run while others are busy", "[repeat]") {
  // r1 copies the received data, for 5 us; r0 only sends, and there are enough slots.
  ExecPlan plan = readGood(R"(
        ccl.version 2
        exec.program @early coll custom ranks 2 outofplace slots 8 {
          input 1
          output 2
          rank 0 {
            tb 0 send r1 ch 0 {
              0: s i[0]
              1: cpy i[0] -> o[0]
            }
          }
          rank 1 {
            tb 0 recv r0 ch 0 {
              0: r -> o[0]
              1: cpy o[0] -> o[1]
              2: cpy i[0] -> o[1]
            }
          }
        }
        )"_lines);
  Machine m = machine("ring", {"pe.copy.cycle=1e-9", "pe.copy.bytes_per_cycle=1"}, 2);
  Simulation sim(plan, m, 1000, DataType::U8);
  constexpr int64_t copy = 1'000'000;
  int64_t way = ringPropagation + transferPs(1000, ringRate);
  Begins begins(plan);
  SimOptions options;
  options.repeat = 3;
  options.listeners = {&begins};
  SimResult result = sim.run("", options);
  CHECK(begins.at[0] == std::vector<int64_t>{0, copy, 2 * copy});
  CHECK(begins.at[1] == std::vector<int64_t>{0, way + 2 * copy, way + 4 * copy});
  CHECK(result.time.picoseconds() == way + 6 * copy);
  CHECK(result.firstRun.picoseconds() == way + 2 * copy);
}

TEST_CASE("all threadblocks of a rank end a run before the next one begins", "[repeat][rule-9]") {
  // Both ranks send on one channel, and receive on another.
  ExecPlan plan = readGood(R"(
        ccl.version 2
        exec.program @both coll custom ranks 2 outofplace slots 8 {
          input 1
          output 1
          rank 0 {
            tb 0 send r1 ch 0 {
              0: s i[0]
            }
            tb 1 recv r1 ch 1 {
              0: r -> o[0]
            }
          }
          rank 1 {
            tb 0 recv r0 ch 0 {
              0: r -> o[0]
            }
            tb 1 send r0 ch 1 {
              0: s i[0]
            }
            tb 2 ch 0 {
            }
          }
        }
        )"_lines);
  int64_t way = ringPropagation + transferPs(1000, ringRate);
  for (const char *network : networks) {
    Machine m = machine("ring", {}, 2);
    Simulation sim(plan, m, 1000, DataType::U8);
    Begins begins(plan);
    SimOptions options;
    options.repeat = 4;
    options.listeners = {&begins};
    options.criticalPath = true;
    SimResult result = sim.run(network, options);
    CHECK(result.time.picoseconds() == 4 * way);
    CHECK(begins.at[0] == std::vector<int64_t>{0, way, 2 * way, 3 * way});
    CHECK(begins.at[1] == begins.at[0]);
    checkCauses(plan, result);
    checkNoGaps(result);
    // At the end of each run but the last, the senders wait for the other threadblocks of their
    // ranks.
    CHECK(result.causes[0][size_t(Cause::Dependence)].picoseconds() == 3 * way);
  }
  // Within a run, pieces are not synchronised: the pipeline of each run is filled once.
  Machine m = machine("ring", {"queue.slot_size=250"}, 2);
  Simulation sim(plan, m, 1000, DataType::U8, Slots::unlimited());
  REQUIRE(sim.sizing.pieces == 4);
  CHECK(sim.time("", 3) == 3 * (ringPropagation + 4 * transferPs(250, ringRate)));
}

TEST_CASE("loads and stores of runs do not overlap", "[repeat]") {
  Machine m = machine("ahbm", {"memory.dma_overhead=100e-9", "memory.hbm_bandwidth=1e9"});
  ExecPlan plan = compiled({"allreduce_ring", {}, 4});
  Simulation sim(plan, m, 4000);
  SimResult one = sim.run(), three = sim.repeated(3);
  CHECK(three.firstRun == one.time);
  CHECK(three.time.picoseconds() == 3 * one.time.picoseconds());
}

TEST_CASE("repeated runs match the expanded plan with waits between the runs", "[repeat]") {
  constexpr uint32_t runs = 3;
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe), all = unrolled(plan, runs);
    checkProved(all, all.slots().value_or(defaultSlots));
    Machine m = machine("fully-connected", {"queue.slot_size=0"}, plan.ranks());
    Slots slots = plan.slots().value_or(defaultSlots);
    uint64_t bytes = 240 * chunksOfBuffer(plan.info().collective);
    Simulation sim(plan, m, bytes, DataType::I32, slots);
    Simulation written(all, m, runs * bytes, DataType::I32, slots);
    REQUIRE(sim.sizing.pieceBytes(0) == written.sizing.pieceBytes(0));
    SimResult repeated = sim.repeated(runs, "ideal"), once = written.run("ideal");
    CHECK(repeated.time == once.time);
    CHECK(repeated.messages == once.messages);
  }
  for (uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed), all = unrolled(plan, runs);
    Machine m = machine("fully-connected", {"queue.slot_size=0"}, plan.ranks());
    Simulation sim(plan, m, 1000, DataType::F32, plan.slots());
    Simulation written(all, m, 1000, DataType::F32, plan.slots());
    if (sim.sizing.pieceBytes(0) == written.sizing.pieceBytes(0))
      CHECK(sim.repeated(runs, "ideal").time == written.run("ideal").time);
  }
}

TEST_CASE("recursive doubling written twice is a race without waits between the runs", "[repeat]") {
  // The second run overwrites values that other threadblocks of the rank still send. It sums up the
  // sums of the first, so its result is not that of one all-reduce.
  ExecPlan plan = compiled({"allreduce_recursive_doubling", {}, 8});
  auto verdictOf = [&](bool joined) {
    DiagnosticEngine diags;
    return verifyPlan(unrolled(plan, 2, joined, /*ownData=*/false), defaultSlots, diags).verdict;
  };
  CHECK(verdictOf(/*joined=*/false) == Verdict::Race);
  CHECK(verdictOf(/*joined=*/true) == Verdict::WrongResult);
  checkProved(unrolled(plan, 2), defaultSlots);
  // Repetitions have the waits.
  for (const char *network : networks) {
    Machine m = machine("fully-connected", {}, 8);
    CHECK(Simulation(plan, m, 1 << 20).time(network, 2) ==
          Simulation(unrolled(plan, 2), m, 2 << 20).time(network));
  }
}

TEST_CASE("the data of every run are correct in any order of events", "[repeat]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    Machine m = machine("fully-connected", {"queue.slot_size=64"}, plan.ranks());
    Simulation sim(plan, m, 1000);
    for (Placement placement : plan.info().placements.list())
      for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max})
        for (std::optional<uint64_t> seed : {std::optional<uint64_t>(), {uint64_t(op)}}) {
          DataExecutor data(sim.placed, sim.sizing, op, placement, std::nullopt);
          SimOptions options;
          options.repeat = 4;
          options.listeners = {&data};
          options.randomSchedule = seed;
          sim.run("", options);
          data.finish();
          CHECK_FALSE(data.check());
        }
  }
}

TEST_CASE("an error in a later run only is detected", "[repeat]") {
  // The plan adds to scratch that it never clears.
  ExecPlan plan = readGood(R"(
        ccl.version 2
        exec.program @sum coll custom ranks 1 outofplace slots 8 {
          input 1
          output 1
          expect r0:o[0] = r0:i[0]
          rank 0 scratch 1 {
            tb 0 ch 0 {
              0: re i[0] -> s[0]
              1: cpy s[0] -> o[0]
            }
          }
        }
        )"_lines);
  Machine m = machine("ring", {}, 2);
  Simulation sim(plan, m, 4, DataType::I32);
  for (uint32_t repeat : {1u, 3u}) {
    DataExecutor data(sim.placed, sim.sizing, ReduceOp::Sum, Placement::OutOfPlace, std::nullopt);
    SimOptions options;
    options.repeat = repeat;
    options.listeners = {&data};
    sim.run("", options);
    data.finish();
    std::optional<DataMismatch> mismatch = data.check();
    REQUIRE(mismatch.has_value() == (repeat > 1));
    if (!mismatch)
      continue;
    CHECK(mismatch->run == 1);
    CHECK(mismatch->more == 1);
  }
}
