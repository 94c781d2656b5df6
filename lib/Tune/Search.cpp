//===- Search.cpp - The search of the tuner for one program ---------------===//
//
// The tuner searches one plan for all sizes among the variants of the program, which the pipeline
// compiles from the traced program. Candidates that cannot become the best are not simulated with
// every size.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tune/Search.h"

#include "Pool.h"
#include "cclc/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>
#include <utility>

using namespace cclc;
using llvm::formatv;

namespace {
/// The number of executions of steps above which a size is too expensive to simulate.
constexpr uint64_t maxExecutions = 4'000'000;
/// Plans with fewer threadblocks are preferred up to this part of the least mean, in thousandths.
constexpr int64_t tiePermille = 1002;

std::string describe(const Variant &variant, const Machine &machine) {
  std::string text;
  if (machine.hasProtocols())
    text = protocolName(variant.protocol).str() + ", ";
  if (variant.placement != RankPlacement::Linear)
    text += "placed " + rankPlacementName(variant.placement).str() + ", ";
  text += formatv("{0} instance{1}, ", variant.instances, variant.instances == 1 ? "" : "s");
  text += variant.goal ? "goal " + goalName(*variant.goal).str() : "no alternatives";
  if (variant.maxChannels)
    text += formatv(", at most {0} channel{1}", *variant.maxChannels,
                    *variant.maxChannels == 1 ? "" : "s");
  if (variant.aggregate)
    text += ", aggregated";
  if (variant.fusion == FusionOptions::none())
    text += ", not fused";
  return text;
}

/// The sizes that \p plan runs with, except those that are too expensive to simulate.
std::vector<uint64_t> sizesOf(const ExecPlan &plan, const TuneProblem &problem,
                              const SearchSpace &space) {
  std::vector<uint64_t> sizes;
  DiagnosticEngine diags;
  FailureOr<BoundPlan> bound =
      BoundPlan::create(plan, problem.machine, problem.slotsOf(plan), diags);
  if (failed(bound))
    return sizes;
  for (uint64_t size : representativeSizes(space.minBytes, space.maxBytes)) {
    FailureOr<Sizing> sizing = Sizing::create(*bound, Bytes(size), problem.type, diags);
    if (succeeded(sizing) && sizing->executions(*bound) <= maxExecutions)
      sizes.push_back(size);
  }
  return sizes;
}

/// The candidate with the fewest threadblocks among those near the least mean time that are not
/// slower than the first one.
const Tried *choose(const TuneResult &result, const TuneProblem &problem) {
  std::optional<SimTime> least;
  for (const Tried &tried : result.tried)
    if (std::optional<SimTime> mean = Pool::meanTime(tried.measure, problem.sizes))
      least = std::min(least.value_or(*mean), *mean);
  std::optional<SimTime> first = Pool::meanTime(result.tried.front().measure, problem.sizes);
  const Tried *best = nullptr;
  auto keyOf = [&](const Tried &tried) {
    return std::tuple(tried.measure.threadblocks,
                      Pool::meanTime(tried.measure, problem.sizes)->picoseconds(),
                      tried.measure.steps);
  };
  for (const Tried &tried : result.tried) {
    std::optional<SimTime> mean = Pool::meanTime(tried.measure, problem.sizes);
    if (mean && (!first || *mean <= *first) &&
        Wide(mean->picoseconds()) * 1000 <= Wide(least->picoseconds()) * tiePermille &&
        (!best || keyOf(tried) < keyOf(*best)))
      best = &tried;
  }
  return best;
}

void explain(const TuneResult &result, const Tried &best, const TuneProblem &problem,
             Remarks &remarks) {
  Remarks::Decision decision{"variants (ns by size)", {}};
  for (const Tried &tried : result.tried) {
    Remarks::Choice choice{describe(tried.candidate.variant, problem.machine), {}, &tried == &best};
    for (uint64_t size : problem.sizes) {
      std::optional<SimTime> time = tried.measure.time(size);
      choice.figures.emplace_back(std::to_string(size),
                                  time ? std::to_string(time->picoseconds() / 1000) : "-");
    }
    decision.choices.push_back(std::move(choice));
  }
  remarks.decide(std::move(decision));
}
} // namespace

std::vector<uint64_t> cclc::representativeSizes(uint64_t smallest,
                                                std::optional<uint64_t> largest) {
  if (!largest) {
    std::vector<uint64_t> sizes;
    for (uint64_t size : {uint64_t(4) << 10, uint64_t(256) << 10, uint64_t(16) << 20})
      if (size >= smallest)
        sizes.push_back(size);
    return sizes.empty() ? std::vector<uint64_t>{smallest} : sizes;
  }
  // Both ends, and approximately every power of eight in between.
  std::vector<uint64_t> sizes;
  uint64_t size = std::max<uint64_t>(smallest, 1024);
  for (; size < *largest && sizes.size() < 6; size *= 8)
    sizes.push_back(size);
  sizes.push_back(*largest);
  return sizes;
}

Variant cclc::findFastest(const Variant &start, const SearchSpace &space, const Machine &machine,
                          const std::function<FailureOr<ExecPlan>(const Variant &)> &build,
                          Remarks *remarks) {
  FailureOr<ExecPlan> plan = build(start);
  if (failed(plan))
    return start;
  std::optional<ExecPlan> first = std::move(*plan);
  TuneProblem problem{.collective = space.program->collective(),
                      .target = {},
                      .group = {},
                      .mapper = space.program->mapper(),
                      .network = machine.network,
                      .type = DataType::F32,
                      .sizes = {},
                      .dialect = nullptr,
                      .mscclpp = false,
                      .ownMachine = nullptr,
                      .machine = machine,
                      .resolvedTarget = {},
                      .endpoints = {},
                      .bound = {},
                      .slots = space.slots};
  problem.sizes = sizesOf(*first, problem, space);
  if (problem.sizes.empty())
    return start;
  problem.build = [&](const Candidate &candidate, DiagnosticEngine &) -> FailureOr<ExecPlan> {
    if (first && candidate.variant == start)
      return *std::exchange(first, std::nullopt);
    return build(candidate.variant);
  };
  DiagnosticEngine diags;
  TuneOptions options;
  options.jobs = space.jobs;
  options.onePlan = true;
  CandidateSpace variants =
      CandidateSpace::ofProgram(problem, Candidate{space.program, {}, {}, start}, space);
  FailureOr<TuneResult> result = tune(variants, MeasureStore(), options, diags);
  // Nothing is read or written, so that the search does not fail.
  const Tried *best = succeeded(result) ? choose(*result, problem) : nullptr;
  if (!best)
    return start;
  if (remarks)
    explain(*result, *best, problem, *remarks);
  return best->candidate.variant;
}
