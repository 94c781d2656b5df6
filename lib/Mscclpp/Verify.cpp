#include "cclc/Mscclpp/Verify.h"

#include "Races.h"
#include "Values.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::mscclpp;

PlanReport mscclpp::verify(const Plan &plan, DiagnosticEngine &diags) {
  PlanReport report;
  auto found = [&](Verdict verdict) {
    report.verdict = verdict;
    return report;
  };
  if (plan.threadblocks().size() + plan.ranks().size() > maxClocks) {
    diags.error(plan.whole(),
                llvm::formatv("the plan has {0} ranks and {1} threadblocks, together more than the "
                              "{2} that can be proved free of races; use fewer ranks or channels",
                              plan.ranks().size(), plan.threadblocks().size(), maxClocks));
    return found(Verdict::Illegal);
  }
  CellMap cells(plan);
  Counters counters(plan);
  if (failed(counters.checkBarriers(diags)))
    return found(Verdict::Deadlock);
  Runner runner(plan, cells, counters);
  std::vector<bool> contested(counters.all().size());
  FailureOr<std::vector<Completed>> order = failure();
  for (bool again = true; again;) {
    order = runner.run(contested, diags);
    if (failed(order))
      return found(Verdict::Deadlock);
    if (failed(counters.checkBalance(diags)))
      return found(Verdict::Race);
    FailureOr<bool> asAssumed = checkRaces(plan, cells, counters, *order, contested, diags);
    if (failed(asAssumed))
      return found(Verdict::Race);
    again = !*asAssumed;
  }
  Execution execution(plan, cells, *order);
  report.reductionHash = execution.reductionHash();
  if (failed(execution.check(diags)))
    return found(Verdict::WrongResult);
  if (!plan.header().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}
