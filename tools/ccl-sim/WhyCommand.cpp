#include "WhyCommand.h"

#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Views/Report/Why.h"

#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace cclc;

ExitCode cclc::runWhy(const WhyRequest &request, DiagnosticEngine &diags) {
  const ExecPlan &plan = request.plan;
  std::optional<CellName> cell = parseCellName("--why", request.cell, diags);
  if (!cell || failed(checkCell(plan, *cell, diags)))
    return ExitCode::Unusable;
  Verdict verdict = verifyPlan(plan, request.slots, diags, ReductionHash::Omit).verdict;
  std::deque<Provenance> provenances;
  std::vector<Why> answers;
  for (Placement placement : plan.info().placements.list()) {
    std::optional<Provenance> provenance = Provenance::trace(plan, placement);
    if (!provenance)
      break; // a deadlock, which is reported
    provenances.push_back(std::move(*provenance));
    answers.emplace_back(plan, provenances.back(), *cell, placement);
  }
  auto write = [&](raw_ostream &os) { writeWhyJson(verdict, answers, os); };
  if (request.json && failed(writeFile(*request.json, write, diags)))
    return ExitCode::Unusable;
  for (size_t i = 0; request.print && i < answers.size(); ++i) {
    llvm::outs() << (i ? "\n" : "");
    answers[i].print(llvm::outs());
  }
  llvm::outs().flush();
  return verdict == Verdict::Ok ? ExitCode::Success : ExitCode::Wrong;
}
