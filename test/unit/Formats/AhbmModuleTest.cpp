//===- AhbmModuleTest.cpp - Plans as the kernels of modules perform them --===//

#include "Plans.h"

#include "cclc/Formats/AhbmModule.h"
#include "cclc/Proof/PlanVerifier.h"

#include <map>

using namespace cclc;
using namespace cclc::test;

namespace {
ExecPlan performed(const ExecPlan &plan) {
  DiagnosticEngine diags;
  FailureOr<ExecPlan> result = kernbench::performedPlan(plan, diags);
  if (failed(result))
    FAIL(textOf(diags));
  return std::move(*result);
}

std::string moduleOf(const ExecPlan &plan, const Machine &machine) {
  DiagnosticEngine diags;
  FailureOr<kernbench::AlgorithmModule> module =
      kernbench::lowerToModule(plan, &machine, std::nullopt, diags);
  if (failed(module))
    FAIL(textOf(diags));
  std::string text;
  llvm::raw_string_ostream os(text);
  writeModule(*module, os);
  return text;
}

std::optional<uint64_t> reductionHash(const ExecPlan &plan) {
  DiagnosticEngine diags;
  PlanProof proof = verifyPlan(plan, plan.slots().value_or(defaultSlots), diags);
  INFO(textOf(diags));
  CHECK(proof.verdict == Verdict::Ok);
  return proof.reductionHash;
}

/// The steps of \p rank in the order in which each one names the one before it: that of its wait,
/// otherwise that before it in its threadblock. Shorter than the steps if there is no such order.
std::vector<uint32_t> sequence(const ExecPlan &plan, RankId rank) {
  std::vector<uint32_t> order;
  std::map<uint32_t, std::vector<uint32_t>> after;
  for (uint32_t t = 0; t < plan.numThreadblocks(rank); ++t) {
    const Threadblock &tb = plan.threadblocks(rank)[t];
    for (uint32_t s = tb.firstStep; s < tb.firstStep + tb.numSteps; ++s) {
      const Step &step = plan.steps()[s];
      if (step.waits()) {
        const Threadblock &other = plan.threadblocks(rank)[step.wait()->tb.index()];
        CHECK(&other != &tb);
        after[other.firstStep + step.wait()->step.index()].push_back(s);
      } else if (s > tb.firstStep) {
        after[s - 1].push_back(s);
      } else {
        order.push_back(s);
      }
    }
  }
  CHECK(order.size() <= 1);
  while (!order.empty() && after[order.back()].size() == 1)
    order.push_back(after[order.back()].front());
  return order;
}

void checkPerformed(const ExecPlan &plan) {
  const ExecPlan once = performed(plan);
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    CHECK(sequence(once, RankId(r)).size() == plan.steps(RankId(r)).size());
  CHECK(jsonOf(performed(once)) == jsonOf(once));
}
} // namespace

TEST_CASE("kernels perform a plan as one sequence of steps on each rank", "[formats]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(recipe.program);
    ExecPlan plan = compiled(recipe);
    checkPerformed(plan);
    CHECK(reductionHash(performed(plan)) == reductionHash(plan));
  }
}

TEST_CASE("kernels perform random plans", "[formats]") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    checkPerformed(randomPlan(seed));
  }
}

TEST_CASE("a plan and that which its kernels perform have the same module", "[formats]") {
  const Machine ahbm = machine("ahbm");
  for (const Recipe &recipe :
       {Recipe{"allreduce_lrab", {}, {}, 1, {}, "ahbm"},
        Recipe{"allreduce_ring", {{"channels", "2"}}, 8, 1, {}, "ahbm"},
        Recipe{"allreduce_recursive_doubling", {}, 8, 1, {}, "ahbm"},
        Recipe{"allreduce_double_binary_tree", {}, 8, 1, Slots(1), "ahbm"},
        Recipe{"broadcast_binomial", {{"mapper", "cube_leaders"}}, {}, 1, {}, "ahbm"}}) {
    INFO(recipe.program);
    ExecPlan plan = compiled(recipe);
    CHECK(moduleOf(performed(plan), ahbm) == moduleOf(plan, ahbm));
  }
}
