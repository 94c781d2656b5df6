//===- SizeGaps.cpp - Sizes that no plan serves ---------------------------===//
//
// A measure does not have the reason for which a plan does not run with a size, so that one plan is
// compiled again: that with the finest granularity, which has the best chance.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"
#include "cclc/Search/Tune/ChosenPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// Fails if \p candidate, whose plan is right, does not run with \p size on the machine. An error
/// has no text if only its simulation would take too many steps.
static LogicalResult checkSize(const TuneProblem &problem, const Candidate &candidate,
                               uint64_t size, DiagnosticEngine &diags) {
  CompiledPlans made = problem.compile(candidate, /*prove=*/false, diags);
  if (!made.plan)
    return failure();
  if (EmittedPlan::isTimed(problem)) {
    FailureOr<EmittedPlan> emitted =
        EmittedPlan::create(*made.plan, candidate.variant, std::move(made.mscclpp), problem, diags);
    return failed(emitted) ? failure() : emitted->checkSize(size, problem.type, diags);
  }
  FailureOr<PlacedPlan> placed =
      PlacedPlan::create(*made.plan, problem.machine, problem.slotsOf(*made.plan), diags);
  if (failed(placed))
    return failure();
  FailureOr<Sizing> sizing = createSimulatorOfScheduled(*placed, {.network = problem.network})
                                 ->prove(Bytes(size), problem.type, diags);
  if (failed(sizing))
    return failure();
  if (problem.inOnePiece && sizing->pieces > 1)
    return diags.error({}, "its largest message exceeds the largest slots");
  return success();
}

/// Why no candidate of \p result serves \p size.
static std::string reasonOf(const TuneProblem &problem, const TuneResult &result, uint64_t size) {
  if (!result.ranking(size).empty())
    return formatv("its calls have multiples of {0} bytes", problem.sizeMultiple());
  if (result.end == SearchEnd::TimeLimit)
    return "the time limit ended the search";
  const Tried *finest = nullptr;
  for (const Tried &tried : result.tried)
    if (tried.measure.isUsable() && (!finest || tried.measure.multiple < finest->measure.multiple))
      finest = &tried;
  if (!finest) {
    auto refused = llvm::find_if(result.tried,
                                 [](const Tried &tried) { return !tried.measure.refusal.empty(); });
    return refused == result.tried.end()
               ? ""
               : formatv("{0}: {1}", refused->candidate.command(), refused->measure.refusal).str();
  }
  DiagnosticEngine diags;
  std::string reason = "its simulation would take too many steps";
  if (failed(checkSize(problem, finest->candidate, size, diags)))
    for (const Diagnostic &each : diags.all())
      if (each.severity == Severity::Error) {
        reason = each.text;
        break;
      }
  return formatv("{0}: {1}", finest->candidate.command(), reason);
}

std::vector<PortfolioGap> cclc::gapsOf(const TuneProblem &problem, const TuneResult &result,
                                       ArrayRef<PlanRange> ranges) {
  return gapsOf(problem, ranges, [&](size_t first, size_t) {
    return reasonOf(problem, result, problem.sizes[first]);
  });
}

std::vector<PortfolioGap>
cclc::gapsOf(const TuneProblem &problem, ArrayRef<PlanRange> ranges,
             llvm::function_ref<std::string(size_t first, size_t end)> reasonOf) {
  std::vector<PortfolioGap> gaps;
  ArrayRef<uint64_t> sizes = problem.sizes;
  auto isServed = [&](size_t s) {
    return llvm::any_of(ranges, [&](const PlanRange &range) {
      return range.firstSize <= s && s <= range.lastSize;
    });
  };
  for (size_t s = 0; s < sizes.size(); ++s) {
    if (isServed(s))
      continue;
    const size_t first = s;
    while (s + 1 < sizes.size() && !isServed(s + 1))
      ++s;
    gaps.push_back({.collective = problem.collective,
                    .ranks = problem.ranks(),
                    .runtime = problem.runtime->name.str(),
                    .minBytes = first == 0 ? sizes.front() : sizes[first - 1] + 1,
                    .maxBytes = s + 1 == sizes.size() ? sizes.back() : sizes[s + 1] - 1,
                    .reason = reasonOf(first, s + 1)});
  }
  return gaps;
}
