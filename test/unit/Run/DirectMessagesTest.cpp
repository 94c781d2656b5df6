//===- DirectMessagesTest.cpp - Tests of messages without slots -----------===//
//
// A direct message is read from memory of its sender, so the plan must order its receive before the
// next write there. The oracle follows the definition: for every message and every write, it
// searches the graph from the write backwards.
//
//===----------------------------------------------------------------------===//

#include "../../support/RandomPlan.h"
#include "Interpreted.h"

#include "cclc/Run/DirectMessages.h"

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
RunSettings everyMessage(DataType type, uint32_t slots, uint64_t slotBytes) {
  return {type, ReduceOp::Sum, slots, slotBytes, /*directBytes=*/0};
}

/// "0: s i[0]" of the direct messages of a plan, in the order of its steps.
std::string directSteps(const ExecPlan &plan, Placement placement, uint64_t elements = 64) {
  PreparedPlan run(plan, elements, everyMessage(DataType::F32, 8, 1 << 20));
  DirectMessages direct(run, placement);
  std::string text;
  for (uint32_t s = 0; s < plan.steps().size(); ++s)
    if (direct.of(StepId(s)))
      text += (text.empty() ? "" : " ") + std::to_string(s);
  return text;
}

/// Two ranks exchange one of their two chunks.
ExecPlan exchange(StringRef placements) {
  return readGood(with(R"(ccl.version 3
exec.program @exchange coll alltoall ranks 2 chunks 1 PLACEMENTS slots 1 {
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s i[1]
      1: r -> o[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s i[0]
      1: r -> o[0]
    }
  }
}
)",
                       "PLACEMENTS", placements));
}

class Paths {
public:
  explicit Paths(const PreparedPlan &run) : before(run.plan.steps().size()) {
    const ExecPlan &plan = run.plan;
    for (const Threadblock &block : plan.threadblocks())
      for (uint32_t s = block.firstStep; s < block.firstStep + block.numSteps; ++s) {
        if (s > block.firstStep)
          before[s].push_back(s - 1);
        if (std::optional<Wait> wait = plan.steps()[s].wait())
          before[s].push_back(plan.threadblocks(block.rank)[wait->tb.index()].firstStep +
                              run.satisfiedBy(block.rank, *wait));
      }
    for (const Connection &connection : run.connections.connections())
      forEachMessage(plan, connection,
                     [&](uint32_t send, uint32_t receive) { before[receive].push_back(send); });
  }
  bool lead(uint32_t from, uint32_t to) const {
    std::vector<bool> seen(before.size());
    std::vector<uint32_t> open = {to};
    while (!open.empty()) {
      uint32_t step = open.back();
      open.pop_back();
      if (step == from)
        return true;
      for (uint32_t other : before[step])
        if (!seen[other]) {
          seen[other] = true;
          open.push_back(other);
        }
    }
    return false;
  }

private:
  std::vector<std::vector<uint32_t>> before; ///< by step
};

/// Whether a write to the data of \p send may happen before \p receive.
bool isEndangered(const ExecPlan &plan, const Paths &paths, Placement placement, RankId rank,
                  uint32_t send, uint32_t receive) {
  CellSpace cells = plan.cells(placement);
  Operand sent = *sentOperand(plan.steps()[send]);
  uint32_t first = cells.offsetInRank(rank, sent), count = plan.steps()[send].count;
  for (const Threadblock &block : plan.threadblocks(rank))
    for (uint32_t s = block.firstStep; s < block.firstStep + block.numSteps; ++s) {
      const Step &step = plan.steps()[s];
      if (!traits(step.op).writesDst || s == send)
        continue;
      uint32_t begin = cells.offsetInRank(rank, step.dst);
      bool overlaps = begin < first + count && first < begin + step.count;
      if (overlaps && !paths.lead(s, send) && !paths.lead(receive, s))
        return true;
    }
  return false;
}
} // namespace

TEST_CASE("memory that is needed before a receive is not read by it", "[run]") {
  // In place, each rank would wait for the other.
  CHECK(directSteps(exchange("inplace"), Placement::InPlace).empty());
  CHECK(directSteps(exchange("outofplace"), Placement::OutOfPlace) == "0 2");
  ExecPlan both = exchange("inplace outofplace");
  CHECK(directSteps(both, Placement::InPlace).empty());
  CHECK(directSteps(both, Placement::OutOfPlace) == "0 2");
  // The last message of a ring overwrites the first, which came back with it.
  ExecPlan ring = compiled({"allreduce_ring", {}, 2});
  CHECK(directSteps(ring, Placement::InPlace) == "0 1 3 4");
}

TEST_CASE("small messages and unproved plans use slots", "[run]") {
  ExecPlan plan = exchange("outofplace");
  auto direct = [&](uint64_t elements) {
    return DirectMessages(PreparedPlan(plan, elements, {}), Placement::OutOfPlace).of(StepId(0));
  };
  CHECK(!direct(2 * 1023));
  CHECK(direct(2 * 1024));
  CHECK(!DirectMessages().of(StepId(0)));
}

// The last chunk of the input has one element, and that of scratch two.
TEST_CASE("a receiver reads no more than the sender has", "[run]") {
  ExecPlan plan = readGood(R"(ccl.version 3
exec.program @last coll broadcast ranks 2 chunks 2 root r0 outofplace {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
      1: s i[1]
    }
  }
  rank 1 scratch 2 {
    tb 0 recv r0 ch 0 {
      0: r -> s[0]
      1: r -> s[1]
    }
  }
}
)");
  CHECK(directSteps(plan, Placement::OutOfPlace, 3) == "0");
  CHECK(directSteps(plan, Placement::OutOfPlace, 4) == "0 1");
}

TEST_CASE("a message is direct if its receive precedes every later write", "[run]") {
  uint32_t messages = 0, endangered = 0;
  for (uint64_t seed = 0; seed < scaled(300); ++seed) {
    ExecPlan plan = randomPlan(seed + 700000);
    PreparedPlan run(plan, 64 * chunksOfBuffer(plan.info().collective),
                     everyMessage(DataType::U8, 8, 64));
    Paths paths(run);
    for (Placement placement : plan.info().placements.list()) {
      DirectMessages direct(run, placement);
      for (const Connection &connection : run.connections.connections())
        forEachMessage(plan, connection, [&](uint32_t send, uint32_t receive) {
          std::optional<Operand> sent = sentOperand(plan.steps()[send]);
          if (!sent || !run.adjacentSpan(*sent, plan.steps()[send].count, 0))
            return;
          RankId rank = plan.threadblocks()[connection.senderTb].rank;
          bool wrong = isEndangered(plan, paths, placement, rank, send, receive);
          INFO("seed " << seed << ", step " << send);
          CHECK(direct.of(StepId(send)) == !wrong);
          ++messages;
          endangered += wrong;
        });
    }
  }
  CHECK(messages > 1000);
  CHECK(endangered > messages / 20);
}

TEST_CASE("plans that use switches equal the simulator", "[run]") {
  RandomProgramOptions options;
  options.switches = true;
  uint32_t switched = 0;
  for (uint64_t seed = 0; seed < scaled(60); ++seed) {
    ExecPlan plan = randomPlan(seed + 900000, Slots(1 + seed % 3), seed % 2, options);
    switched += plan.usesSwitches();
    uint64_t elements = 37 * chunksOfBuffer(plan.info().collective);
    RunOptions how;
    how.jitter = seed;
    INFO("seed " << seed);
    Interpreted(plan, *plan.slots())
        .check(PreparedPlan(
                   plan, elements,
                   everyMessage(DataType::F32, slotsToExecute(*plan.slots(), std::nullopt), 64)),
               elements, how);
  }
  CHECK(switched > scaled(60) / 3);
}

TEST_CASE("random plans equal the simulator with direct messages", "[run]") {
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    ExecPlan plan = randomPlan(seed + 800000);
    Slots slots = *plan.slots();
    uint64_t elements = 37 * chunksOfBuffer(plan.info().collective);
    RunOptions options;
    options.jitter = seed;
    INFO("seed " << seed);
    Interpreted(plan, slots)
        .check(PreparedPlan(plan, elements,
                            everyMessage(DataType::F32, slotsToExecute(slots, std::nullopt), 64)),
               elements, options);
  }
}
