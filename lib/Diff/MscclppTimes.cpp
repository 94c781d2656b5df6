//===- MscclppTimes.cpp - Two plans of MSCCL++ on the same machines -------===//
//
// The operations are simulated, and the results are those of the plans whose steps stand for them,
// with the names of operations as phases.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Diff/MscclppDiff.h"
#include "cclc/MscclppSim/ReportPlan.h"
#include "cclc/MscclppSim/Simulate.h"

using namespace cclc;
using namespace cclc::diff;

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
} // namespace

ExitCode diff::addTimes(const TimesRequest &request, const MscclppSide &before,
                        const MscclppSide &after, DiffResult &result, DiagnosticEngine &diags) {
  return addTimesOnTargets(request, result, diags, [&](const Machine &machine, AddTimes add) {
    FailureOr<BoundSide> olds = BoundSide::create(before, machine, diags),
                         news = BoundSide::create(after, machine, diags);
    if (failed(olds) || failed(news))
      return ExitCode::Unusable;
    auto timeOf = [&](const BoundSide &side) {
      return [&](StringRef network, uint64_t bytes, DataType type) {
        return side.simulate(network, bytes, type, diags);
      };
    };
    return succeeded(add(timeOf(*olds), timeOf(*news))) ? ExitCode::Success : ExitCode::Unusable;
  });
}
