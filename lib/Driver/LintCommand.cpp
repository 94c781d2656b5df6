#include "LintCommand.h"

#include "cclc/Emit/PlanFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace cclc;
using llvm::formatv;
namespace fs = llvm::sys::fs;

MscclVerdict LintReport::worst(size_t dialect) const {
  MscclVerdict worst = MscclVerdict::Loads;
  for (const MscclLint &lint : lints)
    worst = std::max(worst, lint.verdicts[dialect]);
  return worst;
}

bool LintReport::isRight() const {
  bool loads = llvm::any_of(dialects, [&](size_t d) { return worst(d) == MscclVerdict::Loads; });
  return loads &&
         llvm::all_of(proofs, [](const Proof &proof) { return proof.verdict == Verdict::Ok; });
}

namespace {
class LintRun {
public:
  LintRun(LintReport &report, DiagnosticEngine &diags) : report(report), diags(diags) {}

  LogicalResult add(const std::string &path);
  void compare();

private:
  LogicalResult addFolder(const std::string &path);
  LogicalResult addFile(const std::string &path);
  LintReport::Proof prove(StringRef text, StringRef name, MscclLint &lint);
  void countAlgorithms(size_t dialect);

  LintReport &report;
  DiagnosticEngine &diags;
};

LogicalResult LintRun::add(const std::string &path) {
  return fs::is_directory(path) ? addFolder(path) : addFile(path);
}

LogicalResult LintRun::addFolder(const std::string &path) {
  std::error_code error;
  std::vector<std::string> inside;
  std::string stray;
  for (fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    if (fs::is_directory(it->path()))
      continue;
    if (StringRef(it->path()).ends_with(".xml"))
      inside.push_back(it->path());
    else if (stray.empty() || it->path() < stray)
      stray = it->path();
  }
  if (error)
    return diags.error({}, "cannot read '" + path + "': " + error.message());
  if (inside.empty())
    return diags.error({}, "no file of folder '" + path + "' ends in .xml");
  llvm::sort(inside);
  for (const std::string &file : inside)
    if (failed(addFile(file)))
      return failure();
  bool loadsAll =
      llvm::any_of(report.dialects, [](size_t d) { return mscclDialects()[d].hasOutOfPlace; });
  if (!stray.empty() && loadsAll)
    report.notes.push_back("rccl and msccl-executor load every file of their folder and fail at "
                           "one that is no XML: " +
                           stray);
  return success();
}

LogicalResult LintRun::addFile(const std::string &path) {
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  std::string name = planFileName(path).str();
  StringRef text = (*buffer)->getBuffer();
  if (!text.contains('<') || looksLikePlan(text) != text.trim().starts_with("<"))
    return diags.error({name}, "not MSCCL XML: --lint is about files of its runtimes");
  report.files.push_back(name);
  MscclLint lint = lintMsccl(text);
  report.proofs.push_back(prove(text, name, lint));
  report.lints.push_back(std::move(lint));
  return success();
}

/// With unlimited slots: what fewer of them do is the runtimes' affair.
LintReport::Proof LintRun::prove(StringRef text, StringRef name, MscclLint &lint) {
  LintReport::Proof proof{Verdict::Malformed, {}, {}, ""};
  DiagnosticEngine found;
  FailureOr<ExecPlan> plan = readPlan(text, name, found);
  if (succeeded(plan)) {
    PlanReport report = verifyPlan(*plan, Slots::unlimited(), found);
    proof.verdict = report.verdict;
    proof.slotsNeeded = report.slotsNeeded;
    uint32_t slots = mscclSlots(plan->info().protocol);
    if (proof.slotsNeeded.value_or(0) > slots) {
      MscclFinding finding{MscclVerdict::Misreads, {}, 1, 1, "", "compile it for that many", 0};
      finding.text = formatv("{0} slots needed, but with {1} there are {2} messages in flight on a "
                             "connection: it hangs",
                             *proof.slotsNeeded, protocolName(plan->info().protocol), slots);
      for (size_t d = 0; d < lint.verdicts.size(); ++d) {
        finding.dialects.set(d);
        lint.verdicts[d] = std::max(lint.verdicts[d], finding.verdict);
      }
      lint.findings.insert(lint.findings.begin(), finding);
    }
  }
  for (const Diagnostic &diagnostic : found.all())
    if (diagnostic.severity == Severity::Error && proof.error.empty()) {
      proof.loc = diagnostic.loc.isKnown() ? diagnostic.loc : Location{name.str()};
      proof.error = diagnostic.text;
    }
  return proof;
}

/// What the files are together.
void LintRun::compare() {
  if (report.files.size() < 2)
    return;
  for (size_t d : report.dialects) {
    countAlgorithms(d);
    for (SizeRanges &table : sizeRanges(report.lints, mscclDialects()[d]))
      report.sizes.push_back(std::move(table));
  }
}

/// microsoft/msccl ignores files for other numbers of ranks, and only then counts.
void LintRun::countAlgorithms(size_t dialect) {
  const MscclDialect &runtime = mscclDialects()[dialect];
  std::map<int64_t, std::vector<size_t>> loaded;
  for (size_t f = 0; f < report.files.size(); ++f)
    if (report.lints[f].use && report.lints[f].verdicts[dialect] != MscclVerdict::Refuses)
      loaded[runtime.checksSizes ? report.lints[f].use->ranks : 0].push_back(f);
  for (const auto &[ranks, files] : loaded)
    if (files.size() > runtime.algorithms)
      report.notes.push_back(formatv(
          "{0} holds {1} algorithms{2}, and there are {3}: it ignores {4} and those behind it",
          runtime.name, runtime.algorithms, ranks ? formatv(" for {0} ranks", ranks).str() : "",
          files.size(), report.files[files[runtime.algorithms]]));
}
} // namespace

FailureOr<LintReport> cclc::lintFiles(ArrayRef<std::string> paths,
                                      const std::optional<std::string> &dialect,
                                      DiagnosticEngine &diags) {
  LintReport report;
  for (size_t d = 0; d < mscclDialects().size(); ++d)
    if (!dialect || *dialect == mscclDialects()[d].name)
      report.dialects.push_back(d);
  LintRun run(report, diags);
  for (const std::string &path : paths)
    if (failed(run.add(path)))
      return failure();
  run.compare();
  return report;
}
