//===- AlphaBetaTest.cpp - Closed forms of the alpha-beta model -----------===//
//
// On the target alpha-beta, a message occupies the ports of its ranks for a + b bytes, and a
// reduction takes c bytes. Times of algorithms without waits at ports are their closed forms, to
// the picosecond; with two of the three values 0, they are numbers of rounds, of bytes through a
// port, and of reduced bytes.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include <bit>

using namespace cclc;
using namespace cclc::test;

namespace {
/// The three values, in picoseconds.
struct Values {
  int64_t a, b, c;

  std::vector<std::string> settings() const {
    return {"switch_overhead=" + std::to_string(a) + "e-12",
            "link.bandwidth=" + (b ? std::to_string(1'000'000'000'000 / b) : "0"),
            "pe.math.cycle=" + std::to_string(c) + "e-12"};
  }
};
constexpr Values usual = {1 * us, 10, 2};

/// The numbers of an algorithm on p ranks and S bytes: n messages, m bytes and k reduced bytes.
struct Form {
  const char *program;
  int64_t n, m, k;
  int64_t time(Values v) const { return n * v.a + m * v.b + k * v.c; }
};

int64_t timeOf(const char *program, uint32_t ranks, uint64_t bytes, Values values) {
  Machine m = machine("alpha-beta", values.settings(), ranks);
  ExecPlan plan = compiled({program, {}, ranks, 1, {}, "alpha-beta"});
  return Simulation(plan, m, bytes).time();
}

std::vector<Form> formsOf(int64_t p, int64_t size) {
  int64_t block = size / p, steps = p - 1, levels = std::bit_width(uint64_t(p - 1));
  std::vector<Form> forms = {
      {"allgather_ring", steps, steps * block, 0},
      {"reducescatter_ring", steps, steps * block, steps * block},
      {"allreduce_ring", 2 * steps, 2 * steps * block, steps * block},
      // Of equal depth, but the root has one port.
      {"broadcast_direct", steps, steps * size, 0},
  };
  // Two of three ranks begin with the third one, whose port takes them in turn.
  if (p != 3)
    forms.push_back({"alltoall_direct", steps, steps * block, 0});
  if (std::has_single_bit(uint64_t(p))) {
    forms.push_back({"broadcast_binomial", levels, levels * size, 0});
    forms.push_back({"reduce_binomial", levels, levels * size, levels * size});
    forms.push_back({"allgather_recursive_doubling", levels, steps * block, 0});
    forms.push_back({"reducescatter_halving", levels, steps * block, steps * block});
    forms.push_back({"allreduce_recursive_doubling", levels, levels * size, levels * size});
    forms.push_back({"allreduce_halving_doubling", 2 * levels, 2 * steps * block, steps * block});
  }
  return forms;
}
} // namespace

TEST_CASE("algorithms take their closed forms in the alpha-beta model", "[rule-64]") {
  for (int64_t p : {2, 3, 4, 5, 8, 16})
    for (int64_t size : {p * 64, p * 65536})
      for (const Form &form : formsOf(p, size)) {
        INFO(form.program << " on " << p << " ranks, " << size << " bytes");
        CHECK(timeOf(form.program, p, size, usual) == form.time(usual));
        // The corners: rounds, bytes through a port, reduced bytes.
        CHECK(timeOf(form.program, p, size, {1 * us, 0, 0}) == form.n * us);
        CHECK(timeOf(form.program, p, size, {0, 10, 0}) == form.m * 10);
        CHECK(timeOf(form.program, p, size, {0, 0, 2}) == form.k * 2);
      }
}

TEST_CASE("other algorithms are between the corners and their sum", "[rule-64]") {
  for (const char *program : {"allreduce_allpairs", "allreduce_tree", "allgather_bruck",
                              "alltoall_bruck", "allreduce_double_binary_tree"}) {
    INFO(program);
    int64_t size = 8 * 4096, time = timeOf(program, 8, size, usual);
    int64_t n = timeOf(program, 8, size, {usual.a, 0, 0});
    int64_t m = timeOf(program, 8, size, {0, usual.b, 0});
    int64_t k = timeOf(program, 8, size, {0, 0, usual.c});
    CHECK(time >= std::max({n, m, k}));
    CHECK(time <= n + m + k);
  }
}

TEST_CASE("messages of a port follow each other", "[rule-64]") {
  // Every rank sends to three others: one message after the other; without contention, and with
  // that of bytes only, the last one arrives earlier.
  Machine m = machine("alpha-beta", {}, 4);
  ExecPlan plan = compiled({"alltoall_direct", {}, 4, 1, {}, "alpha-beta"});
  constexpr int64_t block = 1000, message = usual.a + block * usual.b;
  Simulation sim(plan, m, 4 * block, DataType::U8);
  CHECK(sim.time("alpha-beta") == 3 * message);
  CHECK(sim.time("cut-through") == message + 2 * block * usual.b);
  CHECK(sim.time("ideal") == message);
  // No link is used for more than the time.
  SimResult result = sim.run("alpha-beta");
  for (const LinkUse &use : result.links)
    CHECK(use.busy <= result.time);
}
