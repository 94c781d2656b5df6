//===- MscclangTest.cpp - MSCCLang's example algorithms -------------------===//
//
// Each example is compiled with proof for the parameters at which plans of
// MSCCLang's compiler are available, and for some more; unsupported parameters are
// rejected.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include <set>

using namespace cclc;
using namespace cclc::test;

void registerMscclangExamples(dsl::ProgramRegistry &registry);

namespace {
const dsl::ProgramRegistry &examples() {
  static const dsl::ProgramRegistry registry = [] {
    dsl::ProgramRegistry all;
    registerMscclangExamples(all);
    return all;
  }();
  return registry;
}

/// Compiles and proves under every combination of passes and buffer settings.
void mustBeRight(const Recipe &recipe) {
  std::string text = recipe.program + " x" + std::to_string(recipe.instances);
  for (const auto &[key, value] : recipe.parameters)
    text += " " + key + "=" + value;
  if (recipe.ranks)
    text += " ranks=" + std::to_string(*recipe.ranks);
  const dsl::Declaration *declaration = examples().find(recipe.program);
  if (!declaration)
    FAIL("no example " << recipe.program);
  for (bool fused : {true, false}) {
    INFO(text << (fused ? "" : " unfused"));
    CompileRequest request = requestFor(recipe);
    if (!fused)
      request.fusion = FusionOptions::none();
    DiagnosticEngine diags;
    FailureOr<Compiled> outcome = compile(*declaration, request, diags);
    if (failed(outcome))
      FAIL(textOf(diags));
    CHECK(textOf(diags) == "");
    REQUIRE(outcome->report);
    CHECK(outcome->report->verdict == Verdict::Ok);
    CHECK(outcome->plan.info().collective.hasPostCondition());
  }
}

/// Checks that the only diagnostic is \p text.
void mustRefuse(const Recipe &recipe, const std::string &text) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome =
      compile(*examples().find(recipe.program), requestFor(recipe), diags);
  CHECK(failed(outcome));
  CHECK(diags.failure() == Failure::Unusable);
  const std::string got = textOf(diags);
  CHECK(StringRef(got).split("error: ").second == text + "\n");
}

std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  auto add = [&](const char *program, Recipe recipe) {
    recipe.program = program;
    all.push_back(std::move(recipe));
  };
  auto forRanks = [&](const char *program, std::initializer_list<uint32_t> counts,
                      decltype(Recipe::parameters) parameters = {}) {
    for (uint32_t ranks : counts)
      add(program, {"", parameters, ranks});
  };
  auto forParameters = [&](const char *program,
                           std::initializer_list<decltype(Recipe::parameters)> sets) {
    for (const auto &parameters : sets)
      add(program, {"", parameters});
  };
  forRanks("allgather_a100_pcie", {2, 4, 6, 16});
  forRanks("allgather_allpairs", {1, 2, 5, 8, 16});
  forRanks("allgather_recursive_doubling", {1, 2, 8, 16, 32});
  add("allgather_recursive_doubling", {"", {}, 8, 2});
  for (const char *channels : {"1", "3", "4"})
    forRanks("allgather_ring", {1, 2, 5, 8}, {{"channels", channels}});
  forRanks("allreduce_1step", {1, 2, 5, 8, 12});
  forRanks("allreduce_a100_allpairs", {1, 2, 5, 8, 12});
  add("allreduce_a100_allpairs", {"", {}, 8, 2});
  forRanks("allreduce_a100_allpairs_v2", {1, 2, 3, 6, 7, 8, 16});
  forParameters("allreduce_a100_multinode_allpairs",
                {{{"gpus", "2"}}, {{"gpus", "3"}}, {{"gpus", "4"}}, {{"gpus", "8"}}});
  forRanks("allreduce_a100_ncv4", {4});
  forRanks("allreduce_a100_ncv4_v2", {4});
  add("allreduce_a100_ncv4", {"", {}, 4, 3});
  add("allreduce_a100_ncv4_v2", {"", {}, 4, 3});
  forRanks("allreduce_a100_pcie_hierarchical", {2, 4, 6, 8, 12});
  for (const char *ways : {"1", "2", "3"})
    forRanks("allreduce_a100_recursive_doubling_halving", {8}, {{"ways", ways}});
  for (const char *channels : {"1", "4", "8"})
    forRanks("allreduce_a100_ring", {1, 2, 5, 8}, {{"channels", channels}});
  add("allreduce_a100_ring", {"", {{"channels", "4"}}, 8, 8});
  for (const char *trees : {"1", "2"})
    forRanks("allreduce_binomial_tree", {1, 2, 6, 7, 8, 16}, {{"trees", trees}});
  forRanks("allreduce_dgx1", {16});
  add("allreduce_dgx1", {"", {}, 16, 4});
  forRanks("allreduce_ndv2", {8});
  add("allreduce_ndv2", {"", {}, 8, 2});
  forRanks("allreduce_recursive_doubling_halving", {1, 2, 4, 8, 16, 32});
  forParameters("alltoall_a100_three_step",
                {{{"nodes", "1"}, {"gpus", "3"}},
                 {{"nodes", "3"}, {"gpus", "2"}},
                 {{"nodes", "4"}, {"gpus", "2"}, {"instances", "2"}},
                 {{"nodes", "3"}, {"gpus", "3"}, {"instances", "2"}, {"ib_connections", "1"}},
                 {{"nodes", "9"}, {"gpus", "8"}}});
  forParameters("alltoall_a100_two_step", {{{"nodes", "1"}, {"gpus", "4"}},
                                           {{"nodes", "2"}, {"gpus", "8"}},
                                           {{"nodes", "3"}, {"gpus", "3"}},
                                           {{"nodes", "4"}, {"gpus", "4"}},
                                           {{"nodes", "4"}, {"gpus", "8"}}});
  forRanks("alltoall_allpairs", {1, 2, 5, 8, 16});
  for (const char *program : {"alltonext_backward", "alltonext_forward"})
    forParameters(program, {{{"nodes", "1"}}, {{"nodes", "2"}}, {{"nodes", "3"}}});
  for (const char *schedule : {"auto", "manual"})
    for (const char *nodes : {"1", "2", "3"})
      for (const char *gpus : {"1", "3", "4", "8"})
        add("hierarchical_allreduce",
            {"", {{"nodes", nodes}, {"gpus", gpus}, {"schedule", schedule}}});
  add("hierarchical_allreduce", {"", {{"nodes", "4"}, {"gpus", "8"}}});
  forParameters("pipeline_a100_allpairs", {{{"gpus", "2"}}, {{"gpus", "4"}}, {{"gpus", "5"}}});
  forParameters("pipeline_a100_ring", {{{"gpus", "1"}},
                                       {{"gpus", "3"}, {"channels", "2"}},
                                       {{"gpus", "8"}},
                                       {{"gpus", "8"}, {"channels", "4"}}});
  for (const char *groups : {"1", "2", "3", "6"})
    forRanks("reducegather", {6, 12}, {{"groups", groups}});
  for (const char *buffers : {"in_place", "out_of_place", "both"})
    forRanks("simple_allgather_ring", {1, 2, 4, 7}, {{"buffers", buffers}});
  forRanks("simple_allreduce_ring", {1, 2, 3, 8});
  add("simple_allreduce_ring", {"", {}, 8, 4});
  forParameters("simple_custom_collective", {{{"way", "star"}}, {{"way", "chain"}}});
  return all;
}
} // namespace

TEST_CASE("every example computes its collective", "[mscclang]") {
  std::set<std::string> tried;
  for (const Recipe &recipe : recipes()) {
    tried.insert(recipe.program);
    mustBeRight(recipe);
  }
  CHECK(tried.size() == 29);
  for (const dsl::Declaration &example : examples().all()) {
    INFO(example.name());
    CHECK(tried.count(example.name()) == 1);
  }
}

TEST_CASE("examples reject unsupported parameters", "[mscclang]") {
  mustRefuse({"allgather_a100_pcie", {}, 5}, "the ranks must form pairs: there are 5");
  for (const char *program :
       {"allgather_recursive_doubling", "allreduce_recursive_doubling_halving"})
    mustRefuse({program, {}, 6}, "the number of ranks must be a power of two, not 6");
  for (const char *program : {"allreduce_a100_ncv4", "allreduce_a100_ncv4_v2"})
    mustRefuse({program, {}, 8}, "there must be 4 ranks, not 8");
  mustRefuse({"allreduce_a100_pcie_hierarchical", {}, 7},
             "the ranks must form two columns: there are 7");
  for (const char *program : {"allreduce_a100_recursive_doubling_halving", "allreduce_ndv2"})
    mustRefuse({program, {}, 16}, "there must be 8 ranks, not 16");
  mustRefuse({"allreduce_dgx1", {}, 24}, "there must be two nodes of 8 ranks, not 24 ranks");
  mustRefuse({"alltoall_a100_three_step", {{"instances", "3"}, {"ib_connections", "2"}}},
             "the number of instances must be a multiple of ib_connections");
  mustRefuse({"reducegather", {{"groups", "3"}}, 8}, "8 ranks do not form 3 equal groups");
  mustRefuse({"simple_custom_collective", {}, 4}, "there must be 3 ranks, not 4");
}
