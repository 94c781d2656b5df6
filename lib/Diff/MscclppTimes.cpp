//===- MscclppTimes.cpp - Two plans of MSCCL++ on the same machines -------===//
//
// The operations are simulated, and the results are those of the plans whose steps stand for them,
// with the names of operations as phases.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Diff/MscclppDiff.h"

using namespace cclc;
using namespace cclc::diff;
using mscclpp::ShownOnMachine;

LogicalResult diff::addTimes(const TimesRequest &request, const mscclpp::ShownPlan &before,
                             const mscclpp::ShownPlan &after, DiffResult &result,
                             DiagnosticEngine &diags) {
  return addTimesOnTargets(request, result, diags, [&](const Machine &machine, AddTimes add) {
    FailureOr<ShownOnMachine> olds = ShownOnMachine::create(before, machine, diags),
                              news = ShownOnMachine::create(after, machine, diags);
    if (failed(olds) || failed(news))
      return failure();
    mscclpp::RunOptions options;
    options.criticalPath = true;
    auto timeOf = [&](const ShownOnMachine &side) {
      return [&](StringRef network, uint64_t bytes, DataType type) -> FailureOr<SizeResult> {
        FailureOr<SizedRun> run = side.run(network, Bytes(bytes), type, options, diags);
        if (failed(run))
          return failure();
        return makeSizeResult(side.shown, run->sizing, std::move(run->result), /*repeat=*/1);
      };
    };
    return add(timeOf(*olds), timeOf(*news));
  });
}
