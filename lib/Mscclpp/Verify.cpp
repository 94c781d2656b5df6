//===- Verify.cpp - The proof of a plan of MSCCL++, stage by stage --------===//
//
// Barriers, control flow, balance of counters, races, values; the first failure ends the proof.
// Control flow and races are repeated until no further counter turns out to have takes in no fixed
// order.
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Verify.h"

#include "Races.h"
#include "Values.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::mscclpp;

PlanProof mscclpp::verify(const Plan &plan, DiagnosticEngine &diags) {
  MemoryBudget::Work work("the proof of the plan");
  PlanProof report;
  auto found = [&](Verdict verdict) {
    report.verdict = verdict;
    return report;
  };
  if (plan.threadblocks().size() + plan.ranks().size() > maxClocks) {
    diags.error(plan.whole(),
                llvm::formatv("the plan has {0} ranks and {1} threadblocks, together more than the "
                              "{2} that can be proved free of races; use fewer ranks or channels",
                              plan.ranks().size(), plan.threadblocks().size(), maxClocks));
    return found(Verdict::Unsupported);
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
    RaceCheck races = checkRaces(plan, cells, counters, *order, contested, diags);
    if (races == RaceCheck::Race || races == RaceCheck::TooLarge)
      return found(races == RaceCheck::Race ? Verdict::Race : Verdict::Unsupported);
    again = races == RaceCheck::OtherOrder;
  }
  Execution execution(plan, cells, *order);
  report.reductionHash = execution.reductionHash();
  if (failed(execution.check(diags)))
    return found(Verdict::WrongResult);
  if (!plan.header().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}

PlanProof mscclpp::verifyFile(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  PlanProof report;
  FailureOr<Plan> plan = readJson(text, fileName, diags, &report.verdict);
  if (failed(plan))
    return report;
  bool legal = succeeded(checkExecutor(*plan, diags));
  report = verify(*plan, diags);
  if (!legal)
    report.verdict = std::max(report.verdict, Verdict::Illegal);
  return report;
}
