//===- Verify.cpp - Proofs of plans ---------------------------------------===//
//
// A plan of steps is proved alone or on a machine, with sizes; one of MSCCL++ alone.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Views/Report/Proof.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct ProofContent : ReportAccess::Content {
  ProvedPlan proved;
  DiagnosticEngine diags;

  void text(raw_ostream &os) const override {
    printRows(proved, os);
    printProof(proved, os);
  }
  void json(raw_ostream &os) const override { writeProofJson(ProofReport{proved, diags}, os); }
};
} // namespace

/// Proves the plan on \p request.machine, or alone.
static Result<Proof> prove(const Plan &plan, const ProofRequest &request) {
  auto content = PlanAccess::content(plan);
  auto report = std::make_shared<ProofContent>();
  report->proved.file = content->name();
  if (const mscclpp::Plan *other = content->mscclpp()) {
    report->proved.proof = mscclpp::verifyForExecutor(*other, report->diags);
    report->proved.verdict = report->proved.proof.verdict;
  } else if (failed(proveWithSizes(content->steps(), request, report->proved, report->diags))) {
    return Failed{report->diags};
  }
  const ProvedPlan &proved = report->proved;
  Proof proof{.verdict = verdictName(proved.verdict).str(),
              .slotsNeeded = proved.proof.slotsNeeded,
              .reductionHash = proved.proof.reductionHash,
              .safeUpTo = {},
              .sameBits = proved.proof.sameBits,
              .messages = messagesOf(report->diags),
              .report = {}};
  if (!proved.proof.note.empty())
    proof.messages.push_back({api::Severity::Note, {}, proved.proof.note, {}});
  if (proved.safety)
    if (std::optional<Bytes> largest = proved.safety->largest())
      proof.safeUpTo = largest->count();
  proof.report = ReportAccess::make(std::move(report));
  return proof;
}

Proof Plan::verify(std::optional<uint32_t> slots) const {
  ProofRequest request;
  request.slots = slotsOf(slots);
  return *prove(*this, request); // only a machine can be unfit
}

Result<Proof> Toolchain::verify(const Plan &plan, const Target &target,
                                const VerifyOptions &options) const {
  return unlessCancelled([&]() -> Result<Proof> {
    DiagnosticEngine diags;
    FailureOr<DataType> type = typeOf(options.type, diags);
    if (failed(type) || failed(checkSteps(plan, "a proof on a machine", diags)))
      return Failed{diags};
    FailureOr<Machine> machine = machineFor(PlanAccess::of(plan).info(), target, folder, diags);
    if (failed(machine))
      return Failed{diags};
    ProofRequest request{&*machine, slotsOf(options.slots), options.bytes, *type, {}};
    if (auto onStage = stagesOf(options.onProgress, options.cancellation)) {
      onStage("verify");
      request.onRow = [onStage](const Safety &safety) {
        onStage("verified " + std::to_string(safety.rows.back().bytes) + " bytes");
      };
    }
    return prove(plan, request);
  });
}
