//===- MscclppTimes.cpp - Two plans of MSCCL++ on the same machines -------===//
//
// The operations are simulated; their mnemonics are the phases of the results.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Diff/MscclppDiff.h"
#include "cclc/Sim/Mscclpp/Simulator.h"

using namespace cclc;
using namespace cclc::diff;

LogicalResult diff::addTimes(const TimesRequest &request, const mscclpp::Plan &before,
                             const mscclpp::Plan &after, DiffResult &result,
                             DiagnosticEngine &diags) {
  return addTimesOnTargets(
      request, result, diags,
      [&](const Machine &machine, const SimulatorSettings &how, AddTimes add) {
        FailureOr<mscclpp::PlacedPlan> olds = mscclpp::PlacedPlan::create(before, machine, diags),
                                       news = mscclpp::PlacedPlan::create(after, machine, diags);
        if (failed(olds) || failed(news))
          return failure();
        return add(*mscclpp::createSimulator(*olds, how), *mscclpp::createSimulator(*news, how));
      });
}
