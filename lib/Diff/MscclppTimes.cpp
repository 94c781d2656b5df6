//===- MscclppTimes.cpp - Two plans of MSCCL++ on the same machines -------===//
//
// The operations are simulated, and the results are those of the plans whose steps stand for them,
// with the names of operations as phases.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/MscclppDiff.h"

#include "cclc/MscclppSim/ReportPlan.h"
#include "cclc/MscclppSim/Simulate.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

namespace {
/// A plan on one machine, also in the form of its results.
struct BoundSide {
  mscclpp::BoundPlan bound;
  BoundPlan shown;

  static FailureOr<BoundSide> create(const MscclppSide &side, const Machine &machine,
                                     DiagnosticEngine &diags) {
    FailureOr<mscclpp::BoundPlan> bound = mscclpp::BoundPlan::create(side.plan, machine, diags);
    if (failed(bound))
      return failure();
    FailureOr<BoundPlan> shown = BoundPlan::create(side.steps, machine, Slots::unlimited(), diags);
    if (failed(shown))
      return failure();
    return BoundSide{std::move(*bound), std::move(*shown)};
  }

  FailureOr<SizeResult> simulate(StringRef networkName, uint64_t bytes, DataType type,
                                 DiagnosticEngine &diags) const {
    FailureOr<mscclpp::SizedPlan> sized =
        mscclpp::SizedPlan::create(bound.plan, Bytes(bytes), type, diags);
    if (failed(sized))
      return failure();
    std::unique_ptr<NetworkModel> network = createNetwork(networkName, bound.routes);
    mscclpp::RunOptions options;
    options.criticalPath = true;
    SimResult result = mscclpp::simulate(bound, *sized, *network, options);
    return makeSizeResult(shown, mscclpp::sizingForReports(*sized), std::move(result),
                          /*repeat=*/1);
  }
};

ExitCode addTimesOn(const TargetRequest &target, const TimesRequest &request,
                    const MscclppSide &before, const MscclppSide &after, DiffResult &result,
                    DiagnosticEngine &diags) {
  FailureOr<Machine> machine =
      loadTargetFor({&before.steps.info(), &after.steps.info()}, target, diags);
  if (failed(machine))
    return ExitCode::Unusable;
  result.targets.push_back(machine->stamp);
  std::string network = request.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return ExitCode::Unusable;
  FailureOr<BoundSide> olds = BoundSide::create(before, *machine, diags),
                       news = BoundSide::create(after, *machine, diags);
  if (failed(olds) || failed(news))
    return ExitCode::Unusable;
  for (DataType type : result.types)
    for (uint64_t bytes : request.sizes) {
      if (request.onStage)
        request.onStage(formatv("simulate {0} bytes", bytes).str());
      FailureOr<SizeResult> old = olds->simulate(network, bytes, type, diags),
                            now = news->simulate(network, bytes, type, diags);
      if (failed(old) || failed(now))
        return ExitCode::Unusable;
      TimeDiff time = compareTimes(*old, *now, result.diff);
      time.target = machine->stamp.title();
      time.type = type;
      result.times.push_back(std::move(time));
    }
  return ExitCode::Success;
}
} // namespace

ExitCode diff::addTimes(const TimesRequest &request, const MscclppSide &before,
                        const MscclppSide &after, DiffResult &result, DiagnosticEngine &diags) {
  if (failed(checkProved(result, diags)))
    return ExitCode::Wrong;
  for (const TargetRequest &target : request.targets)
    if (ExitCode code = addTimesOn(target, request, before, after, result, diags);
        code != ExitCode::Success)
      return code;
  return ExitCode::Success;
}
