//===- LintCommand.cpp - ccl-sim lint -------------------------------------===//
//
// The checks are those of Tools/Lint. Their results are written in all forms.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "cclc/Tools/Lint/Lint.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

/// Writes the result of files that are loaded together.
static LogicalResult write(const LintedSet &set, const SimArguments &args,
                           DiagnosticEngine &diags) {
  const std::vector<LintFinding> findings = set.findings();
  auto writeSarif = [&](raw_ostream &os) { writeLintSarif(findings, diags, set.files, os); };
  if (set.result && args.sarif && failed(writeFile(*args.sarif, writeSarif, diags)))
    return failure();
  auto writeJson = [&](raw_ostream &os) { set.writeJson(os); };
  if (set.result && args.json && failed(writeFile(*args.json, writeJson, diags)))
    return failure();
  if (args.summarise) {
    set.print(llvm::outs());
    llvm::outs().flush();
  }
  if (args.format != MessageForm::Text)
    addFindings(findings, !set.failure, diags);
  return success();
}

ExitCode cclc::runLint(SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  progress.stage("lint");
  FailureOr<std::vector<LintedSet>> sets = lint(args.files, args.dialect, diags);
  progress.clear();
  if (failed(sets))
    return exitCodeOf(diags.failure());
  if (sets->size() > 1 && (args.json || args.sarif)) {
    diags.error({}, "--json and --sarif take the folder of one runtime: " +
                        llvm::sys::path::parent_path(sets->front().files.front()));
    return ExitCode::Unusable;
  }
  if (!sets->front().runtime)
    args.files = sets->front().files;
  ExitCode worst = ExitCode::Success;
  for (const LintedSet &set : *sets) {
    if (failed(write(set, args, diags)))
      return ExitCode::Unusable;
    if (set.failure)
      worst = std::max(worst, exitCodeOf(*set.failure));
  }
  return worst;
}
