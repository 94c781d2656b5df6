#include "ReduceCommand.h"

#include "Output.h"
#include "Text.h"

#include "cclc/IR/Printer.h"
#include "cclc/Reduce/PlanFailure.h"

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

/// Candidates in a file that goes with this object.
class CandidateFile {
public:
  LogicalResult create(DiagnosticEngine &diags) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("reduced", "ccl", path))
      return diags.error({}, "cannot create a file for candidates: " + error.message());
    return success();
  }
  ~CandidateFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  LogicalResult write(const ExecPlan &plan, DiagnosticEngine &diags) const {
    return writeFile(path, [&](raw_ostream &os) { print(os, plan, {}); }, diags);
  }
  StringRef name() const { return path; }

private:
  llvm::SmallString<128> path;
};

/// Whether \p command succeeds for the plan in \p file.
bool succeeds(StringRef command, StringRef file) {
  std::string script = (command + " \"$1\"").str();
  StringRef arguments[] = {"/bin/sh", "-c", script, "sh", file};
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(), StringRef()};
  return llvm::sys::ExecuteAndWait("/bin/sh", arguments, std::nullopt, redirects) == 0;
}
} // namespace

std::variant<ExecPlan, ExitCode> cclc::reduceFailingPlan(const ExecPlan &plan,
                                                         const ReduceRequest &request,
                                                         DiagnosticEngine &diags) {
  Progress progress("ccl-opt");
  Slots slots = request.slots.value_or(plan.slots().value_or(defaultSlots));
  InterestingTest isInteresting;
  std::string kind;
  std::optional<PlanFailure> failure;
  CandidateFile file;
  bool written = true;
  if (request.test) {
    if (failed(file.create(diags)))
      return ExitCode::Unusable;
    isInteresting = [&](const ReducedPlan &part) {
      written &= succeeded(file.write(part.plan, diags));
      return written && succeeds(*request.test, file.name());
    };
    if (failed(file.write(plan, diags)))
      return ExitCode::Unusable;
    if (!succeeds(*request.test, file.name())) {
      diags.error({}, "'" + *request.test +
                          "' does not succeed for the whole plan: it has to exit "
                          "with 0 for plans that are interesting");
      return ExitCode::Unusable;
    }
    kind = "accepted by the test";
  } else {
    DiagnosticEngine found;
    failure = PlanFailure::find(plan, slots, found);
    if (!failure) {
      diags.error({}, formatv("nothing to cut down: the plan is right with {0}; --slots N takes "
                              "another number, --reduce-test COMMAND another test",
                              slots.phrase()));
      return ExitCode::Wrong;
    }
    isInteresting = [&](const ReducedPlan &part) { return failure->isIn(part); };
    kind = ("with the same " + verdictName(failure->verdict())).str();
  }
  ReducedPlan reduced = reducePlan(
      plan, isInteresting, [&](const ReducedPlan &part) { progress.stage(sizeOf(part.plan)); });
  progress.clear();
  if (!written)
    return ExitCode::Unusable;
  llvm::errs() << "ccl-opt: from " << sizeOf(plan) << " to " << sizeOf(reduced.plan) << ", " << kind
               << '\n';
  return std::move(reduced.plan);
}
