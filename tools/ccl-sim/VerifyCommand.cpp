//===- VerifyCommand.cpp - ccl-sim verify ---------------------------------===//
//
// The rows of sizes are printed as soon as they are proved, everything else at the end of a plan.
// If the memory is exhausted, the report says so, and has no result for any size.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

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
  Verification(const SimArguments &args, const std::string &path, Progress &progress,
               DiagnosticEngine &diags)
      : args(args), path(path), progress(progress), diags(diags) {}

  /// Proves the plan and prints the result. Fails if there is none; a malformed file has one.
  FailureOr<ProvedPlan> run() {
    try {
      progress.stage("read " + path);
      if (failed(read()))
        return failure();
    } catch (const MemoryExceeded &exceeded) {
      diags.error({}, exceeded.text());
      found = resultOf(Verdict::Unsupported);
    }
    progress.clear();
    if (args.summarise)
      printProof(found, llvm::outs());
    return found;
  }

private:
  ProvedPlan resultOf(Verdict verdict) const {
    ProvedPlan result{path, {}, {}, verdict, {}};
    result.proof.verdict = verdict;
    return result;
  }

  LogicalResult read() {
    found.slots = args.slots.value_or(defaultSlots);
    auto file = openPlanFile(path, diags);
    if (failed(file))
      return success();
    StringRef text = (*file)->getBuffer(), name = planFileName(path);
    const PlanFormat *format = sniffPlanFormat(text);
    if (format && format->mscclpp.read)
      return proveMscclpp(text, name);
    FailureOr<AnyPlan> plan = readAnyPlan(text, name, diags);
    file->reset();
    if (failed(plan))
      return success();
    auto *all = std::get_if<ExecPlan>(&*plan);
    std::optional<Machine> machine;
    if (usesMachine()) {
      FailureOr<Machine> loaded =
          args.loadMachine(all ? &all->info() : &std::get<RolledPlan>(*plan).info, diags);
      if (failed(loaded))
        return failure();
      machine.emplace(std::move(*loaded));
    }
    const Machine *target = machine ? &*machine : nullptr;
    return all ? prove(*all, target) : proveRolled(std::get<RolledPlan>(*plan), target);
  }

  /// Without sizes, the largest safe one is reported.
  bool usesMachine() const { return args.target || args.givenSizes.areNamed(); }

  /// A plan whose proof needs the order of accesses through other ranks, or the limits of a
  /// machine, is unrolled.
  LogicalResult proveRolled(const RolledPlan &plan, const Machine *target) {
    if (!target) {
      progress.stage("verify");
      Slots slots = args.slots.value_or(plan.info.slots.value_or(defaultSlots));
      DiagnosticEngine ofRolled;
      PlanProof proof = verifyRolled(plan, slots, ofRolled);
      if (proof.verdict != Verdict::Unsupported) {
        diags.append(std::move(ofRolled));
        found = ProvedPlan{path, proof, slots, proof.verdict, {}};
        return success();
      }
    }
    FailureOr<ExecPlan> all = unroll(plan, diags);
    return failed(all) ? failure() : prove(*all, target);
  }

  LogicalResult proveMscclpp(StringRef text, StringRef name) {
    if (args.givenSizes.areNamed())
      return diags.error({}, "a plan of MSCCL++ is proved without sizes: omit --bytes and --sweep");
    if (args.target || args.slots)
      return diags.error({}, "a plan of MSCCL++ has no slots, and it is proved without a target");
    progress.stage("verify");
    PlanProof proof = mscclpp::verifyFile(text, name, diags);
    found = ProvedPlan{path, proof, std::nullopt, proof.verdict, {}};
    return success();
  }

  LogicalResult prove(const ExecPlan &plan, const Machine *target) {
    progress.stage("verify");
    auto print = [&](const Safety &safety) {
      progress.clear();
      if (args.summarise)
        printLastRow(found, safety, llvm::outs());
    };
    ArrayRef<uint64_t> sizes = args.givenSizes.areNamed() ? ArrayRef(args.sizes) : std::nullopt;
    ProofRequest proof{target, args.slots, sizes, args.type, print};
    return proveWithSizes(plan, proof, found, diags);
  }

  const SimArguments &args;
  const std::string &path;
  Progress &progress;
  DiagnosticEngine &diags;
  ProvedPlan found = resultOf(Verdict::Malformed);
};
} // namespace

ExitCode cclc::runVerify(const SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  std::vector<ProofReport> reports;
  ExitCode code = ExitCode::Success;
  for (const std::string &path : args.files) {
    DiagnosticEngine found;
    FailureOr<ProvedPlan> plan = Verification(args, path, progress, found).run();
    Location where; // of a single plan, errors about all of it have none
    if (args.files.size() > 1)
      where.file = path;
    diags.append(found, where);
    if (failed(plan))
      return ExitCode::Unusable;
    if (plan->verdict != Verdict::Ok)
      code = std::max(code, exitCodeOf(failureOf(plan->verdict)));
    reports.push_back({std::move(*plan), std::move(found)});
  }
  auto write = [&](raw_ostream &os) { writeProofJson(reports, os); };
  if (args.json && failed(writeFile(*args.json, write, diags)))
    return ExitCode::Unusable;
  return code;
}
