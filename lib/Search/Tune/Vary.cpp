//===- Vary.cpp - Best plans of changed machines, and elasticities --------===//
//
// At the optimum, the derivative of the least time equals that of the plan that attains it. Other
// plans may be nearly as fast and gain more, so the elasticity is that of the least time of the
// plans near the best one, which are not compiled again for the changed value. The difference of
// logarithms is exact where the time is a power of the value. It is taken upwards: where two values
// limit the time equally, more of one of them does not pay.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Vary.h"

#include "cclc/Search/Tune/ResultCheck.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Sim/Simulator.h"
#include "cclc/Support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;

std::vector<BestOfSize> cclc::bestOfSizes(const TuneProblem &problem, const TuneResult &result) {
  std::vector<BestOfSize> all;
  for (uint64_t size : problem.sizes) {
    BestOfSize &best = all.emplace_back(BestOfSize{size, {}, problem.boundOf(size), "", ""});
    std::vector<size_t> order = result.ranking(size);
    if (order.empty())
      continue;
    const Tried &fastest = result.tried[order.front()];
    best.time = fastest.measure.time(size);
    best.command = fastest.candidate.command();
    best.title = fastest.candidate.title();
  }
  return all;
}

FailureOr<MachineVariant>
cclc::tuneVariant(TuneRequest request, const std::vector<TargetOverride> &changes,
                  const dsl::ProgramRegistry &programs, ArrayRef<std::string> names,
                  const TuneProblem &unchanged, const TuneResult &result, const MeasureStore &store,
                  const TuneOptions &options, DiagnosticEngine &diags) {
  request.target.overrides.insert(request.target.overrides.end(), changes.begin(), changes.end());
  FailureOr<TuneProblem> problem = TuneProblem::create(request, diags);
  if (failed(problem))
    return failure();
  if (problem->context == unchanged.context)
    return MachineVariant{changes, bestOfSizes(unchanged, result)};
  FailureOr<CandidateSpace> space = CandidateSpace::create(*problem, programs, names, diags);
  if (failed(space))
    return failure();
  FailureOr<TuneResult> found = tune(*space, store, options, diags);
  if (failed(found))
    return failure();
  // The search of the unchanged machine has warned of wrong parameters.
  DiagnosticEngine own;
  const bool isRight = succeeded(checkResult(*problem, *found, own));
  if (!isRight)
    diags.append(std::move(own));
  return MachineVariant{changes, bestOfSizes(*problem, *found), isRight};
}

namespace {
/// A machine with more of one value.
struct LargerValue {
  Machine machine;
  double logFactor; ///< of the value
};

/// A value for a target file.
std::string valueText(double value, bool isWhole) {
  return isWhole ? std::to_string(std::llround(value)) : formatv("{0:e16}", value).str();
}

FailureOr<LargerValue> createLarger(const TuneProblem &problem, const VaryAxis &axis,
                                    const BaseValue &base, DiagnosticEngine &diags) {
  // The order of messages on shared links changes at once, and with it the time: a step must be
  // large compared to such changes. Small whole numbers do not grow by ten percent.
  const double factor = base.isWhole && base.value < 100 ? 2 : 1.1;
  const std::string text = valueText(base.value * factor, base.isWhole);
  TargetRequest target = problem.target;
  target.overrides.push_back({axis.path, text});
  FailureOr<Machine> machine = loadTarget(target, diags);
  double value = 0;
  if (failed(machine) || StringRef(text).getAsDouble(value))
    return failure();
  return LargerValue{std::move(*machine), std::log(value / base.value)};
}

/// The time of \p plan on \p machine; unset if it does not run.
std::optional<SimTime> timeOn(const ExecPlan &plan, const Machine &machine,
                              const TuneProblem &problem, uint64_t size) {
  DiagnosticEngine refused;
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(plan, machine, machine.slotsFor(plan.info()), refused);
  if (failed(placed))
    return std::nullopt;
  FailureOr<SizeResult> result = createSimulatorOfScheduled(*placed, {.network = problem.network})
                                     ->at(Bytes(size), problem.type, refused);
  return succeeded(result) ? std::optional(result->time) : std::nullopt;
}

/// The plans that are simulated on the changed machine: at most this number of different ones, up
/// to this percentage of the best time.
constexpr size_t nearVariants = 6;
constexpr int64_t nearVariantsPercent = 110;

/// The fastest different plans with \p size.
std::vector<const Tried *> plansNearBest(const TuneResult &result, uint64_t size) {
  std::vector<const Tried *> found;
  for (size_t i : result.ranking(size)) {
    const Tried &tried = result.tried[i];
    if (!found.empty() &&
        Wide(tried.measure.time(size)->picoseconds()) * 100 >
            Wide(found.front()->measure.time(size)->picoseconds()) * nearVariantsPercent)
      break;
    if (found.size() < nearVariants && llvm::none_of(found, [&](const Tried *other) {
          return other->measure.plan == tried.measure.plan;
        }))
      found.push_back(&tried);
  }
  return found;
}

std::optional<int64_t> elasticityOf(ArrayRef<const Tried *> plans, const LargerValue &larger,
                                    const TuneProblem &problem, uint64_t size) {
  std::optional<SimTime> after;
  for (const Tried *tried : plans) {
    DiagnosticEngine refused;
    CompileRequest request = tried->candidate.request(problem);
    request.verify = false;
    FailureOr<Compiled> compiled = compile(*tried->candidate.program, request, refused);
    if (failed(compiled))
      continue;
    if (auto time = timeOn(compiled->plan, larger.machine, problem, size))
      after = std::min(after.value_or(*time), *time);
  }
  SimTime before = *plans.front()->measure.time(size);
  if (!after || before == SimTime() || *after == SimTime())
    return std::nullopt;
  double faster = std::log(double(before.picoseconds()) / double(after->picoseconds()));
  return std::llround(faster / larger.logFactor * 1000);
}
} // namespace

FailureOr<Elasticity> cclc::findElasticity(const TuneProblem &problem, const TuneResult &result,
                                           const VaryAxis &axis, unsigned jobs,
                                           DiagnosticEngine &diags) {
  FailureOr<std::optional<BaseValue>> base = findBaseValue(problem, axis, diags);
  if (failed(base))
    return failure();
  Elasticity elasticity{*base, {}};
  elasticity.thousandths.resize(problem.sizes.size());
  if (!*base)
    return elasticity;
  // A value such as the number of planes may have no larger one.
  DiagnosticEngine refused;
  std::optional<LargerValue> larger;
  if ((*base)->value > 0) {
    FailureOr<LargerValue> created = createLarger(problem, axis, **base, refused);
    if (failed(created))
      return elasticity;
    larger = std::move(*created);
  }
  parallelFor(jobs, problem.sizes.size(), [&](size_t s) {
    const uint64_t size = problem.sizes[s];
    std::vector<const Tried *> plans = plansNearBest(result, size);
    if (!plans.empty())
      elasticity.thousandths[s] = larger ? elasticityOf(plans, *larger, problem, size) : 0;
  });
  return elasticity;
}
