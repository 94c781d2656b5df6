#include "Commands.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Views/Report/Why.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

/// Reads the plan, which may be wrong.
static FailureOr<ExecPlan> readAnswered(const SimArguments &args, DiagnosticEngine &diags) {
  const std::string &path = args.files.front();
  auto file = openPlanFile(path, diags);
  if (failed(file))
    return failure();
  const PlanFormat *format = sniffPlanFormat((*file)->getBuffer());
  if (format && format->mscclpp.read)
    return diags.error({}, "the provenance of a cell needs a plan of steps, not one of MSCCL++: "
                           "convert the plan with cclc convert");
  return readPlan((*file)->getBuffer(), planFileName(path), diags);
}

ExitCode cclc::runWhy(const SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  FailureOr<ExecPlan> plan = readAnswered(args, diags);
  if (failed(plan))
    return ExitCode::Unusable;
  std::optional<CellName> cell = parseCellName("CELL", args.cell, diags);
  if (!cell)
    return ExitCode::Unusable;
  progress.stage("verify");
  FailureOr<WhyAnswers> found = answerWhy(*plan, *cell, args.slots, diags);
  progress.clear();
  if (failed(found))
    return ExitCode::Unusable;
  ArrayRef<Why> answers = found->answers;
  auto write = [&](raw_ostream &os) { writeWhyJson(found->verdict, answers, os); };
  if (args.json && failed(writeFile(*args.json, write, diags)))
    return ExitCode::Unusable;
  for (size_t i = 0; args.summarise && i < answers.size(); ++i) {
    llvm::outs() << (i ? "\n" : "");
    answers[i].print(llvm::outs());
  }
  llvm::outs().flush();
  return found->verdict == Verdict::Ok ? ExitCode::Success : ExitCode::Wrong;
}
