//===- Lint.cpp - Static checks of files ----------------------------------===//
//
// Errors of plans of steps and of tables are findings as well.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Support/Spelling.h"
#include "cclc/Tools/Api/Lint.h"
#include "cclc/Tools/Lint/Lint.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

namespace {
struct LintContent : ReportAccess::Content {
  std::vector<LintedSet> sets;

  void text(raw_ostream &os) const override {
    for (const LintedSet &set : sets)
      set.print(os);
  }
  void json(raw_ostream &os) const override {
    if (sets.size() == 1 && sets[0].result)
      sets[0].writeJson(os);
  }
};
} // namespace

Result<api::Lint> api::lint(const std::vector<std::string> &paths,
                            const std::optional<std::string> &dialect) {
  DiagnosticEngine diags;
  std::vector<std::string> dialects;
  for (const MscclDialect &each : mscclDialects())
    dialects.push_back(each.name);
  if (paths.empty())
    diags.error({}, "a lint needs a file or a folder");
  if (dialect && !llvm::is_contained(dialects, *dialect))
    diags.error({}, unknownWord("dialect of MSCCL XML", *dialect, dialects));
  if (diags.hasErrors())
    return Failed{diags};
  FailureOr<std::vector<LintedSet>> sets = cclc::lint(paths, dialect, diags);
  if (failed(sets))
    return Failed{diags};
  api::Lint lint{true, {}, {}};
  auto content = std::make_shared<LintContent>();
  content->sets = std::move(*sets);
  for (const LintedSet &set : content->sets) {
    if (set.failure == cclc::Failure::Unusable)
      return {api::Failure::Unusable, messagesOf(diags)};
    lint.right &= !set.failure;
    for (const cclc::LintFinding &each : set.findings())
      lint.findings.push_back({each.rule.str(),
                               static_cast<api::Severity>(each.severity),
                               {each.where.file, each.where.line, each.where.column},
                               each.text});
  }
  for (const Message &message : messagesOf(diags))
    lint.findings.push_back({"proof", message.severity, message.place, message.text});
  lint.report = ReportAccess::make(std::move(content));
  return lint;
}
