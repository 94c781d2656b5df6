//===- ConvertPlan.cpp - Converting plans between formats -----------------===//
//
// Reads, verifies, adapts, writes, reads and verifies again. Formats of ExecPlans differ only in
// their reader and writer; the XML of an MSCCL runtime adds splitting of fused receives and limits
// on sizes. A plan of MSCCL++ is lifted to a program and scheduled, and one for it is lowered.
// Since the input was verified, a wrong output is an internal error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/ConvertPlan.h"

#include "FitToRuntime.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Compiler/SafeSizes.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Mscclpp/Proof/Unroll.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Support/Text.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"
#include "cclc/Transforms/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

/// The exit code for a verdict. A plan with an unsupported size or feature is not wrong.
static ExitCode codeOf(Verdict verdict) {
  return verdict == Verdict::Ok                                             ? ExitCode::Success
         : verdict == Verdict::Unsupported || verdict == Verdict::Malformed ? ExitCode::Unusable
                                                                            : ExitCode::Wrong;
}

namespace {
/// One conversion; each step returns its exit code.
class Conversion {
public:
  Conversion(const ConvertRequest &request, DiagnosticEngine &diags)
      : request(request), to(*request.format), diags(diags) {}

  ExitCode run(StringRef text, StringRef fileName);
  std::string takeBytes() { return std::move(bytes); }

private:
  ExitCode convertExec(ExecPlan &&plan);
  ExitCode convertRolled(const RolledPlan &plan);
  ExitCode convertMscclpp(StringRef text, StringRef fileName, const PlanFormat &from);
  ExitCode fit(Compiled &compiled);
  ExitCode fitToTarget(Compiled &compiled);
  ExitCode prove(Compiled &compiled, Slots slots);
  template <class Plan> void write(const PlanCodec<Plan> &codec, const Plan &plan);
  ExitCode proveResult();

  void stage(StringRef name) const {
    if (request.onStage)
      request.onStage(name);
  }

  const ConvertRequest &request;
  const PlanFormat &to;
  DiagnosticEngine &diags;
  std::string bytes;
  std::optional<uint64_t> lifted; ///< the reduction hash of the plan of MSCCL++
};

ExitCode Conversion::run(StringRef text, StringRef fileName) {
  stage("read");
  const PlanFormat *from = sniffPlanFormat(text);
  if (from && from->mscclpp.read)
    return convertMscclpp(text, fileName, *from);
  FailureOr<AnyPlan> plan = readAnyPlan(text, fileName, diags);
  if (failed(plan))
    return ExitCode::Unusable;
  if (auto *all = std::get_if<ExecPlan>(&*plan))
    return convertExec(std::move(*all));
  const RolledPlan &rolled = std::get<RolledPlan>(*plan);
  if (to.isComplete && to.exec.write)
    return convertRolled(rolled);
  FailureOr<ExecPlan> all = unroll(rolled, diags);
  return failed(all) ? ExitCode::Unusable : convertExec(std::move(*all));
}

/// The result is rolled as well. It is read, but not proved again, because reading gives the plan
/// that was proved.
ExitCode Conversion::convertRolled(const RolledPlan &plan) {
  if (request.prove) {
    stage("prove");
    PlanProof proof = verifyRolled(plan, plan.info.slots.value_or(defaultSlots), diags);
    if (proof.verdict != Verdict::Ok)
      return codeOf(proof.verdict);
  }
  FailureOr<ExecPlan> toWrite = listed(plan, diags);
  if (failed(toWrite))
    return ExitCode::Internal;
  write(to.exec, *toWrite);
  return failed(readAnyPlan(bytes, "<result>", diags)) ? ExitCode::Internal : ExitCode::Success;
}

ExitCode Conversion::convertExec(ExecPlan &&plan) {
  Compiled compiled{std::move(plan), {}, {}, 0, {}, {}};
  bool lowers = to.mscclpp.write || to.ahbm.write;
  if (request.prove || lowers)
    if (ExitCode code = prove(compiled, compiled.plan.slots().value_or(defaultSlots));
        code != ExitCode::Success)
      return code;
  if (lifted && compiled.report && compiled.report->reductionHash != lifted)
    diags.warning({},
                  formatv("lifting from MSCCL++ changes the reduction order: reduction hash {0} "
                          "becomes {1}; results may differ in the last bits",
                          hashText(*lifted), hashText(*compiled.report->reductionHash)));
  if (to.ahbm.write) {
    stage("lower to an algorithm module");
    auto module = kernbench::lowerToModule(compiled.plan, request.worldSize, diags);
    if (failed(module))
      return ExitCode::Wrong;
    write(to.ahbm, *module);
    return ExitCode::Success;
  }
  if (to.mscclpp.write) {
    stage("lower to MSCCL++");
    if (request.name)
      compiled.plan.setName(*request.name);
    std::optional<Machine> machine;
    if (!compiled.plan.info().target.empty()) {
      auto loaded = loadTargetOf(compiled.plan.info(), request.targetDir, {}, diags);
      if (failed(loaded))
        return ExitCode::Unusable;
      machine = std::move(*loaded);
    }
    auto lowered = lowerToMscclpp(compiled.plan, machine ? &*machine : nullptr,
                                  /*prove=*/request.sharing > 1, diags, request.sharing);
    if (const ExitCode *code = std::get_if<ExitCode>(&lowered))
      return *code;
    const auto &made = std::get<LoweredPlan>(lowered);
    if (made.otherOrder)
      diags.warning({}, *made.otherOrder);
    write(to.mscclpp, made.plan);
    return proveResult();
  }
  if (to.hasDialects)
    if (ExitCode code = fit(compiled); code != ExitCode::Success)
      return code;
  if (ExitCode code = fitToTarget(compiled); code != ExitCode::Success)
    return code;
  write(to.exec, compiled.plan);
  return proveResult();
}

/// A plan that is not written as it is becomes one of steps, which is proved as every other one.
ExitCode Conversion::convertMscclpp(StringRef text, StringRef fileName, const PlanFormat &from) {
  bool lifts = !to.mscclpp.write;
  if (!lifts && request.sharing > 1) {
    diags.error({fileName.str()}, "--threadblock-group applies to plans of steps, not to those of "
                                  "MSCCL++");
    return ExitCode::Unusable;
  }
  if (request.prove || lifts) {
    stage("prove");
    PlanProof proof = mscclpp::verifyFile(text, fileName, diags);
    if (ExitCode code = codeOf(proof.verdict); code != ExitCode::Success)
      return code;
    lifted = proof.reductionHash;
  }
  FailureOr<mscclpp::Plan> plan = from.mscclpp.read(text, fileName, diags);
  if (failed(plan))
    return ExitCode::Unusable;
  if (lifts) {
    if (mscclpp::needsUnrolling(*plan))
      lifted.reset(); // the hash is that of other chunks
    warnOfLostProperties(*plan, /*keepsNodes=*/to.isComplete, diags);
    stage("lift to a program and schedule it");
    FailureOr<ExecPlan> steps =
        liftFromMscclpp(*plan, to.hasDialects ? request.dialect : nullptr, diags);
    return failed(steps) ? ExitCode::Wrong : convertExec(std::move(*steps));
  }
  write(to.mscclpp, *plan);
  return proveResult();
}

/// Adapts a plan to the runtime of a dialect.
ExitCode Conversion::fit(Compiled &compiled) {
  const MscclDialect &dialect = *request.dialect;
  bool hasFused = llvm::any_of(compiled.plan.steps(),
                               [](const Step &step) { return traits(step.op).isFusedReceive(); });
  if (hasFused && to.splitsFused(&dialect)) {
    stage("split fused receives");
    PassContext context(diags);
    FailureOr<ExecPlan> lowered = lowerFused(std::move(compiled.plan), context);
    if (failed(lowered))
      return ExitCode::Internal;
    compiled.plan = std::move(*lowered);
    // The input was verified, so an error now is a defect of the tool.
    if (compiled.report && prove(compiled, Slots::unlimited()) != ExitCode::Success)
      return ExitCode::Internal;
  }
  stage("fit to the runtime");
  return succeeded(fitToRuntime(compiled, dialect, UnsafeSizes::Cut, diags)) ? ExitCode::Success
                                                                             : ExitCode::Wrong;
}

/// Restricts a proved plan to the sizes at which it completes on its target. If that is not found,
/// or has changed, the plan keeps its range.
ExitCode Conversion::fitToTarget(Compiled &compiled) {
  const ProgramInfo &info = compiled.plan.info();
  if (!compiled.report || info.target.empty() || compiled.plan.maxCount() == 1)
    return ExitCode::Success;
  DiagnosticEngine unheard;
  FailureOr<Machine> machine = loadTargetOf(info, request.targetDir, {}, unheard);
  if (failed(machine))
    return ExitCode::Success;
  return succeeded(fitSizes(compiled, *machine, UnsafeSizes::Cut, diags)) ? ExitCode::Success
                                                                          : ExitCode::Wrong;
}

ExitCode Conversion::prove(Compiled &compiled, Slots slots) {
  stage("prove");
  compiled.report = verifyPlan(compiled.plan, slots, diags);
  return codeOf(compiled.report->verdict);
}

template <class Plan> void Conversion::write(const PlanCodec<Plan> &codec, const Plan &plan) {
  stage("write");
  llvm::raw_string_ostream os(bytes);
  codec.write(plan, {request.dialect, /*locations=*/true}, os);
}

/// Reads the output like its users.
ExitCode Conversion::proveResult() {
  if (!request.prove)
    return ExitCode::Success;
  stage("prove the result");
  StringRef name = "<result>";
  Verdict verdict = Verdict::Malformed;
  if (to.mscclpp.read) {
    verdict = mscclpp::verifyFile(bytes, name, diags).verdict;
  } else if (FailureOr<ExecPlan> plan = to.exec.read(bytes, name, diags); succeeded(plan)) {
    Slots slots = plan->slots().value_or(defaultSlots);
    if (to.hasDialects)
      slots = Slots(request.dialect->transmissionsOf(plan->info().protocol).slots);
    verdict = verifyPlan(*plan, slots, diags, ReductionHash::Omit).verdict;
  }
  return verdict == Verdict::Ok            ? ExitCode::Success
         : verdict == Verdict::Unsupported ? ExitCode::Wrong
                                           : ExitCode::Internal;
}
} // namespace

ConvertOutcome cclc::convertPlan(StringRef text, StringRef fileName, const ConvertRequest &request,
                                 DiagnosticEngine &diags) {
  Conversion conversion(request, diags);
  ExitCode code = conversion.run(text, fileName);
  return {code, code == ExitCode::Success ? conversion.takeBytes() : ""};
}
