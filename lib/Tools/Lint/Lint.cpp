//===- Lint.cpp - Static checks of files and folders ----------------------===//
//
// The rules are those of the runtime that loads the files: that of a folder of a portfolio, or the
// one whose form the files have.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/Lint.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;

static ArrayRef<std::string> filesOf(const LintResult &found) { return found.files; }
static ArrayRef<std::string> filesOf(const MscclppLintResult &found) { return found.paths; }

std::vector<LintFinding> LintedSet::findings() const {
  if (!result)
    return {};
  return std::visit([](const auto &found) { return findingsOf(found); }, *result);
}

void LintedSet::print(raw_ostream &os) const {
  if (runtime)
    os << runtime->name << " (" << runtime->product << "): " << counted(files.size(), "file")
       << '\n';
  if (result && !files.empty())
    std::visit([&](const auto &found) { printLint(found, os); }, *result);
  if (!result)
    for (const PortfolioGap &gap : gaps)
      os << "note: " << gap.text() << '\n';
}

void LintedSet::writeJson(raw_ostream &os) const {
  std::visit([&](const auto &found) { writeLintJson(found, os); }, *result);
}

/// Whether all \p files are right plans of steps.
static std::optional<Failure> proveAll(ArrayRef<std::string> files, DiagnosticEngine &diags) {
  std::optional<Failure> failure;
  for (const std::string &file : files) {
    FailureOr<ExecPlan> plan = readPlanFile(file, diags);
    if (failed(plan))
      return Failure::Unusable;
    if (verifyPlan(*plan, plan->slots().value_or(defaultSlots), diags, ReductionHash::Omit)
            .verdict != Verdict::Ok)
      failure = Failure::Wrong;
  }
  return failure;
}

/// A set with a result, and the sizes that none of its files serves.
template <class Result> static LintedSet setOf(Result found, ArrayRef<PortfolioGap> gaps = {}) {
  for (const PortfolioGap &gap : gaps)
    found.notes.push_back(gap.text());
  LintedSet set;
  set.files = filesOf(found).vec();
  if (!found.complete)
    set.failure = Failure::Unusable;
  else if (!found.isRight())
    set.failure = Failure::Wrong;
  set.result = std::move(found);
  return set;
}

/// Lints the files of a runtime with its rules.
static LintedSet lintFolder(const RuntimeFolder &folder, DiagnosticEngine &diags) {
  const Runtime &runtime = *folder.runtime;
  LintedSet set;
  if (runtime.form == RuntimeForm::Xml)
    set = setOf(lintFiles(folder.files, runtime.name.str(), diags), folder.gaps);
  else if (runtime.form == RuntimeForm::Mscclpp)
    set = setOf(lintMscclppFiles(folder.files, diags), folder.gaps);
  else if (runtime.form == RuntimeForm::Steps)
    set.failure = proveAll(folder.files, diags);
  else if (runtime.form == RuntimeForm::Choices && failed(checkChoices(folder, diags)))
    set.failure = diags.failure();
  if (!set.result)
    set.files = folder.files;
  set.runtime = &runtime;
  set.gaps = folder.gaps;
  return set;
}

FailureOr<std::vector<LintedSet>> cclc::lint(ArrayRef<std::string> paths,
                                             const std::optional<std::string> &dialect,
                                             DiagnosticEngine &diags) {
  std::vector<LintedSet> sets;
  if (paths.size() == 1 && isPortfolio(paths.front())) {
    FailureOr<std::vector<RuntimeFolder>> folders = foldersOfPortfolio(paths.front(), diags);
    if (failed(folders))
      return failure();
    for (const RuntimeFolder &folder : *folders)
      sets.push_back(lintFolder(folder, diags));
  } else if (!arePlansOfMscclpp(paths)) {
    sets.push_back(setOf(lintFiles(paths, dialect, diags)));
  } else if (dialect) {
    return diags.error({}, "--xml-dialect does not apply to plans of MSCCL++");
  } else {
    sets.push_back(setOf(lintMscclppFiles(paths, diags)));
  }
  return sets;
}
