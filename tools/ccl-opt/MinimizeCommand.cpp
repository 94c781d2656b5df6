//===- MinimizeCommand.cpp - ccl-opt --minimize ---------------------------===//
//
// Builds the test for interesting plans, by the failure of the whole plan or by the exit code of a
// command, and passes it to the delta debugging of lib/Proof/Minimize. A command gets each
// candidate as a file in a temporary folder.
//
//===----------------------------------------------------------------------===//

#include "MinimizeCommand.h"

#include "cclc/Support/Temporary.h"
#include "cclc/Support/Text.h"
#include "cclc/Tools/Cli/Output.h"

#include "cclc/IR/Text/Printer.h"
#include "cclc/Proof/Minimize/PlanFailure.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
std::string sizeOf(const ExecPlan &plan) {
  return counted(plan.steps().size(), "step") + " on " + counted(plan.ranks(), "rank");
}

/// Whether \p command succeeds for the plan in \p file.
bool succeeds(StringRef command, StringRef file) {
  std::string script = (command + " \"$1\"").str();
  StringRef arguments[] = {"/bin/sh", "-c", script, "sh", file};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(), StringRef()};
  return llvm::sys::ExecuteAndWait("/bin/sh", arguments, std::nullopt, redirects) == 0;
}
} // namespace

std::variant<ExecPlan, ExitCode> cclc::minimizeFailingPlan(const ExecPlan &plan,
                                                           const MinimizeRequest &request,
                                                           DiagnosticEngine &diags) {
  Progress progress("ccl-opt");
  Slots slots = request.slots.value_or(plan.slots().value_or(defaultSlots));
  InterestingTest isInteresting;
  std::string kind;
  std::optional<PlanFailure> failure;
  TemporaryFolder folder;
  TemporaryPath file(folder / "reduced.ccl");
  auto writeCandidate = [&](const ExecPlan &part) {
    return writeFile(file.str(), [&](raw_ostream &os) { print(os, part, {}); }, diags);
  };
  bool written = true;
  if (request.test) {
    if (failed(folder.create(diags)))
      return ExitCode::Unusable;
    isInteresting = [&](const MinimizedPlan &part) {
      written &= succeeded(writeCandidate(part.plan));
      return written && succeeds(*request.test, file.str());
    };
    if (failed(writeCandidate(plan)))
      return ExitCode::Unusable;
    if (!succeeds(*request.test, file.str())) {
      diags.error({}, "'" + *request.test +
                          "' fails for the whole plan: it has to exit with 0 for plans to keep");
      return ExitCode::Unusable;
    }
    kind = "accepted by the test";
  } else {
    DiagnosticEngine found;
    failure = PlanFailure::find(plan, slots, found);
    if (!failure) {
      diags.error({}, formatv("nothing to minimize: the plan is correct with {0}; select another "
                              "number with --slots N, or another test with --minimize-test COMMAND",
                              slots.phrase()));
      return ExitCode::Wrong;
    }
    isInteresting = [&](const MinimizedPlan &part) { return failure->isIn(part); };
    kind = ("with the same " + verdictName(failure->verdict())).str();
  }
  MinimizedPlan reduced = minimizePlan(plan, isInteresting, [&](const MinimizedPlan &part) {
    progress.stage(sizeOf(part.plan));
    if (request.onSmaller)
      request.onSmaller(part.plan);
  });
  progress.clear();
  if (!written)
    return ExitCode::Unusable;
  llvm::errs() << "ccl-opt: from " << sizeOf(plan) << " to " << sizeOf(reduced.plan) << ", " << kind
               << '\n';
  return std::move(reduced.plan);
}
