//===- Search.cpp - The search of the tuner for one program ---------------===//
//
// The tuner searches one plan for all sizes among the variants of the program, which the pipeline
// compiles from the traced program. Candidates that cannot become the best are not simulated with
// every size. The tuner improves a variant that runs with all sizes; if the first one does not,
// those that differ in protocol, placement, and use of one channel are tried, and sizes that none
// of them fits are dropped.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Search.h"

#include "EmittedPlan.h"
#include "Pool.h"
#include "cclc/Search/Tune/Tuner.h"
#include "cclc/Sim/SizeMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
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
  if (variant.sharing != 1)
    text += formatv("groups of {0} threadblocks, ", variant.sharing);
  text += variant.goal ? "goal " + goalName(*variant.goal).str() : "no alternatives";
  return text + slotsTitle(variant) + scheduleTitle(variant);
}

/// A variant with its plan.
struct Start {
  Variant variant;
  std::optional<ExecPlan> plan;
  std::vector<uint64_t> sizes; ///< that it fits and that are not too expensive to simulate
  bool fitsAll = false;        ///< whether only expensive sizes are missing
};

using Build = std::function<FailureOr<ExecPlan>(const Variant &)>;

/// The variants of one program, of which the first one is compiled.
struct VariantProblem final : SearchProblem {
  VariantProblem(const Machine &machine, const SearchSpace &space, const Build &build)
      : SearchProblem(machine), build(build) {
    network = machine.network;
    onlyMscclpp = space.mscclpp;
    slots = space.slots;
  }
  CompiledPlans compile(const Candidate &candidate, bool, DiagnosticEngine &) const override {
    if (begin->plan && candidate.variant == begin->variant)
      return {*std::exchange(begin->plan, std::nullopt)};
    FailureOr<ExecPlan> plan = build(candidate.variant);
    return succeeded(plan) ? CompiledPlans{std::move(*plan)} : CompiledPlans();
  }

  const Build &build;
  Start *begin = nullptr;
};

/// Sets the sizes of \p start.
void findSizes(Start &start, const SearchProblem &problem, const SearchSpace &space) {
  DiagnosticEngine diags;
  if (EmittedPlan::isTimed(problem)) {
    FailureOr<EmittedPlan> emitted =
        EmittedPlan::create(*start.plan, start.variant, {}, problem, diags);
    if (failed(emitted))
      return;
    std::vector<uint64_t> sizes = representativeSizes(space.minBytes, space.maxBytes);
    for (uint64_t &size : sizes)
      if (uint64_t down = size - size % emitted->multiple(); down > 0)
        size = down;
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    llvm::copy_if(sizes, std::back_inserter(start.sizes), [&](uint64_t size) {
      return succeeded(emitted->checkSize(size, problem.type, diags));
    });
    start.fitsAll = start.sizes.size() == sizes.size();
    return;
  }
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(*start.plan, problem.machine, problem.slotsOf(*start.plan), diags);
  if (failed(placed))
    return;
  start.fitsAll = true;
  for (uint64_t size : representativeSizes(space.minBytes, space.maxBytes)) {
    FailureOr<Sizing> sizing = Sizing::create(*placed, Bytes(size), problem.type, diags);
    bool fits = succeeded(sizing) && succeeded(checkMemory(*placed, *sizing, diags));
    start.fitsAll &= fits;
    if (fits && sizing->executions(*placed) <= maxExecutions)
      start.sizes.push_back(size);
  }
}

/// The first variant that fits the most sizes: \p first, or one with another protocol or placement,
/// or with one channel.
Start findStart(const Variant &first, const SearchSpace &space, const VariantProblem &problem) {
  std::vector<Variant> variants = {first};
  auto add = [&](auto Variant::*property, const auto &values) {
    for (size_t i = 0, end = variants.size(); i < end; ++i)
      for (auto value : values)
        if (variants.push_back(variants[i]); variants.back().*property == value)
          variants.pop_back();
        else
          variants.back().*property = value;
  };
  add(&Variant::protocol, space.protocols);
  if (space.placement)
    add(&Variant::placement, std::array{RankPlacement::Snake, RankPlacement::Auto});
  add(&Variant::maxChannels, std::array{std::optional<uint32_t>(1)});
  Start best{first, std::nullopt, {}, false};
  for (const Variant &variant : variants) {
    FailureOr<ExecPlan> plan = problem.build(variant);
    if (failed(plan))
      continue;
    Start next{variant, std::move(*plan), {}, false};
    findSizes(next, problem, space);
    if (!best.plan || next.sizes.size() > best.sizes.size())
      best = std::move(next);
    if (best.fitsAll)
      break;
  }
  return best;
}

/// The candidate with the fewest threadblocks among those near the least mean time that are not
/// slower than the first one.
const Tried *choose(const TuneResult &result, const SearchProblem &problem) {
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

void explain(const TuneResult &result, const Tried &best, const SearchProblem &problem,
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
  VariantProblem problem(machine, space, build);
  Start begin = findStart(start, space, problem);
  if (begin.sizes.empty())
    return start;
  problem.sizes = begin.sizes;
  problem.begin = &begin;
  DiagnosticEngine diags;
  TuneOptions options;
  options.jobs = space.jobs;
  options.onePlan = true;
  options.onStage = space.onStage;
  CandidateSpace variants =
      CandidateSpace::ofProgram(problem, Candidate{space.program, {}, {}, begin.variant}, space);
  FailureOr<TuneResult> result = tune(variants, MeasureStore(), options, diags);
  // Nothing is read or written, so that the search does not fail.
  const Tried *best = succeeded(result) ? choose(*result, problem) : nullptr;
  if (!best)
    return begin.variant;
  if (remarks)
    explain(*result, *best, problem, *remarks);
  return best->candidate.variant;
}
