//===- RouteChoiceTest.cpp - Messages that choose between routes ----------===//
//
// Two leaves with two spines: messages between the leaves have two equal routes.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "../../support/Lines.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <random>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr int64_t hop = 100'000; // picoseconds

/// Two leaves with \p hosts endpoints each and as many spines.
Machine leaves(uint32_t hosts, std::vector<std::string> overrides) {
  TemporaryFile file(llvm::formatv(R"({{"name": "leaves", "family": "graph", "shape": "fat_tree",
    "link": {{"bandwidth": 100e9, "propagation": 1e-7}, "queue": {{"slot_size": 65536, "slots": 64},
    "tiers": [{{"down": {0}}, {{"down": 2}]})",
                                   hosts)
                         .str());
  return machine(file.name(), std::move(overrides), 2 * hosts);
}

/// One message of a chunk from every rank to the one that \p to names.
ExecPlan permutation(ArrayRef<uint32_t> to) {
  uint32_t ranks = to.size();
  std::string text = "ccl.version 3\nexec.program @p coll custom ranks " + std::to_string(ranks) +
                     " outofplace slots 64 {\n  input 1\n  output 1\n";
  std::vector<uint32_t> from(ranks);
  for (uint32_t r = 0; r < ranks; ++r)
    from[to[r]] = r;
  for (uint32_t r = 0; r < ranks; ++r)
    text += llvm::formatv("  rank {0} {{\n    tb 0 send r{1} ch 0 {{\n      0: s i[0]\n    }\n"
                          "    tb 1 recv r{2} ch 0 {{\n      0: r -> o[0]\n    }\n  }\n",
                          r, to[r], from[r])
                .str();
  return readGood(text + "}\n");
}

/// Checks that the messages of each connection are received in the order in which they were sent,
/// and counts the links that were used.
class Order final : public SimListener {
public:
  void messageSent(ConnectionId connection, StepId, Bytes, SimTime) override {
    ++sent[connection.index()];
  }
  void messageTaken(ConnectionId connection, StepId, SimTime now) override {
    CHECK(now >= last[connection.index()]);
    last[connection.index()] = now;
    ++taken[connection.index()];
  }
  std::map<uint32_t, uint32_t> sent, taken;
  std::map<uint32_t, SimTime> last;
};
} // namespace

TEST_CASE("spray and adaptive use both spines, ecmp one or two", "[routes]") {
  // r0 and r1 send 64 pieces each to r2 and r3. Each spine link carries half of the pieces, or one
  // of them all.
  ExecPlan plan = permutation({2, 3, 0, 1});
  constexpr uint64_t bytes = 64 * 65536;
  for (const char *network : {"cut-through", "maxmin", "per-flit"}) {
    INFO(network);
    auto timeWith = [&](const char *rule, uint32_t seed) {
      Machine m = leaves(2, {std::string("routing=") + rule, "flit_size=65536",
                             "routing_seed=" + std::to_string(seed)});
      return Simulation(plan, m, bytes).time(network);
    };
    const int64_t alone = bytes * 10 + 4 * hop;
    std::map<int64_t, size_t> ecmp;
    for (uint32_t seed = 0; seed < 20; ++seed) {
      int64_t spray = timeWith("spray", seed), adaptive = timeWith("adaptive", seed);
      // A piece waits for at most one of the other connection.
      CHECK(spray >= alone);
      CHECK(spray <= alone + 6 * 655'360);
      CHECK(adaptive <= alone + 6 * 655'360);
      ++ecmp[(timeWith("ecmp", seed) - 4 * hop + int64_t(bytes) * 5) / (int64_t(bytes) * 10)];
    }
    // Both connections of a leaf take the same spine with a probability of 1/2.
    CHECK(ecmp.size() == 2);
    CHECK(ecmp[1] + ecmp[2] == 20);
  }
}

TEST_CASE("messages on different routes arrive in order", "[routes][rule-45]") {
  // The second spine is much slower, so its messages are overtaken.
  ExecPlan plan = permutation({2, 3, 0, 1});
  for (const char *rule : {"spray", "adaptive"})
    for (const char *network : networks) {
      Machine m = leaves(2, {std::string("routing=") + rule, "flit_size=65536",
                             "links.*<->tier1.1.bandwidth=1e9"});
      Simulation simulation(plan, m, 16 * 65536);
      Order order;
      SimOptions options;
      options.listeners = {&order};
      simulation.run(network, options);
      CHECK(order.sent == order.taken);
      CHECK(order.taken.size() == 4);
    }
}

TEST_CASE("adaptive routing avoids slow spines", "[routes][rule-46]") {
  ExecPlan plan = permutation({2, 3, 0, 1});
  auto timeWith = [&](const char *rule) {
    Machine m = leaves(2, {std::string("routing=") + rule, "links.*<->tier1.1.bandwidth=10e9"});
    return Simulation(plan, m, 64 * 65536).time("cut-through");
  };
  CHECK(timeWith("adaptive") * 3 < timeWith("spray"));
}

TEST_CASE("adaptive is as fast as the median of ecmp on random permutations", "[routes]") {
  std::mt19937 random(1);
  size_t worse = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<uint32_t> to(16);
    for (uint32_t r = 0; r < to.size(); ++r)
      to[r] = r;
    do
      std::shuffle(to.begin(), to.end(), random);
    while (std::any_of(to.begin(), to.end(),
                       [&](uint32_t &t) { return t == uint32_t(&t - to.data()); }));
    ExecPlan plan = permutation(to);
    auto timeWith = [&](const char *rule, uint32_t seed) {
      Machine m =
          leaves(8, {std::string("routing=") + rule, "routing_seed=" + std::to_string(seed)});
      return Simulation(plan, m, 16 * 65536).time("cut-through");
    };
    std::vector<int64_t> ecmp;
    for (uint32_t seed = 0; seed < 5; ++seed)
      ecmp.push_back(timeWith("ecmp", seed));
    std::sort(ecmp.begin(), ecmp.end());
    worse += timeWith("adaptive", 0) * 100 > ecmp[2] * 105;
  }
  CHECK(worse == 0);
}
