//===- ReductionsTest.cpp - Properties of all-reduce and reduce programs --===//
//
// Steps on the critical path, messages, bytes and shapes, each compared with the
// formula of the algorithm. The results are proved whenever a program is compiled.
//
//===----------------------------------------------------------------------===//

#include "../Sim/Simulation.h"

#include "cclc/IR/Connections.h"
#include "cclc/Proof/PlanExecution.h"

#include <bit>

using namespace cclc;
using namespace cclc::test;

namespace {
/// The number of messages on the critical path: the time on a machine on which only messages take
/// time.
int64_t hops(const ExecPlan &plan) {
  Machine m = machine("ideal", {"link.bandwidth=0", "link.propagation=1e-6", "queue.slot_size=0"},
                      plan.ranks());
  int64_t time = Simulation(plan, m, 1, DataType::U8, Slots::unlimited()).time();
  REQUIRE(time % 1'000'000 == 0);
  return time / 1'000'000;
}

/// Chunks of each message that a rank sends, in the order of its threadblocks.
std::vector<uint32_t> sends(const ExecPlan &plan, uint32_t rank) {
  std::vector<uint32_t> counts;
  for (const Threadblock &tb : plan.threadblocks(RankId(rank)))
    for (const Step &step : plan.steps(tb))
      if (traits(step.op).sends)
        counts.push_back(step.count);
  return counts;
}
uint32_t chunksSent(const ExecPlan &plan, uint32_t rank) {
  uint32_t sum = 0;
  for (uint32_t count : sends(plan, rank))
    sum += count;
  return sum;
}
uint32_t messages(const ExecPlan &plan) {
  uint32_t sum = 0;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    sum += sends(plan, r).size();
  return sum;
}

uint32_t count(const ExecPlan &plan, uint32_t rank, OpKind op) {
  uint32_t sum = 0;
  for (const Threadblock &tb : plan.threadblocks(RankId(rank)))
    for (const Step &step : plan.steps(tb))
      sum += step.op == op;
  return sum;
}

/// The operands of output chunk \p index of \p rank, in order.
std::string order(const ExecPlan &plan, uint32_t rank, uint32_t index) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  PlanExecution execution(plan, connections, runner, plan.info().placements.list().front());
  return execution.reductionOrder(RankId(rank), index);
}

uint32_t ceilLog2(uint32_t n) { return n <= 1 ? 0 : std::bit_width(n - 1); }

/// The smallest d with 1 + k + ... + k^d >= n.
uint32_t treeDepth(uint32_t n, uint32_t k) {
  uint32_t depth = 0;
  for (uint64_t level = 1, nodes = 1; nodes < n; ++depth)
    nodes += level *= k;
  return depth;
}

const std::vector<uint32_t> someRanks = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                         12, 13, 14, 15, 16, 17, 24, 31, 32, 33, 64};

template <class Fn>
void forRanks(const std::string &program,
              const std::vector<std::pair<std::string, std::string>> &parameters, Fn fn) {
  for (uint32_t ranks : someRanks) {
    INFO(program << " over " << ranks);
    fn(compiled({program, parameters, ranks}), ranks);
  }
}
} // namespace

TEST_CASE("centralized: all data pass through the root", "[programs]") {
  for (const char *root : {"0", "3"})
    for (uint32_t ranks : {4u, 5u, 16u, 33u}) {
      ExecPlan plan = compiled({"allreduce_centralized", {{"root", root}}, ranks});
      uint32_t center = std::stoul(root);
      CHECK(hops(plan) == 2);
      CHECK(messages(plan) == 2 * (ranks - 1));
      for (uint32_t r = 0; r < ranks; ++r)
        CHECK(chunksSent(plan, r) == (r == center ? ranks - 1 : 1));
    }
  CHECK(hops(compiled({"allreduce_centralized", {}, 1})) == 0);
  // Operands are in the order of ranks, beginning with the root.
  ExecPlan plan = compiled({"allreduce_centralized", {{"root", "2"}}, 4});
  for (uint32_t r = 0; r < 4; ++r)
    CHECK(order(plan, r, 0) == "(((r2:i[0] + r3:i[0]) + r0:i[0]) + r1:i[0])");
}

TEST_CASE("centralized: with streams the root has a place for each concurrent fetch",
          "[programs]") {
  for (uint32_t streams : {0u, 1u, 2u, 3u, 100u}) {
    INFO(streams);
    ExecPlan plan = compiled({"allreduce_centralized", {{"streams", std::to_string(streams)}}, 6});
    CHECK(plan.scratchChunks()[0] == (streams == 1 ? 0 : std::min(streams ? streams : 5, 5u)));
    CHECK(messages(plan) == 10);
    CHECK(hops(plan) == 2);
    CHECK(order(plan, 5, 0) ==
          "(((((r0:i[0] + r1:i[0]) + r2:i[0]) + r3:i[0]) + r4:i[0]) + r5:i[0])");
    // The root fetches and adds in different steps, unless it serves one rank at a time.
    CHECK(count(plan, 0, OpKind::Recv) == (streams == 1 ? 0 : 5));
    CHECK(count(plan, 0, OpKind::Reduce) == (streams == 1 ? 0 : 5));
  }
}

TEST_CASE("bidirectional ring: half of the data in each direction", "[programs]") {
  forRanks("allreduce_bidirectional_ring", {}, [](const ExecPlan &plan, uint32_t ranks) {
    CHECK(hops(plan) == 2 * (ranks - 1));
    for (uint32_t r = 0; r < ranks; ++r)
      CHECK(chunksSent(plan, r) == 4 * (ranks - 1));
    if (ranks < 3)
      return;
    for (uint32_t r = 0; r < ranks; ++r) {
      ArrayRef<Threadblock> tbs = plan.threadblocks(RankId(r));
      REQUIRE(tbs.size() == 2);
      for (const Threadblock &tb : tbs) {
        // One ring: s, R-2 rrs, rrcs, R-2 rcs, r.
        uint32_t next = (*tb.sendPeer).index();
        CHECK((next == (r + 1) % ranks || next == (r + ranks - 1) % ranks));
        CHECK((next + (*tb.recvPeer).index()) % ranks == 2 * r % ranks);
        CHECK(tb.numSteps == 2 * ranks - 1);
      }
      CHECK(tbs[0].sendPeer != tbs[1].sendPeer);
      CHECK(count(plan, r, OpKind::RecvReduceSend) == 2 * (ranks - 2));
      CHECK(count(plan, r, OpKind::RecvReduceCopySend) == 2);
      CHECK(count(plan, r, OpKind::RecvCopySend) == 2 * (ranks - 2));
    }
  });
}

TEST_CASE("halving and doubling: a ring's bytes in log R exchanges", "[programs]") {
  forRanks("allreduce_halving_doubling", {}, [](const ExecPlan &plan, uint32_t ranks) {
    uint32_t core = std::bit_floor(ranks), log = std::countr_zero(core), excess = ranks - core;
    CHECK(hops(plan) == 2 * log + (excess ? 2 : 0));
    CHECK(messages(plan) == 2 * core * log + 2 * excess);
    CHECK(plan.maxCount() == (excess ? core : std::max(1u, core / 2)));
    for (uint32_t r = 0; r < ranks; ++r) {
      // One message per exchange, of half the previous size; then the same sizes in reverse.
      std::vector<uint32_t> want;
      for (uint32_t half = core / 2; half > 0 && r < core; half /= 2)
        want.insert(want.end(), 2, half);
      if (r >= core || r < excess)
        want.insert(want.begin(), core);
      std::vector<uint32_t> got = sends(plan, r);
      std::sort(got.rbegin(), got.rend());
      CHECK(got == want);
    }
  });
}

TEST_CASE("tree: twice the depth of a complete k-ary tree", "[programs]") {
  for (uint32_t k : {1u, 2u, 3u, 4u, 7u, 100u})
    forRanks("allreduce_tree", {{"arity", std::to_string(k)}},
             [&](const ExecPlan &plan, uint32_t ranks) {
               INFO("arity " << k);
               // ceil(log_k(R (k-1) + 1)) - 1 is the depth; every level takes one message in each
               // direction.
               CHECK(hops(plan) == 2 * treeDepth(ranks, k));
               CHECK(messages(plan) == 2 * (ranks - 1));
               for (uint32_t r = 0; r < ranks; ++r) {
                 uint32_t first = k * r + 1;
                 uint32_t children = first < ranks ? std::min(k, ranks - first) : 0;
                 CHECK(chunksSent(plan, r) == children + (r > 0));
                 // Fetches do not wait for sums: each is the first step of its own threadblock.
                 CHECK(count(plan, r, OpKind::Reduce) == children);
                 uint32_t fetches = 0;
                 for (const Threadblock &tb : plan.threadblocks(RankId(r)))
                   fetches += tb.recvPeer && *tb.recvPeer > RankId(r) &&
                              plan.steps(tb).front().op == OpKind::Recv &&
                              !plan.steps(tb).front().waits();
                 CHECK(fetches == children);
               }
             });
}

TEST_CASE("tree: sums are formed in the order of children", "[programs]") {
  for (const char *streams : {"0", "1", "2"}) {
    ExecPlan plan = compiled({"allreduce_tree", {{"arity", "3"}, {"streams", streams}}, 7});
    for (uint32_t r = 0; r < 7; ++r)
      CHECK(order(plan, r, 0) ==
            "(((r0:i[0] + (((r1:i[0] + r4:i[0]) + r5:i[0]) + r6:i[0])) + r2:i[0]) + r3:i[0])");
  }
  // With two scratch slots, child 2 waits for that of child 0.
  CHECK(compiled({"allreduce_tree", {{"arity", "6"}, {"streams", "2"}}, 7}).scratchChunks()[0] ==
        2);
  CHECK(compiled({"allreduce_tree", {{"arity", "6"}}, 7}).scratchChunks()[0] == 6);
}

TEST_CASE("tree: chunks are pipelined", "[programs]") {
  // In the broadcast, chunks leave the root as soon as they are reduced.
  for (const char *chunks : {"2", "5"}) {
    ExecPlan plan = compiled({"allreduce_tree", {{"arity", "2"}, {"chunks", chunks}}, 15});
    CHECK(hops(plan) == 6);
    CHECK(messages(plan) == 2 * 14 * std::stoul(chunks));
  }
}

TEST_CASE("double binary tree: an inner node of one is a leaf of the other", "[programs]") {
  forRanks("allreduce_double_binary_tree", {{"chunks", "1"}},
           [](const ExecPlan &plan, uint32_t ranks) {
             CHECK(hops(plan) == 2 * (ranks % 2 ? ceilLog2(ranks + 1) - 1 : ceilLog2(ranks)));
             CHECK(messages(plan) == 4 * (ranks - 1));
             if (ranks == 1)
               return;
             uint32_t roots = 0, leafTwice = 0;
             for (uint32_t r = 0; r < ranks; ++r) {
               CHECK(chunksSent(plan, r) <= 4); // of which two are a whole buffer
               // Children of each tree, which has a channel: the operands of its sums.
               uint32_t children[2] = {0, 0}, parents = 0;
               for (const Threadblock &tb : plan.threadblocks(RankId(r))) {
                 REQUIRE(tb.channel.index() < 2);
                 for (const Step &step : plan.steps(tb)) {
                   const OpTraits &op = traits(step.op);
                   children[tb.channel.index()] += op.receives && op.reduces();
                   parents += op.receives && !op.reduces();
                 }
               }
               roots += 2 - parents;
               CHECK(std::max(children[0], children[1]) <= 2);
               // Odd: in each tree there is one more leaf than inner nodes.
               if (ranks % 2 == 0)
                 CHECK((children[0] == 0) != (children[1] == 0));
               else
                 CHECK((children[0] == 0 || children[1] == 0));
               leafTwice += children[0] + children[1] == 0;
             }
             CHECK(roots == 2);
             CHECK(leafTwice == ranks % 2);
           });
}

TEST_CASE("double binary tree: both halves together are faster than one tree", "[programs]") {
  Machine m = machine("fully-connected", {"pe.dma_bandwidth=100e9"}, 16);
  auto time = [&](const Recipe &recipe) { return Simulation(compiled(recipe), m, 1 << 24).time(); };
  int64_t two = time({"allreduce_double_binary_tree", {{"chunks", "32"}}, 16});
  int64_t one = time({"allreduce_tree", {{"arity", "2"}, {"chunks", "64"}}, 16});
  CHECK(two < one);
}

TEST_CASE("all pairs: two steps, and the bytes of a ring", "[programs]") {
  forRanks("allreduce_allpairs", {}, [](const ExecPlan &plan, uint32_t ranks) {
    CHECK(hops(plan) == (ranks > 1 ? 2 : 0));
    CHECK(messages(plan) == 2 * ranks * (ranks - 1));
    for (uint32_t r = 0; r < ranks; ++r)
      CHECK(chunksSent(plan, r) == 2 * (ranks - 1));
  });
}

TEST_CASE("one step: every rank sends its whole buffer to all others", "[programs]") {
  forRanks("allreduce_onestep", {{"chunks", "2"}}, [](const ExecPlan &plan, uint32_t ranks) {
    CHECK(hops(plan) == (ranks > 1 ? 1 : 0));
    CHECK(messages(plan) == ranks * (ranks - 1));
    for (uint32_t r = 0; r < ranks; ++r)
      CHECK(chunksSent(plan, r) == 2 * (ranks - 1));
  });
  // The sums are equal on all ranks except for the operand order of one addition.
  ExecPlan plan = compiled({"allreduce_onestep", {}, 4});
  CHECK(order(plan, 0, 0) == "(((r0:i[0] + r1:i[0]) + r2:i[0]) + r3:i[0])");
  CHECK(order(plan, 1, 0) == "(((r1:i[0] + r0:i[0]) + r2:i[0]) + r3:i[0])");
  CHECK(order(plan, 2, 0) == "((r2:i[0] + (r0:i[0] + r1:i[0])) + r3:i[0])");
  CHECK(order(plan, 3, 0) == "(r3:i[0] + ((r0:i[0] + r1:i[0]) + r2:i[0]))");
}

TEST_CASE("NVLS: the messages of all pairs, or one step of a switch for a rank", "[programs]") {
  forRanks("allreduce_nvls", {}, [](const ExecPlan &plan, uint32_t ranks) {
    CHECK_FALSE(plan.usesSwitches());
    CHECK(messages(plan) == 2 * ranks * (ranks - 1));
  });
  for (uint32_t ranks : {3u, 8u})
    for (const char *buffers : {"in_place", "out_of_place"}) {
      ExecPlan plan =
          compiled({"allreduce_nvls", {{"buffers", buffers}}, ranks, 1, {}, "dgx-h100"});
      for (uint32_t r = 0; r < ranks; ++r) {
        // It sends a chunk to the sum of every other rank, and the sum of its own once.
        CHECK(chunksSent(plan, r) == ranks);
        CHECK(count(plan, r, OpKind::RecvReduceCopySend) == 1);
        CHECK(count(plan, r, OpKind::Recv) == ranks - 1);
      }
    }
  // The order of a switch has no number.
  ExecPlan plan = compiled({"allreduce_nvls", {}, 3, 1, {}, "dgx-h100"});
  CHECK(order(plan, 2, 1) == "{r0:i[1] + r2:i[1] + r1:i[1]}");
  ExecPlan gather = compiled({"allgather_nvls", {}, 5, 1, {}, "dgx-h100"});
  ExecPlan broadcast = compiled({"broadcast_nvls", {{"root", "3"}}, 5, 1, {}, "dgx-h100"});
  for (uint32_t r = 0; r < 5; ++r) {
    CHECK(messages(gather) == 5);
    CHECK(chunksSent(broadcast, r) == (r == 3 ? broadcast.info().collective.inputChunks() : 0));
  }
}

TEST_CASE("binomial reduce: the number of sums halves in each step", "[programs]") {
  for (const char *buffers : {"in_place", "out_of_place", "both"})
    forRanks("reduce_binomial", {{"buffers", buffers}}, [](const ExecPlan &plan, uint32_t ranks) {
      // The depth of rank i in the tree is the number of its one bits.
      int deepest = 0;
      for (uint32_t i = 0; i < ranks; ++i)
        deepest = std::max(deepest, std::popcount(i));
      CHECK(hops(plan) == deepest);
      CHECK(messages(plan) == ranks - 1);
      for (uint32_t r = 0; r < ranks; ++r) {
        CHECK(chunksSent(plan, r) == (r > 0));
        // Only the root writes to an output or, in place, to an input.
        for (const Threadblock &tb : plan.threadblocks(RankId(r)))
          for (const Step &step : plan.steps(tb))
            if (r > 0 && traits(step.op).writesDst)
              CHECK(step.dst.buffer() == Buffer::Scratch);
      }
    });
  CHECK(order(compiled({"reduce_binomial", {{"root", "4"}}, 6}), 4, 0) ==
        "(((r4:i[0] + r5:i[0]) + (r0:i[0] + r1:i[0])) + (r2:i[0] + r3:i[0]))");
}

TEST_CASE("scans: the ranks are added in order", "[programs]") {
  for (const char *chunks : {"1", "3"}) {
    CHECK(order(compiled({"scan_chain", {{"chunks", chunks}}, 4}), 3, 0) ==
          "(r3:i[0] + (r2:i[0] + (r1:i[0] + r0:i[0])))");
    CHECK(order(compiled({"exscan_chain", {{"chunks", chunks}}, 5}), 4, 0) ==
          "(r3:i[0] + (r2:i[0] + (r1:i[0] + r0:i[0])))");
  }
  // Neighbours first.
  CHECK(order(compiled({"scan_recursive_doubling", {}, 6}), 5, 0) ==
        "(((r5:i[0] + r4:i[0]) + (r3:i[0] + r2:i[0])) + (r1:i[0] + r0:i[0]))");
  CHECK(order(compiled({"exscan_recursive_doubling", {}, 6}), 5, 0) ==
        "((r4:i[0] + (r3:i[0] + r2:i[0])) + (r1:i[0] + r0:i[0]))");
}

TEST_CASE("a root out of range is rejected", "[programs]") {
  for (const char *program : {"allreduce_centralized", "reduce_binomial"}) {
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome =
        compile(bundled(program), requestFor({program, {{"root", "8"}}, 8}), diags);
    CHECK(failed(outcome));
    CHECK(diags.failure() == Failure::Unusable);
    CHECK(StringRef(textOf(diags)).contains("root 8 is out of range: the number of ranks is 8"));
  }
}
