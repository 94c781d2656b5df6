//===- CclSim.cpp - The command line of ccl-sim ---------------------------===//
//
// Runs the chosen command. Without one, reads a plan and simulates it in the way of its kind.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"

using namespace cclc;

/// Simulates few ranks in place of all, if that is requested and possible.
static ExitCode runRolled(SimArguments &args, const RolledPlan &plan, Progress &progress,
                          DiagnosticEngine &diags) {
  std::string fault;
  if (args.foldsPlan(plan.totalSteps())) {
    if (std::optional<ExitCode> code = runFolded(args, plan, fault, progress, diags))
      return *code;
    fault = "the plan is not simulated on few ranks: " + fault;
    if (args.rolled == "on") {
      diags.error({}, fault);
      return ExitCode::Unusable;
    }
  }
  FailureOr<ExecPlan> all = unroll(plan, diags);
  if (failed(all) && !fault.empty())
    diags.note({}, fault);
  return failed(all) ? ExitCode::Unusable
                     : runSteps(args, *all, formOfUnrolled(plan), progress, diags);
}

static ExitCode simulatePlan(SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  if (isMscclppSet(args.files))
    return runMscclppSet(args, progress, diags);
  FailureOr<std::string> path = args.onlyPlan(diags);
  if (failed(path))
    return ExitCode::Unusable;
  progress.stage("read " + *path);
  auto file = openPlanFile(*path, diags);
  if (failed(file))
    return ExitCode::Unusable;
  const PlanFormat *format = sniffPlanFormat((*file)->getBuffer());
  if (format && format->mscclpp.read)
    return runMscclpp(args, (*file)->getBuffer(), progress, diags);
  FailureOr<AnyPlan> plan = readAnyPlan((*file)->getBuffer(), planFileName(*path), diags);
  if (failed(plan))
    return ExitCode::Unusable;
  file->reset();
  if (auto *rolled = std::get_if<RolledPlan>(&*plan))
    return runRolled(args, *rolled, progress, diags);
  if (args.rolled == "on") {
    diags.error({}, "--rolled=on requires a rolled plan: compile it with cclc --rolled=on");
    return ExitCode::Unusable;
  }
  const auto &ofAll = std::get<ExecPlan>(*plan);
  return runSteps(args, ofAll, findRolledForm(ofAll), progress, diags);
}

static ExitCode run(SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  if (failed(args.read(diags)))
    return ExitCode::Unusable;
  switch (args.command) {
  case SimCommand::Simulate:
    return simulatePlan(args, progress, diags);
  case SimCommand::Verify:
    return runVerify(args, progress, diags);
  case SimCommand::Lint:
    return runLint(args, progress, diags);
  case SimCommand::Why:
    return runWhy(args, progress, diags);
  case SimCommand::Dma:
    return runDma(args, diags);
  case SimCommand::Concurrent:
    return runConcurrent(args, progress, diags);
  }
  llvm_unreachable("all commands are handled");
}

int main(int argc, char **argv) {
  return guarded("ccl-sim", [&] {
    SimArguments args(argv[0]);
    if (std::optional<int> code = args.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    Progress progress("ccl-sim");
    DiagnosticEngine diags;
    ExitCode code = run(args, progress, diags);
    progress.clear();
    report(diags, "ccl-sim", args.format, args.files);
    return code;
  });
}
