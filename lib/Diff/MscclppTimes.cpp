//===- MscclppTimes.cpp - Two plans of MSCCL++ on the same machines -------===//
//
// The operations are simulated, and the results are those of the plans whose steps stand for them,
// with the names of operations as phases.
//
//===----------------------------------------------------------------------===//

#include "TimesOnTargets.h"

#include "cclc/Diff/MscclppDiff.h"
#include "cclc/Sim/Mscclpp/Simulator.h"

using namespace cclc;
using namespace cclc::diff;
using mscclpp::ShownOnMachine;

LogicalResult diff::addTimes(const TimesRequest &request, const mscclpp::ShownPlan &before,
                             const mscclpp::ShownPlan &after, DiffResult &result,
                             DiagnosticEngine &diags) {
  return addTimesOnTargets(
      request, result, diags,
      [&](const Machine &machine, const SimulatorSettings &how, AddTimes add) {
        FailureOr<ShownOnMachine> olds = ShownOnMachine::create(before, machine, diags),
                                  news = ShownOnMachine::create(after, machine, diags);
        if (failed(olds) || failed(news))
          return failure();
        return add(*mscclpp::createSimulator(*olds, how), *mscclpp::createSimulator(*news, how));
      });
}
