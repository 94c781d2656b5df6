//===- ConvertPlan.cpp - Converting plans between formats -----------------===//
//
// Verifies, adapts, writes, reads and verifies again. Formats of ExecPlans differ only in their
// writer; the XML of an MSCCL runtime adds splitting of fused receives, waits before the reductions
// that it merges, and limits on sizes. A plan of MSCCL++ is lifted to a program and scheduled, and
// one for it is lowered. Since the input was verified, a wrong output is an internal error.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/ConvertPlan.h"

#include "FitToRuntime.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Compiler/LowerToMscclpp.h"
#include "cclc/Compiler/SafeSizes.h"
#include "cclc/Formats/Msccl/Xml.h"
#include "cclc/Mscclpp/Json.h"
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

namespace {
/// One conversion; each step reports its error.
class Conversion {
public:
  Conversion(const ConvertRequest &request, DiagnosticEngine &diags)
      : request(request), to(*request.format), diags(diags) {}

  LogicalResult convert(ExecPlan &&plan);
  LogicalResult convert(const RolledPlan &plan);
  LogicalResult convert(const mscclpp::Plan &plan);
  std::string takeBytes() { return std::move(bytes); }

private:
  FailureOr<std::optional<Machine>> machineOf(const ProgramInfo &info);
  LogicalResult splitFused(ExecPlan &plan);
  LogicalResult gather(ExecPlan &plan);
  LogicalResult fit(Compiled &compiled);
  LogicalResult fitToTarget(Compiled &compiled);
  LogicalResult prove(Compiled &compiled, Slots slots);
  template <class Plan> void write(const PlanCodec<Plan> &codec, const Plan &plan);
  LogicalResult proveResult();

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

/// The result is rolled as well if its format admits it. It is read, but not proved again, because
/// reading gives the plan that was proved.
LogicalResult Conversion::convert(const RolledPlan &plan) {
  if (!to.isComplete || !to.exec.write) {
    FailureOr<ExecPlan> all = unroll(plan, diags);
    return failed(all) ? failure() : convert(std::move(*all));
  }
  if (request.prove) {
    stage("prove");
    PlanProof proof = verifyRolled(plan, plan.info.slots.value_or(defaultSlots), diags);
    if (proof.verdict != Verdict::Ok)
      return diags.fail(failureOf(proof.verdict));
  }
  FailureOr<ExecPlan> toWrite = listed(plan, diags);
  if (failed(toWrite))
    return diags.fail(Failure::Defect);
  write(to.exec, *toWrite);
  if (failed(readAnyPlan(bytes, "<result>", diags)))
    return diags.fail(Failure::Defect);
  return success();
}

/// The machine of the target that a plan names; unset if it names none.
FailureOr<std::optional<Machine>> Conversion::machineOf(const ProgramInfo &info) {
  std::optional<Machine> machine;
  if (info.target.empty())
    return machine;
  FailureOr<Machine> loaded = loadTargetOf(info, request.targetDir, {}, diags);
  if (failed(loaded))
    return failure();
  machine = std::move(*loaded);
  return machine;
}

LogicalResult Conversion::convert(ExecPlan &&plan) {
  Compiled compiled{std::move(plan), {}, {}, 0, {}, {}};
  bool lowers = to.mscclpp.write || to.ahbm.write;
  if ((request.prove || lowers) &&
      failed(prove(compiled, compiled.plan.slots().value_or(defaultSlots))))
    return failure();
  if (lifted && compiled.report && compiled.report->reductionHash != lifted)
    diags.warning({},
                  formatv("lifting from MSCCL++ changes the reduction order: reduction hash {0} "
                          "becomes {1}; results may differ in the last bits",
                          hashText(*lifted), hashText(*compiled.report->reductionHash)));
  if (to.ahbm.write) {
    stage("lower to an algorithm module");
    FailureOr<std::optional<Machine>> machine = machineOf(compiled.plan.info());
    if (failed(machine))
      return failure();
    auto module = kernbench::lowerToModule(compiled.plan, *machine ? &**machine : nullptr,
                                           request.worldSize, diags);
    if (failed(module))
      return diags.fail(Failure::Unfit);
    write(to.ahbm, *module);
    return success();
  }
  if (to.mscclpp.write) {
    stage("lower to MSCCL++");
    if (request.name)
      compiled.plan.setName(*request.name);
    FailureOr<std::optional<Machine>> machine = machineOf(compiled.plan.info());
    if (failed(machine))
      return failure();
    FailureOr<LoweredPlan> made =
        lowerToMscclpp(compiled.plan, *machine ? &**machine : nullptr,
                       /*prove=*/request.sharing > 1, diags, request.sharing);
    if (failed(made))
      return failure();
    if (made->otherOrder)
      diags.warning({}, *made->otherOrder);
    write(to.mscclpp, made->plan);
    return proveResult();
  }
  if ((to.hasDialects && failed(fit(compiled))) || failed(fitToTarget(compiled)))
    return failure();
  write(to.exec, compiled.plan);
  return proveResult();
}

/// A plan that is not written as it is becomes one of steps, which is proved as every other one.
LogicalResult Conversion::convert(const mscclpp::Plan &plan) {
  bool lifts = !to.mscclpp.write;
  if (!lifts && request.sharing > 1)
    return diags.error(plan.whole(), "--threadblock-group applies to plans of steps, not to those "
                                     "of MSCCL++");
  if (request.prove || lifts) {
    stage("prove");
    PlanProof proof = mscclpp::verifyForExecutor(plan, diags);
    if (proof.verdict != Verdict::Ok)
      return diags.fail(failureOf(proof.verdict));
    lifted = proof.reductionHash;
  }
  if (lifts) {
    if (mscclpp::needsUnrolling(plan))
      lifted.reset(); // the hash is that of other chunks
    warnOfLostProperties(plan, /*keepsNodes=*/to.isComplete, diags);
    stage("lift to a program and schedule it");
    FailureOr<ExecPlan> steps =
        liftFromMscclpp(plan, to.hasDialects ? request.dialect : nullptr, diags);
    return failed(steps) ? diags.fail(Failure::Unfit) : convert(std::move(*steps));
  }
  write(to.mscclpp, plan);
  return proveResult();
}

LogicalResult Conversion::splitFused(ExecPlan &plan) {
  stage("split fused receives");
  PassContext context(diags);
  FailureOr<ExecPlan> lowered = lowerFused(std::move(plan), context);
  if (failed(lowered))
    return diags.fail(Failure::Defect);
  plan = std::move(*lowered);
  return success();
}

/// Moves the waits of reductions that the runtime merges before the first of them. A plan that
/// exceeds a limit of the runtime with these steps keeps its waits.
LogicalResult Conversion::gather(ExecPlan &plan) {
  stage("gather waits");
  PassContext context(diags);
  FailureOr<ExecPlan> gathered = gatherWaits(ExecPlan(plan), context);
  if (failed(gathered))
    return diags.fail(Failure::Defect);
  DiagnosticEngine unheard;
  if (succeeded(checkMscclLimits(*gathered, *request.dialect, unheard)))
    plan = std::move(*gathered);
  return success();
}

/// Adapts a plan to the runtime of a dialect.
LogicalResult Conversion::fit(Compiled &compiled) {
  const MscclDialect &dialect = *request.dialect;
  ArrayRef<Step> steps = compiled.plan.steps();
  const bool splits = to.splitsFused(&dialect) && llvm::any_of(steps, [](const Step &step) {
                        return traits(step.op).isFusedReceive();
                      });
  const bool gathers = request.gathersWaits && (splits || llvm::any_of(steps, [](const Step &step) {
                                                  return step.op == OpKind::Reduce && step.waits();
                                                }));
  if ((splits && failed(splitFused(compiled.plan))) || (gathers && failed(gather(compiled.plan))))
    return failure();
  if ((splits || gathers) && compiled.report) {
    const std::optional<uint64_t> hash = compiled.report->reductionHash;
    // The input was verified, so an error now is a defect of the tool.
    if (failed(prove(compiled, Slots::unlimited())))
      return diags.fail(Failure::Defect);
    if (compiled.report->reductionHash != hash)
      return diags.error({}, "the adaptation to the runtime changes the reduction order")
          .as(Failure::Defect);
  }
  stage("fit to the runtime");
  if (failed(fitToRuntime(compiled, dialect, UnsafeSizes::Cut, diags)))
    return diags.fail(Failure::Unfit);
  return success();
}

/// Restricts a proved plan to the sizes at which it completes on its target. If that is not found,
/// or has changed, the plan keeps its range.
LogicalResult Conversion::fitToTarget(Compiled &compiled) {
  const ProgramInfo &info = compiled.plan.info();
  if (!compiled.report || info.target.empty() || compiled.plan.maxCount() == 1)
    return success();
  DiagnosticEngine unheard;
  FailureOr<Machine> machine = loadTargetOf(info, request.targetDir, {}, unheard);
  if (succeeded(machine) && failed(fitSizes(compiled, *machine, UnsafeSizes::Cut, diags)))
    return diags.fail(Failure::Unfit);
  return success();
}

LogicalResult Conversion::prove(Compiled &compiled, Slots slots) {
  stage("prove");
  compiled.report = verifyPlan(compiled.plan, slots, diags);
  Verdict verdict = compiled.report->verdict;
  return verdict == Verdict::Ok ? success() : diags.fail(failureOf(verdict));
}

template <class Plan> void Conversion::write(const PlanCodec<Plan> &codec, const Plan &plan) {
  stage("write");
  llvm::raw_string_ostream os(bytes);
  codec.write(plan, {request.dialect, /*locations=*/true}, os);
}

/// Reads the output like its users.
LogicalResult Conversion::proveResult() {
  if (!request.prove)
    return success();
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
  if (verdict == Verdict::Ok)
    return success();
  return diags.fail(verdict == Verdict::Unsupported ? Failure::Unfit : Failure::Defect);
}
} // namespace

FailureOr<std::string> cclc::convertPlan(ConvertiblePlan plan, const ConvertRequest &request,
                                         DiagnosticEngine &diags) {
  Conversion conversion(request, diags);
  auto convert = [&](auto &each) { return conversion.convert(std::move(each)); };
  if (failed(std::visit(convert, plan)))
    return failure();
  return conversion.takeBytes();
}

FailureOr<std::string> cclc::convertText(StringRef text, StringRef fileName,
                                         const ConvertRequest &request, DiagnosticEngine &diags) {
  if (request.onStage)
    request.onStage("read");
  if (const PlanFormat *from = sniffPlanFormat(text); from && from->mscclpp.read) {
    Verdict why = Verdict::Malformed;
    FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, fileName, diags, &why);
    if (succeeded(plan))
      return convertPlan(std::move(*plan), request, diags);
    return diags.fail(failureOf(why));
  }
  FailureOr<AnyPlan> plan = readAnyPlan(text, fileName, diags);
  if (failed(plan))
    return failure();
  return std::visit([&](auto &each) { return convertPlan(std::move(each), request, diags); },
                    *plan);
}
