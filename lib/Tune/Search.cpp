//===- Search.cpp - Coordinate descent over variants ----------------------===//
//
// Cyclic coordinate descent: each round tries all values of each property in turn (protocol,
// placement, instances, goal, channels, aggregation, fusion) and keeps the best; the search ends
// when a round changes nothing. Each variant is compiled once and simulated at several sizes.
// Trials of one property run in parallel, but are compared in order, so the result does not depend
// on the number of jobs. It is a local optimum.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tune/Search.h"

#include "cclc/Support/Parallel.h"

#include "cclc/Sim/Engine.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace cclc;
using llvm::formatv;

namespace {
/// The number of executions of steps above which a size is too expensive to simulate.
constexpr uint64_t maxExecutions = 4'000'000;
/// The maximum number of instances to try.
constexpr uint32_t maxInstances = 32;
/// The required gain of a variant with more threadblocks, as a logarithm: two percent.
constexpr double marginForThreadblocks = 0.02;
constexpr double rounding = 1e-6;

class Search {
public:
  Search(const Variant &start, const SearchSpace &space, const Machine &machine,
         const std::function<FailureOr<ExecPlan>(const Variant &)> &build)
      : space(space), machine(machine), build(build), best(start) {}

  Variant run() {
    FailureOr<ExecPlan> plan = build(best);
    if (failed(plan))
      return best;
    findSizes(*plan);
    usedChannels = plan->channels();
    if (sizes.empty())
      return best;
    tried.push_back(measure(best, *plan));
    for (Variant before = best;; before = best) {
      round();
      if (before == best)
        return best;
    }
  }

  void explain(Remarks &remarks) const {
    Remarks::Decision decision{"variants (ns by size)", {}};
    for (const Trial &trial : tried) {
      Remarks::Choice choice{describe(trial.variant), {}, trial.variant == best};
      for (size_t i = 0; i < sizes.size(); ++i)
        choice.figures.emplace_back(
            std::to_string(sizes[i]),
            trial.times.empty() ? "-" : std::to_string(trial.times[i].picoseconds() / 1000));
      decision.choices.push_back(std::move(choice));
    }
    if (!tried.empty())
      remarks.decide(std::move(decision));
  }

private:
  struct Trial {
    Variant variant;
    std::vector<SimTime> times = {}; ///< by size; empty if the variant failed
    uint32_t threadblocks = 0;       ///< maximum over the ranks
    size_t steps = 0;
  };

  Trial measure(const Variant &variant, const ExecPlan &plan) const {
    Trial trial{variant, time(plan), 0, plan.steps().size()};
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      trial.threadblocks = std::max(trial.threadblocks, plan.numThreadblocks(RankId(r)));
    return trial;
  }

  std::string describe(const Variant &variant) const {
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

  FailureOr<BoundPlan> bind(const ExecPlan &plan, DiagnosticEngine &diags) const {
    Slots slots = space.slots.value_or(machine.slotsFor(plan.info().protocol));
    return BoundPlan::create(plan, machine, slots, diags);
  }

  /// Selects the sizes that are neither too small for the machine nor too expensive to simulate.
  void findSizes(const ExecPlan &plan) {
    DiagnosticEngine diags;
    FailureOr<BoundPlan> bound = bind(plan, diags);
    if (failed(bound))
      return;
    for (uint64_t size : representativeSizes(space.minBytes, space.maxBytes)) {
      FailureOr<Sizing> sizing = Sizing::create(*bound, Bytes(size), DataType::F32, diags);
      if (succeeded(sizing) && sizing->executions(*bound) <= maxExecutions)
        sizes.push_back(size);
    }
  }

  /// Empty if the plan cannot run at one of the sizes.
  std::vector<SimTime> time(const ExecPlan &plan) const {
    DiagnosticEngine diags;
    FailureOr<BoundPlan> bound = bind(plan, diags);
    std::vector<SimTime> times;
    for (uint64_t size : sizes) {
      if (failed(bound))
        return {};
      FailureOr<Sizing> sizing = Sizing::create(*bound, Bytes(size), DataType::F32, diags);
      if (failed(sizing) || sizing->executions(*bound) > 4 * maxExecutions)
        return {};
      std::unique_ptr<NetworkModel> network = createNetwork(machine.network, bound->routes);
      SimResult result = simulate(*bound, *sizing, *network);
      if (!result.completed)
        return {};
      times.push_back(result.time);
    }
    return times;
  }

  /// Whether \p a has a lower geometric mean than \p b, by a margin if it has more threadblocks.
  /// Ties are broken by threadblocks and steps.
  static bool isBetter(const Trial &a, const Trial &b) {
    if (a.times.empty() || b.times.empty())
      return !a.times.empty();
    double sum = 0;
    for (size_t i = 0; i < a.times.size(); ++i)
      sum += std::log(double(std::max<uint64_t>(a.times[i].picoseconds(), 1)) /
                      double(std::max<uint64_t>(b.times[i].picoseconds(), 1)));
    double gain = -sum / double(a.times.size());
    if (a.threadblocks > b.threadblocks)
      return gain > marginForThreadblocks;
    if (std::abs(gain) > rounding)
      return gain > 0;
    return std::pair(a.threadblocks, a.steps) < std::pair(b.threadblocks, b.steps);
  }

  const Trial &trialOf(const Variant &variant) const {
    return *std::find_if(tried.begin(), tried.end(),
                         [&](const Trial &trial) { return trial.variant == variant; });
  }

  bool isTried(const Variant &variant) const {
    return llvm::any_of(tried, [&](const Trial &trial) { return trial.variant == variant; });
  }

  Trial tryOut(const Variant &variant) const {
    FailureOr<ExecPlan> plan = build(variant);
    return succeeded(plan) ? measure(variant, *plan) : Trial{variant};
  }

  /// Tries \p variants, which differ in one property, in order. If \p stops is set, the variants
  /// after one that fails are skipped. Variants are tried in parallel, which may evaluate some that
  /// would be skipped, but does not affect the result.
  void attempt(std::vector<Variant> variants, bool stops = false) {
    llvm::erase_if(variants, [&](const Variant &variant) { return isTried(variant) && !stops; });
    size_t batch = std::max(space.jobs, 1u);
    for (size_t begin = 0; begin < variants.size(); begin += batch) {
      std::vector<std::optional<Trial>> trials(std::min(batch, variants.size() - begin));
      parallelFor(space.jobs, trials.size(), [&](size_t i) {
        if (!isTried(variants[begin + i]))
          trials[i] = tryOut(variants[begin + i]);
      });
      for (size_t i = 0; i < trials.size(); ++i) {
        const Variant &variant = variants[begin + i];
        if (trials[i])
          tried.push_back(std::move(*trials[i]));
        if (isBetter(trialOf(variant), trialOf(best)))
          best = variant;
        if (stops && trialOf(variant).times.empty())
          return;
      }
    }
  }

  /// Copies of the best variant with other values of one property.
  template <class Value>
  std::vector<Variant> with(Value Variant::*property, ArrayRef<Value> values) const {
    std::vector<Variant> variants(values.size(), best);
    for (size_t i = 0; i < values.size(); ++i)
      variants[i].*property = values[i];
    return variants;
  }

  void round() {
    attempt(with<Protocol>(&Variant::protocol, space.protocols));
    if (space.placement)
      attempt(with<RankPlacement>(
          &Variant::placement, {RankPlacement::Linear, RankPlacement::Snake, RankPlacement::Auto}));
    if (space.instances) {
      std::vector<uint32_t> instances;
      for (uint32_t n = 1; n <= maxInstances; n *= 2)
        instances.push_back(n);
      // If a number of instances fails, larger ones fail as well.
      attempt(with<uint32_t>(&Variant::instances, instances), /*stops=*/true);
    }
    if (space.goal)
      attempt(with<std::optional<ScheduleGoal>>(
          &Variant::goal, {ScheduleGoal::Balance, ScheduleGoal::Path, ScheduleGoal::Steps,
                           ScheduleGoal::Threadblocks, std::nullopt}));
    std::vector<std::optional<uint32_t>> channels;
    for (uint32_t n = usedChannels / 2; n > 0; n /= 2)
      channels.push_back(n);
    attempt(with<std::optional<uint32_t>>(&Variant::maxChannels, channels));
    if (space.aggregate)
      attempt(with<bool>(&Variant::aggregate, {false, true}));
    if (space.fusion)
      attempt(with<FusionOptions>(&Variant::fusion, {FusionOptions(), FusionOptions::none()}));
  }

  const SearchSpace &space;
  const Machine &machine;
  const std::function<FailureOr<ExecPlan>(const Variant &)> &build;
  Variant best;
  std::vector<uint64_t> sizes;
  std::vector<Trial> tried;
  uint32_t usedChannels = 1; ///< number of channels of the first variant
};
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
  Search search(start, space, machine, build);
  Variant best = search.run();
  if (remarks)
    search.explain(*remarks);
  return best;
}
