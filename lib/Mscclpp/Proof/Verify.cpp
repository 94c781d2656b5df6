//===- Verify.cpp - The proof of a plan of MSCCL++, stage by stage --------===//
//
// Set-up of groups, barriers, control flow, balance of counters, races, values; the first failure
// ends the proof. Control flow and races are repeated until no further counter turns out to have
// takes in no fixed order. A plan with pipelines or shares is proved for several sizes of messages
// (Unroll.h).
//
//===----------------------------------------------------------------------===//

#include "cclc/Mscclpp/Proof/Verify.h"

#include "Races.h"
#include "Values.h"
#include "cclc/Mscclpp/Proof/Unroll.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace cclc::mscclpp {

/// Proves a plan without pipelines and shares.
static PlanProof verifyPlain(const Plan &plan, DiagnosticEngine &diags) {
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
  Groups groups(plan);
  if (Verdict setUp = groups.check(diags); setUp != Verdict::Ok)
    return found(setUp);
  CellMap cells(plan, groups);
  Counters counters(plan);
  if (failed(counters.checkBarriers(diags)))
    return found(Verdict::Deadlock);
  ControlFlow runner(plan, cells, counters);
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
  report.sameBits = execution.sameBits();
  if (!plan.header().collective.hasPostCondition())
    report.note = "the collective has no post-condition: the result was not checked";
  return report;
}

PlanProof verify(const Plan &plan, DiagnosticEngine &diags) {
  MemoryBudget::Work work("the proof of the plan");
  if (!needsUnrolling(plan))
    return verifyPlain(plan, diags);
  PlanProof report;
  SmallVector<Division, 8> divisions = divisionsOf(plan);
  if (divisions.empty()) {
    diags.error(plan.whole(), "the sizes of pieces and the numbers of parts of operations have "
                              "too small a common divisor to prove the plan");
    report.verdict = Verdict::Unsupported;
    return report;
  }
  for (const Division &division : divisions) {
    FailureOr<Plan> unrolled = unroll(plan, division, diags);
    if (failed(unrolled)) {
      report.verdict = Verdict::Unsupported;
      return report;
    }
    PlanProof proof = verifyPlain(*unrolled, diags);
    if (&division == divisions.begin())
      report = proof;
    if (proof.verdict != Verdict::Ok)
      return proof;
    if (proof.sameBits == false)
      report.sameBits = false;
  }
  bool loops =
      llvm::any_of(plan.ops(), [](const Operation &op) { return op.op == OpKind::Pipeline; });
  report.note += llvm::formatv("{0}proved for {1}", report.note.empty() ? "" : "; ",
                               loops ? "chunks of up to three pieces" : "several sizes of chunks")
                     .str();
  return report;
}

/// A proxy does not know how far a buffer is from the begin of its allocation.
static void warnOfOffsets(const Plan &plan, DiagnosticEngine &diags) {
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t)
    for (const Operation &op : plan.ops(plan.threadblocks()[t]))
      for (const Place &place : plan.sources(op))
        if (op.isByProxy() && place.buffer != Buffer::Scratch) {
          PlanOpId id(&op - plan.ops().data());
          diags.warning(plan.locate(id),
                        llvm::formatv("{0} sends from the {1} through a port channel: the executor "
                                      "reads it from the begin of its allocation, where the buffer "
                                      "must therefore begin",
                                      plan.opName(PlanThreadblockId(t), id),
                                      place.buffer == Buffer::Input ? "input" : "output"));
          return;
        }
}

PlanProof verifyForExecutor(const Plan &plan, DiagnosticEngine &diags) {
  warnOfOffsets(plan, diags);
  bool legal = succeeded(checkExecutor(plan, diags));
  PlanProof report = verify(plan, diags);
  if (!legal)
    report.verdict = std::max(report.verdict, Verdict::Illegal);
  return report;
}

PlanProof verifyFile(StringRef text, StringRef fileName, DiagnosticEngine &diags) {
  PlanProof report;
  FailureOr<Plan> plan = readJson(text, fileName, diags, &report.verdict);
  return failed(plan) ? report : verifyForExecutor(*plan, diags);
}

} // namespace cclc::mscclpp
