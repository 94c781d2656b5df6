//===- VerifyCommand.cpp - ccl-sim --verify-only --------------------------===//
//
// The rows of sizes are printed as soon as they are proved, everything else at the end. If the
// memory is exhausted, the report says so, and has no result for any size.
//
//===----------------------------------------------------------------------===//

#include "VerifyCommand.h"

#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Views/Report/Proof.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

namespace {
class Verification {
public:
  Verification(const VerifyRequest &request, Progress &progress, DiagnosticEngine &diags)
      : request(request), progress(progress), diags(diags) {}

  ExitCode run() {
    try {
      progress.stage("read " + request.file);
      if (failed(read()))
        return ExitCode::Unusable;
    } catch (const MemoryExceeded &exceeded) {
      diags.error({}, exceeded.text());
      found = resultOf(Verdict::Unsupported);
    }
    return report();
  }

private:
  ProvedPlan resultOf(Verdict verdict) const {
    ProvedPlan result{request.file, {}, {}, verdict, {}};
    result.proof.verdict = verdict;
    return result;
  }

  /// Fails if there is no result; a malformed file is one.
  LogicalResult read() {
    found.slots = request.slots.value_or(defaultSlots);
    auto file = openPlanFile(request.file, diags);
    if (failed(file))
      return success();
    StringRef text = (*file)->getBuffer(), name = planFileName(request.file);
    const PlanFormat *format = sniffPlanFormat(text);
    if (format && format->mscclpp.read)
      return proveMscclpp(text, name);
    FailureOr<AnyPlan> plan = readAnyPlan(text, name, diags);
    file->reset();
    if (failed(plan))
      return success();
    auto *all = std::get_if<ExecPlan>(&*plan);
    std::optional<Machine> machine;
    if (request.load) {
      FailureOr<Machine> loaded =
          request.load(all ? all->info() : std::get<RolledPlan>(*plan).info);
      if (failed(loaded))
        return failure();
      machine.emplace(std::move(*loaded));
    }
    const Machine *target = machine ? &*machine : nullptr;
    return all ? prove(*all, target) : proveRolled(std::get<RolledPlan>(*plan), target);
  }

  /// A plan whose proof needs the order of accesses through other ranks, or the limits of a
  /// machine, is unrolled.
  LogicalResult proveRolled(const RolledPlan &plan, const Machine *target) {
    if (!target) {
      progress.stage("verify");
      Slots slots = request.slots.value_or(plan.info.slots.value_or(defaultSlots));
      DiagnosticEngine ofRolled;
      PlanProof proof = verifyRolled(plan, slots, ofRolled);
      if (proof.verdict != Verdict::Unsupported) {
        diags.append(std::move(ofRolled));
        found = ProvedPlan{request.file, proof, slots, proof.verdict, {}};
        return success();
      }
    }
    FailureOr<ExecPlan> all = unroll(plan, diags);
    return failed(all) ? failure() : prove(*all, target);
  }

  LogicalResult proveMscclpp(StringRef text, StringRef name) {
    if (!request.sizes.empty())
      return diags.error({}, "a plan of MSCCL++ is proved without sizes: omit --bytes and --sweep");
    if (request.load || request.slots)
      return diags.error({}, "a plan of MSCCL++ has no slots, and it is proved without a target");
    progress.stage("verify");
    PlanProof proof = mscclpp::verifyFile(text, name, diags);
    found = ProvedPlan{request.file, proof, std::nullopt, proof.verdict, {}};
    return success();
  }

  LogicalResult prove(const ExecPlan &plan, const Machine *target) {
    progress.stage("verify");
    auto print = [&](const Safety &safety) {
      progress.clear();
      if (request.print)
        printLastRow(found, safety, llvm::outs());
    };
    ProofRequest proof{target, request.slots, request.sizes, request.type, print};
    return proveWithSizes(plan, proof, found, diags);
  }

  /// Prints the report and returns its exit code. Rows are printed already.
  ExitCode report() {
    auto write = [&](raw_ostream &os) { writeProofJson(found, diags, os); };
    if (request.json && failed(writeFile(*request.json, write, diags)))
      return ExitCode::Unusable;
    progress.clear();
    if (request.print)
      printProof(found, llvm::outs());
    switch (found.verdict) {
    case Verdict::Ok:
      return ExitCode::Success;
    case Verdict::Malformed:
    case Verdict::Unsupported:
      return ExitCode::Unusable;
    default:
      return ExitCode::Wrong;
    }
  }

  const VerifyRequest &request;
  Progress &progress;
  DiagnosticEngine &diags;
  ProvedPlan found = resultOf(Verdict::Malformed);
};
} // namespace

ExitCode cclc::runVerify(const VerifyRequest &request, Progress &progress,
                         DiagnosticEngine &diags) {
  return Verification(request, progress, diags).run();
}
