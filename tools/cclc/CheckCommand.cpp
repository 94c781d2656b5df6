//===- CheckCommand.cpp - cclc targets check ------------------------------===//
//
// The findings and their costs are those of Tools/MachineCheck.h.
//
//===----------------------------------------------------------------------===//

#include "CheckCommand.h"

#include "cclc/Target/Import/Import.h"
#include "cclc/Tools/MachineCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

void CheckCommand::addTo(CommandLine &verb, MessageForm &form) {
  messages = &form;
  verb.positional("FILE", file,
                  "a target file, or a file of another tool that 'cclc targets import' reads",
                  true);
  verb.option("--against", "NAME|FILE", against,
              "compare with a bundled target or a target file (default: with siblings)");
  verb.choice("--format", {"text", "github", "junit", "json"}, format,
              "print findings as text, as annotations of GitHub Actions, as a report of JUnit, or "
              "as JSON (default: text)");
}

ExitCode CheckCommand::run(const std::string &targetDir, DiagnosticEngine &diags) {
  if (format == "github" || format == "junit")
    *messages = format == "github" ? MessageForm::Github : MessageForm::Junit;
  FailureOr<CheckedMachine> checked = checkMachine(file, against, targetDir, diags);
  if (failed(checked))
    return ExitCode::Unusable;
  if (format == "json")
    checked->writeJson(llvm::outs());
  else if (*messages != MessageForm::Text)
    checked->addErrors(diags);
  else
    checked->print(llvm::outs());
  return checked->findings.empty() ? ExitCode::Success : ExitCode::Wrong;
}
