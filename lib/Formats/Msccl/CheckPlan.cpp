//===- CheckPlan.cpp - Checking a plan against a runtime ------------------===//
//
// Runs the rules of Loader.h on the rows that the writer would write. The bounds of PlanBounds.cpp
// are checked between the header and the ranks, because their messages name the cause, which those
// of the ranks do not.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Limits/PlanCheck.h"

using namespace cclc;
using namespace cclc::msccl;

/// Also rejects plans that the runtime would load but execute differently.
LogicalResult cclc::checkMscclLimits(const ExecPlan &plan, const MscclDialect &dialect,
                                     DiagnosticEngine &diags) {
  if (failed(checkNoSwitches(plan, dialect.name, diags)))
    return failure();
  bool illegal = false;
  auto report = [&](const Finding &finding) {
    if (finding.effect == Effect::Advice || illegal)
      return;
    illegal = true;
    Location loc = finding.at ? plan.info().locate(plan.steps()[*finding.at].loc) : Location();
    diags.error(loc, illegalFor(dialect.name, finding.text + "; " + finding.remedy));
  };
  Loader loader(dialect, report);
  std::vector<Row> rows;
  loader.begin(headerOf(plan, dialect));
  if (!illegal && failed(checkBounds(plan, constraintsOf(dialect), diags)))
    return failure();
  for (uint32_t r = 0; r < plan.ranks() && !illegal; ++r) {
    loader.beginRank(gpuOf(plan, RankId(r)), plan.numThreadblocks(RankId(r)));
    uint32_t id = 0;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      loader.add(tbOf(plan, tb, id++, rows));
    loader.endRank();
  }
  return LogicalResult::success(!illegal);
}
