//===- PlanOption.cpp - Plans, starts, first ranks and sizes --------------===//
//
// The last '@' of a value separates the file, so that its path may contain others. Sizes are
// assigned in the order of the options, before the plans are sorted.
//
//===----------------------------------------------------------------------===//

#include "PlanOption.h"

#include "cclc/Tools/Cli/Values.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using llvm::formatv;

/// Reports the first option that requires a single plan.
static LogicalResult checkCombination(const SimArguments &args, DiagnosticEngine &diags) {
  const std::pair<bool, const char *> others[] = {{!args.files.empty(), "FILE"},
                                                  {args.sizes.sweep.has_value(), "--sweep"},
                                                  {args.sizes.begin.has_value(), "-b"},
                                                  {args.sizes.end.has_value(), "-e"},
                                                  {args.sizes.factor.has_value(), "-f"},
                                                  {args.dma.has_value(), "--dma"},
                                                  {args.schedule.has_value(), "--schedule"},
                                                  {args.verifyOnly, "--verify-only"},
                                                  {args.lint, "--lint"},
                                                  {args.dialect.has_value(), "--xml-dialect"},
                                                  {args.why.has_value(), "--why"},
                                                  {args.whatIf, "--what-if"},
                                                  {args.advise, "--advise"},
                                                  {args.report.has_value(), "--report"},
                                                  {args.baseline.has_value(), "--baseline"},
                                                  {args.trace.has_value(), "--trace"},
                                                  {args.goal.has_value(), "--emit-goal"},
                                                  {args.chakra.has_value(), "--emit-chakra"}};
  for (auto [given, name] : others)
    if (given)
      return diags.error({}, formatv("--plan simulates several plans and excludes {0}", name));
  return success();
}

static std::optional<PlanOption> parsePlan(StringRef text) {
  constexpr uint32_t mostRank = 1 << 20;
  PlanOption plan;
  plan.title = text;
  auto [file, rest] = text.rsplit('@');
  auto [seconds, rank] = rest.split(':');
  std::optional<SimTime> start = parseSeconds(seconds);
  if (file.empty() || !start ||
      (rest.contains(':') && (rank.getAsInteger(10, plan.firstRank) || plan.firstRank > mostRank)))
    return std::nullopt;
  plan.file = file;
  plan.start = *start;
  return plan;
}

FailureOr<std::vector<PlanOption>> cclc::parsePlanOptions(const SimArguments &args,
                                                          DiagnosticEngine &diags) {
  if (failed(checkCombination(args, diags)))
    return failure();
  ArrayRef<std::string> sizes = args.sizes.bytes;
  if (sizes.size() > 1 && sizes.size() != args.plans.size())
    return diags.error({}, formatv("--bytes is given {0} times for {1} {2}: give one size for all "
                                   "plans, or one for each in the order of --plan",
                                   sizes.size(), args.plans.size(),
                                   args.plans.size() == 1 ? "plan" : "plans"));
  std::vector<PlanOption> plans;
  for (size_t p = 0; p < args.plans.size(); ++p) {
    std::optional<PlanOption> plan = parsePlan(args.plans[p]);
    if (!plan)
      return diags.error({}, formatv("--plan takes FILE@START_SECONDS or "
                                     "FILE@START_SECONDS:FIRST_RANK, such as a.json@0 or "
                                     "b.json@2e-6:8, not '{0}'",
                                     args.plans[p]));
    std::optional<uint64_t> size = parseSize(
        "--bytes", sizes.empty() ? "1M" : StringRef(sizes[sizes.size() > 1 ? p : 0]), diags);
    if (!size)
      return failure();
    plan->bytes = Bytes(*size);
    plans.push_back(std::move(*plan));
  }
  std::sort(plans.begin(), plans.end(), [](const PlanOption &a, const PlanOption &b) {
    auto key = [](const PlanOption &plan) {
      return std::tie(plan.start, plan.firstRank, plan.file, plan.bytes, plan.title);
    };
    return key(a) < key(b);
  });
  return plans;
}
