//===- HierarchyTest.cpp - Hierarchical communicators ---------------------===//
//
// The tests of section 12 of the HPX design, with their numbers. The oracle is the
// random interpreter, which ignores generations.
//
//===----------------------------------------------------------------------===//

#include "../../support/Interpreters.h"
#include "../Sim/Simulation.h"

#include "cclc/DSL/DSL.h"
#include "cclc/IR/Connections.h"
#include "cclc/Proof/PlanVerifier.h"

#include <numeric>
#include <source_location>

using namespace cclc;
using namespace cclc::test;
using dsl::SiteRange;

namespace {
std::vector<int> sizesOf(int sites, int arity) {
  std::vector<int> sizes;
  for (SiteRange group : dsl::topLevelGroups({0, sites}, arity))
    sizes.push_back(group.size());
  return sizes;
}

ExecPlan allToAll(uint32_t sites, uint32_t arity, uint32_t fallback, StringRef layout,
                  StringRef buffers = "in_place", uint32_t leaders = 1, bool fused = true) {
  Recipe recipe{"alltoall_hierarchical",
                {{"arity", std::to_string(arity)},
                 {"flat_fallback", std::to_string(fallback)},
                 {"layout", layout.str()},
                 {"leaders", std::to_string(leaders)},
                 {"buffers", buffers.str()}},
                sites};
  CompileRequest request = requestFor(recipe);
  if (!fused)
    request.fusion = FusionOptions::none();
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  if (failed(outcome))
    FAIL(textOf(diags));
  return std::move(outcome->plan);
}

/// Values that are distinct for fewer sites than columns.
uint64_t encode(uint64_t i, uint64_t j) { return i * 1000 + j; }

void checkTransposes(const ExecPlan &plan) {
  for (Placement placement : plan.info().placements.list())
    for (uint64_t seed : {1, 2}) {
      std::optional<Outputs> out = executePlan(plan, placement, Slots(1), seed, encode);
      if (!out)
        out = executePlan(plan, placement, *plan.slots(), seed, encode);
      REQUIRE(out);
      for (uint32_t i = 0; i < plan.ranks(); ++i)
        for (uint32_t j = 0; j < plan.ranks(); ++j)
          REQUIRE(out->at({i, j}) == encode(j, i));
    }
}

uint64_t messagesOf(const ExecPlan &plan) {
  uint64_t messages = 0;
  for (const Step &step : plan.steps())
    messages += traits(step.op).sends;
  return messages;
}

/// A program defined by the test.
FailureOr<Compiled> compileBody(void (*body)(dsl::Program &), uint32_t ranks,
                                DiagnosticEngine &diags, bool verify = true) {
  dsl::Declaration declaration("calls");
  declaration.collective(CollectiveKind::Custom)
      .buffers(dsl::Buffers::OutOfPlace, dsl::Buffers::OutOfPlace)
      .body(body);
  CompileRequest request;
  request.ranks = ranks;
  request.verify = verify;
  return compile(declaration, request, diags);
}

constexpr dsl::HierarchyOptions tree{.arity = 2, .flatFallback = 0};
using dsl::Input, dsl::Output;
} // namespace

TEST_CASE("12.1, 12.2: the all-to-all transposes", "[hierarchy]") {
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> cases = {
      {2, {2, 3, 4, 5, 6, 7, 8, 9, 11, 15}}, {4, {5, 6, 7, 9, 10, 11, 13, 15}}};
  for (const auto &[arity, counts] : cases)
    for (uint32_t sites : counts)
      for (uint32_t fallback : {0u, 1024u})
        for (const char *layout : {"ragged", "padded"}) {
          INFO("arity " << arity << ", " << sites << " sites, fallback " << fallback << ", "
                        << layout);
          checkTransposes(allToAll(sites, arity, fallback, layout, "both"));
          checkTransposes(allToAll(sites, arity, fallback, layout, "out_of_place", 1, false));
        }
}

TEST_CASE("with several leaders it transposes as well", "[hierarchy]") {
  for (uint32_t leaders : {2u, 3u, 7u})
    for (uint32_t sites : {5u, 8u, 11u, 16u})
      for (const char *layout : {"ragged", "padded"})
        for (const char *buffers : {"in_place", "out_of_place"}) {
          INFO(leaders << " leaders, " << sites << " sites, " << layout);
          checkTransposes(allToAll(sites, 4, 0, layout, buffers, leaders));
        }
}

TEST_CASE("applied twice it is the identity", "[hierarchy]") {
  auto body = [](dsl::Program &p) {
    const int N = p.ranks();
    p.custom(N, N);
    for (int r = 0; r < N; ++r)
      for (int c = 0; c < N; ++c)
        p.expect(r, c, {{r, c}});
    dsl::HierarchicalCommunicator world(p, {.arity = 4, .flatFallback = 0});
    dsl::Buffer middle = p.scratch("middle");
    world.allToAll(1, {Input, 0, N}, {middle, 0, N});
    world.allToAll(2, {middle, 0, N}, {Output, 0, N});
  };
  for (uint32_t ranks : {5u, 11u, 16u}) {
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compileBody(body, ranks, diags);
    INFO(textOf(diags));
    REQUIRE(succeeded(outcome));
    std::optional<Outputs> out =
        executePlan(outcome->plan, Placement::OutOfPlace, Slots(8), 3, encode);
    REQUIRE(out);
    for (uint32_t i = 0; i < ranks; ++i)
      for (uint32_t j = 0; j < ranks; ++j)
        CHECK(out->at({i, j}) == encode(i, j));
  }
}

TEST_CASE("12.3: four sites of arity two have two levels", "[hierarchy]") {
  ExecPlan plan = allToAll(4, 2, 0, "ragged");
  REQUIRE(plan.info().communicators.size() == 2);
  CHECK(plan.info().communicators[0].groups ==
        std::vector<std::vector<RankId>>{{RankId(0), RankId(2)}});
  CHECK(plan.info().communicators[1].groups ==
        std::vector<std::vector<RankId>>{{RankId(0), RankId(1)}, {RankId(2), RankId(3)}});
}

TEST_CASE("12.4: invalid input", "[hierarchy]") {
  auto failsWith = [](void (*body)(dsl::Program &), const std::string &text) {
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compileBody(body, 11, diags);
    CHECK(failed(outcome));
    CHECK(diags.failure() == Failure::Wrong);
    CHECK(StringRef(textOf(diags)).contains("error: " + text + "\n"));
  };
  failsWith(
      [](dsl::Program &p) {
        p.custom(10, 10);
        dsl::HierarchicalCommunicator(p, tree).allToAll(1, {Input, 0, 10}, {Output, 0, 10});
      },
      "all_to_all over 11 sites needs contributions of 11 equal parts, not 10 chunks");
  failsWith(
      [](dsl::Program &p) {
        p.custom(11, 22);
        dsl::HierarchicalCommunicator(p, tree).allToAll(1, {Input, 0, 11}, {Output, 0, 22});
      },
      "all_to_all of 11 chunks has a result of the same size, not 22 chunks");
  failsWith(
      [](dsl::Program &p) {
        p.custom(1, 10);
        dsl::HierarchicalCommunicator(p, tree).allGather(1, {Input, 0, 1}, {Output, 0, 10});
      },
      "all_gather of 1 chunk over 11 sites has a result of 11 chunks, not 10 chunks");
  failsWith(
      [](dsl::Program &p) {
        p.custom(1, 2);
        dsl::HierarchicalCommunicator(p, tree).allReduce(1, {Input, 0, 1}, {Output, 0, 2});
      },
      "all_reduce of 1 chunk has a result of the same size, not 2 chunks");
  failsWith(
      [](dsl::Program &p) {
        p.custom(1, 1);
        dsl::HierarchicalCommunicator(p, tree).allReduce(0, {Input, 0, 1}, {Output, 0, 1});
      },
      "all_reduce with generation 0: generations count from 1");
  failsWith(
      [](dsl::Program &p) {
        p.custom(1, 1);
        dsl::HierarchicalCommunicator(p, {.arity = 1});
      },
      "a hierarchy needs an arity of at least 2, not 1");
}

TEST_CASE("the same user generation twice is an error", "[hierarchy]") {
  static int first, second;
  auto body = [](dsl::Program &p) {
    p.custom(2, 2);
    dsl::HierarchicalCommunicator world(p, tree);
    first = std::source_location::current().line() + 1;
    world.allReduce(3, {Input, 0, 1}, {Output, 0, 1});
    second = std::source_location::current().line() + 1;
    world.allReduce(3, {Input, 1, 1}, {Output, 1, 1});
  };
  DiagnosticEngine diags;
  CHECK(failed(compileBody(body, 4, diags)));
  CHECK(diags.failure() == Failure::Wrong);
  std::string file = std::source_location::current().file_name();
  CHECK(textOf(diags) == file + ":" + std::to_string(second) +
                             ": error: all_reduce with generation 3, which all_reduce already has: "
                             "generations of a communicator must be distinct\n" +
                             file + ":" + std::to_string(first) + ": note: it was called here\n");
}

TEST_CASE("two hierarchical communicators have separate generations", "[hierarchy]") {
  auto body = [](dsl::Program &p) {
    p.custom(2, 2);
    dsl::HierarchicalCommunicator one(p, tree), other(p, {.arity = 3, .flatFallback = 0});
    one.allReduce(3, {Input, 0, 1}, {Output, 0, 1});
    other.allReduce(1, {Input, 1, 1}, {Output, 1, 1});
  };
  DiagnosticEngine diags;
  CHECK(succeeded(compileBody(body, 8, diags)));
  CHECK(textOf(diags) == "");
}

TEST_CASE("leaders and members of a hierarchical communicator share its generations",
          "[hierarchy]") {
  // Its all-to-all has separate communicators.
  auto body = [](dsl::Program &p) {
    p.custom(p.ranks() + 1, p.ranks() + 1);
    dsl::HierarchicalCommunicator world(p, {.arity = 2, .flatFallback = 0, .leaders = 2});
    world.allToAll(1, {Input, 0, p.ranks()}, {Output, 0, p.ranks()});
    world.allReduce(1, {Input, p.ranks(), 1}, {Output, p.ranks(), 1});
  };
  DiagnosticEngine diags;
  CHECK(failed(compileBody(body, 8, diags)));
  CHECK(diags.failure() == Failure::Wrong);
  CHECK(StringRef(textOf(diags))
            .contains("error: all_reduce with generation 1, which all_to_all already has: "
                      "generations of a communicator must be distinct\n"));
}

TEST_CASE("a user generation below the previous one is an error", "[hierarchy]") {
  static int second;
  auto body = [](dsl::Program &p) {
    p.custom(2, 2);
    dsl::HierarchicalCommunicator world(p, tree);
    world.allReduce(3, {Input, 0, 1}, {Output, 0, 1});
    second = std::source_location::current().line() + 1;
    world.allReduce(2, {Input, 1, 1}, {Output, 1, 1});
  };
  DiagnosticEngine diags;
  CHECK(failed(compileBody(body, 4, diags)));
  CHECK(diags.failure() == Failure::Wrong);
  std::string file = std::source_location::current().file_name();
  CHECK(StringRef(textOf(diags))
            .starts_with(file + ":" + std::to_string(second) +
                         ": error: the gate of communicator 'groups', group 0 (r0 r1) expects "
                         "generation 10 or later, got 4: all_reduce with user generation 2 "
                         "enters it in phase 'reduce'\n"));
}

TEST_CASE("12.5: calls of two and of three phases in sequence", "[hierarchy]") {
  for (uint32_t sites : {5u, 8u, 11u, 17u}) {
    ExecPlan plan = compiled({"hierarchical_sequence", {}, sites});
    // By call: the internal generations of its phases, in the order of entry.
    std::vector<std::vector<uint32_t>> slots(4);
    for (const Phase &phase : plan.info().phases)
      if (phase.gate && (slots[phase.gate->call].empty() ||
                         slots[phase.gate->call].back() != *phase.gate->generation))
        slots[phase.gate->call].push_back(*phase.gate->generation);
    CHECK(slots == std::vector<std::vector<uint32_t>>{{1, 3}, {4, 5, 6}, {7, 9}, {10, 11, 12}});
    for (uint64_t seed = 0; seed < 20; ++seed) {
      std::optional<Outputs> out =
          executePlan(plan, Placement::OutOfPlace, *plan.slots(), seed, encode);
      REQUIRE(out);
      uint64_t sum = 0;
      for (uint32_t q = 0; q < sites; ++q)
        sum += encode(q, sites + 1);
      for (uint32_t r = 0; r < sites; ++r) {
        CHECK(out->at({r, 2 * sites}) == sum);
        for (uint32_t q = 0; q < sites; ++q) {
          CHECK(out->at({r, q}) == encode(q, 0));
          CHECK(out->at({r, sites + q}) == encode(q, 1 + r));
          CHECK(out->at({r, 2 * sites + 1 + q}) == encode(q, sites + 2 + r));
        }
      }
    }
  }
}

TEST_CASE("12.5: a mapping with two slots fails at the third call", "[hierarchy]") {
  DiagnosticEngine diags;
  Recipe recipe{"hierarchical_sequence", {{"stride", "2"}}, 11};
  CHECK(failed(compile(bundled(recipe.program), requestFor(recipe), diags)));
  CHECK(diags.failure() == Failure::Wrong);
  std::string text = textOf(diags);
  CHECK(StringRef(text).contains(
      ": error: the gate of communicator 'groups', group 0 (r0 r1 r2) expects generation 7 or "
      "later, got 5: all_reduce with user generation 3 enters it in phase 'reduce'\n"));
  CHECK(StringRef(text).contains(": note: all_to_all with user generation 2 has set it to 7 in "
                                 "phase 'scatter' of generation 6\n"));

  // A sequence of calls of two phases only is correct with it.
  auto body = [](dsl::Program &p) {
    p.custom(2, 2);
    std::vector<std::pair<int, int>> all[2];
    for (int c = 0; c < 2; ++c)
      for (int r = 0; r < p.ranks(); ++r)
        all[c].emplace_back(r, c);
    for (int r = 0; r < p.ranks(); ++r)
      for (int c = 0; c < 2; ++c)
        p.expect(r, c, all[c]);
    p.generationStride(2);
    dsl::HierarchicalCommunicator world(p, tree);
    world.allReduce(1, {Input, 0, 1}, {Output, 0, 1});
    world.allReduce(2, {Input, 1, 1}, {Output, 1, 1});
  };
  DiagnosticEngine none;
  FailureOr<Compiled> outcome = compileBody(body, 6, none);
  INFO(textOf(none));
  REQUIRE(succeeded(outcome));
  CHECK(*outcome->plan.info().phases.back().gate->generation == 4);
}

TEST_CASE("the simulator detects a closed gate in a plan that was not verified", "[hierarchy]") {
  Recipe recipe{"hierarchical_sequence", {{"stride", "2"}}, 11};
  CompileRequest request = requestFor(recipe);
  request.verify = false;
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(recipe.program), request, diags);
  REQUIRE(succeeded(outcome));
  const ExecPlan &plan = outcome->plan;
  Machine m = machine("ring", {}, 11);
  Simulation simulation(plan, m, 1 << 16);
  SimResult result = simulate(simulation.placed, simulation.sizing,
                              *createNetwork("ideal", simulation.placed.routes));
  CHECK_FALSE(result.completed);
  REQUIRE(result.closedGate);
  CHECK(result.closedGate->expected == 7);
  CHECK(*plan.info().phases[result.closedGate->phase].gate->generation == 5);
  CHECK(verifyPlan(plan, Slots(8), diags).verdict == Verdict::Deadlock);
}

TEST_CASE("calls overlap", "[hierarchy]") {
  // The whole sequence takes less time than with a barrier after each call.
  Machine m = machine("ideal", {}, 16);
  ExecPlan plan = compiled({"hierarchical_sequence", {}, 16});
  std::vector<SimTime> begins(4, SimTime::max()), ends(4);
  struct Listener : SimListener {
    Listener(const ExecPlan &plan, std::vector<SimTime> &begins, std::vector<SimTime> &ends)
        : plan(plan), begins(begins), ends(ends) {}
    std::optional<uint32_t> callOf(uint32_t step) const {
      const auto &gate = plan.info().phases[plan.steps()[step].phase].gate;
      return gate ? std::optional(gate->call) : std::nullopt;
    }
    void stepBegins(const StepRun &step, SimTime now) override {
      if (auto call = callOf(step.step.index()))
        begins[*call] = std::min(begins[*call], now);
    }
    void stepEnds(const StepRun &step, SimTime now) override {
      if (auto call = callOf(step.step.index()))
        ends[*call] = std::max(ends[*call], now);
    }
    const ExecPlan &plan;
    std::vector<SimTime> &begins, &ends;
  } listener(plan, begins, ends);
  Simulation(plan, m, 1 << 16).run(listener);
  for (int call = 0; call + 1 < 4; ++call) {
    INFO("call " << call);
    CHECK(begins[call + 1] < ends[call]);
  }
}

TEST_CASE("12.6: the partition", "[hierarchy]") {
  CHECK(sizesOf(8, 2) == std::vector<int>{4, 4});
  CHECK(sizesOf(16, 4) == std::vector<int>{4, 4, 4, 4});
  CHECK(sizesOf(11, 4) == std::vector<int>{3, 3, 3, 2});
  CHECK(sizesOf(5, 4) == std::vector<int>{2, 1, 1, 1});
  std::vector<SiteRange> groups = dsl::topLevelGroups({0, 11}, 4);
  CHECK(groups == std::vector<SiteRange>{{0, 3}, {3, 6}, {6, 9}, {9, 11}});
  CHECK(dsl::classifySite(groups, 0) == dsl::SiteClass{0, true});
  CHECK(dsl::classifySite(groups, 5) == dsl::SiteClass{1, false});
  CHECK(dsl::classifySite(groups, 9) == dsl::SiteClass{3, true});
  CHECK(dsl::classifySite(groups, 10) == dsl::SiteClass{3, false});
  for (int sites = 1; sites < 70; ++sites)
    for (int arity = 2; arity < 10; ++arity) {
      std::vector<SiteRange> all = dsl::topLevelGroups({5, 5 + sites}, arity);
      CHECK(int(all.size()) == std::min(arity, sites));
      int at = 5, smallest = sites, largest = 0;
      for (SiteRange group : all) {
        CHECK(group.begin == at);
        at = group.end;
        smallest = std::min(smallest, group.size());
        largest = std::max(largest, group.size());
      }
      CHECK(at == 5 + sites);
      CHECK(largest - smallest <= 1);
    }
}

TEST_CASE("the worked example: the messages that representative 0 of 11 sites receives",
          "[hierarchy]") {
  // Blocks of 3x3, 3x3, 3x3 and 2x3 chunks, in that order of source groups.
  ExecPlan plan = allToAll(11, 4, 0, "ragged");
  std::map<uint32_t, std::vector<uint32_t>> counts; // by peer
  for (const Threadblock &tb : plan.threadblocks(RankId(0)))
    for (const Step &step : plan.steps(tb))
      if (traits(step.op).receives && plan.info().phases[step.phase].name == "exchange")
        counts[(*tb.recvPeer).index()].push_back(step.count);
  CHECK(counts == std::map<uint32_t, std::vector<uint32_t>>{{3, {9}}, {6, {9}}, {9, {6}}});
  ExecPlan padded = allToAll(11, 4, 0, "padded");
  for (const Threadblock &tb : padded.threadblocks(RankId(0)))
    for (const Step &step : padded.steps(tb))
      if (traits(step.op).receives && padded.info().phases[step.phase].name == "exchange")
        CHECK(step.count == 9);
}

TEST_CASE("messages of the hierarchical all-to-all", "[hierarchy]") {
  for (uint32_t arity : {2u, 4u, 8u})
    for (uint32_t sites : {9u, 11u, 16u, 33u, 64u}) {
      uint64_t G = std::min(arity, sites);
      CHECK(messagesOf(allToAll(sites, arity, 0, "ragged")) == 2 * (sites - G) + G * (G - 1));
      CHECK(messagesOf(allToAll(sites, arity, 1024, "ragged")) == sites * (sites - 1));
    }
}

TEST_CASE("memory of a representative, padded and balanced", "[hierarchy]") {
  // 2 g N + g^2 chunks of scratch for groups of g: (2/a + 1/a^2) N^2.
  for (uint32_t arity : {2u, 4u})
    for (uint32_t sites : {16u, 64u}) {
      uint32_t g = sites / arity;
      ExecPlan plan = allToAll(sites, arity, 0, "padded");
      CHECK(*std::max_element(plan.scratchChunks().begin(), plan.scratchChunks().end()) ==
            2 * g * sites + g * g);
    }
}

TEST_CASE("trees of two phases gather and reduce", "[hierarchy]") {
  for (const char *program : {"allgather_hierarchical", "allreduce_representatives"})
    for (uint32_t ranks : {1u, 2u, 3u, 7u, 13u, 20u})
      for (const char *fallback : {"0", "16"}) {
        INFO(program << " over " << ranks);
        ExecPlan plan = compiled(
            {program, {{"flat_fallback", fallback}, {"arity", "3"}, {"buffers", "both"}}, ranks});
        if (StringRef(fallback) == "0" && ranks > 3)
          CHECK(messagesOf(plan) == 2 * (ranks - 1));
      }
}
