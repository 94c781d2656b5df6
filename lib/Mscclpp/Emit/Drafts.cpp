#include "Drafts.h"

namespace cclc::mscclpp {

Header headerOf(const ExecPlan &plan) {
  const ProgramInfo &info = plan.info();
  Header header(info.collective);
  header.name = info.name;
  header.collectiveName = collectiveName(info.collective.kind());
  header.inPlace = placementOf(plan) == Placement::InPlace;
  header.protocol = info.protocol;
  header.doubleScratch = info.protocol == Protocol::LL;
  header.minBytes = info.minBytes;
  header.maxBytes = info.maxBytes;
  header.locs = info.locs;
  return header;
}

Placement placementOf(const ExecPlan &plan) {
  return plan.info().placements.allowsOutOfPlace() ? Placement::OutOfPlace : Placement::InPlace;
}

FailureOr<Plan> finish(const ExecPlan &plan, ArrayRef<RankDraft> ranks, DiagnosticEngine &diags) {
  PlanBuilder builder(headerOf(plan));
  for (const RankDraft &rank : ranks)
    builder.addRank(rank);
  return std::move(builder).finish(diags);
}

} // namespace cclc::mscclpp
