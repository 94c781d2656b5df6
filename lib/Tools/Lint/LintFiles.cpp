//===- LintFiles.cpp - The lint of XML files ------------------------------===//
//
// Lints each file for the runtimes, verifies it with unlimited slots, and derives from the proof
// the runtimes and sizes at which it would hang for lack of slots. Then checks the set of files:
// ranges of sizes, and the number of algorithms that a runtime can load.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/LintFiles.h"

#include "cclc/Tools/Lint/LintFolder.h"

#include "cclc/Compiler/SafeSizes.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace cclc;
using llvm::formatv;
namespace fs = llvm::sys::fs;

MscclVerdict LintResult::worst(size_t dialect) const {
  MscclVerdict worst = MscclVerdict::Loads;
  for (const MscclLint &lint : lints)
    worst = std::max(worst, lint.verdicts[dialect]);
  return worst;
}

bool LintResult::isRight() const {
  bool loads = llvm::any_of(dialects, [&](size_t d) { return worst(d) == MscclVerdict::Loads; });
  return complete && loads &&
         llvm::all_of(proofs, [](const Proof &proof) { return proof.verdict == Verdict::Ok; });
}

namespace {
class LintRun {
public:
  LintRun(LintResult &report, DiagnosticEngine &diags) : report(report), diags(diags) {}

  LogicalResult add(const std::string &path);
  void compare();

private:
  LogicalResult addFolder(const std::string &path);
  LogicalResult addFile(const std::string &path);
  LintResult::Proof prove(StringRef text, StringRef name, MscclLint &lint);
  void findHangs(const ExecPlan &plan, const LintResult::Proof &proof, MscclLint &lint);
  void countAlgorithms(size_t dialect);
  void noteSelection();

  LintResult &report;
  DiagnosticEngine &diags;
  const PlanFormat &xml = *findPlanFormat("xml");
};

LogicalResult LintRun::add(const std::string &path) {
  return fs::is_directory(path) ? addFolder(path) : addFile(path);
}

LogicalResult LintRun::addFolder(const std::string &path) {
  FailureOr<FolderFiles> inside = filesOfFolder(path, xml.extensions, diags);
  if (failed(inside))
    return failure();
  LogicalResult all = success();
  for (const std::string &file : inside->plans)
    if (failed(addFile(file)))
      all = failure();
  bool loadsAll =
      llvm::any_of(report.dialects, [](size_t d) { return mscclDialects()[d].hasOutOfPlace; });
  if (!inside->others.empty() && loadsAll)
    report.notes.push_back("rccl and msccl-executor load every file of their folder and fail at a "
                           "file that is not XML: " +
                           inside->others.front());
  return all;
}

LogicalResult LintRun::addFile(const std::string &path) {
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  std::string name = planFileName(path).str();
  StringRef text = (*buffer)->getBuffer();
  const PlanFormat *format = sniffPlanFormat(text);
  if (!text.contains('<') || (format && format != &xml))
    return diags.error({name}, "not MSCCL XML: lint checks files of the MSCCL runtimes");
  report.files.push_back(name);
  MscclLint lint = lintMsccl(text);
  report.proofs.push_back(prove(text, name, lint));
  report.lints.push_back(std::move(lint));
  return success();
}

/// Adds \p finding for one dialect, merging it with an earlier one of the same text.
static void addFinding(MscclLint &lint, size_t dialect, MscclFinding finding) {
  lint.verdicts[dialect] = std::max(lint.verdicts[dialect], finding.verdict);
  for (MscclFinding &other : lint.findings)
    if (other.text == finding.text && other.remedy == finding.remedy) {
      other.dialects.set(dialect);
      return;
    }
  finding.dialects.set(dialect);
  lint.findings.insert(lint.findings.begin(), std::move(finding));
}

/// Finds deadlocks and sizes for which a runtime has too few slots.
void LintRun::findHangs(const ExecPlan &plan, const LintResult::Proof &proof, MscclLint &lint) {
  Protocol protocol = plan.info().protocol;
  for (size_t d = 0; d < lint.verdicts.size(); ++d) {
    const MscclDialect &dialect = mscclDialects()[d];
    uint32_t slots = dialect.transmissionsOf(protocol).slots;
    MscclFinding finding{MscclVerdict::Misreads, {}, 1, 1, "", "", 0};
    if (proof.slotsNeeded.value_or(0) > slots) {
      finding.text = formatv("{0} slots needed, but with {1} there are {2} messages in flight on a "
                             "connection: it hangs",
                             *proof.slotsNeeded, protocolName(protocol), slots);
      finding.remedy = formatv("compile with --slots {0}", slots);
      addFinding(lint, d, finding);
      continue;
    }
    std::optional<MscclRange> sizes = lint.use->sizes(dialect);
    if (proof.verdict != Verdict::Ok || !sizes)
      continue;
    const Transmissions moves = transmissionsOf(dialect, plan.info());
    std::optional<uint64_t> safe = largestSafe(plan, moves, proof.slotsNeeded);
    if (!safe)
      continue;
    // In the unit of maxBytes in the file.
    uint64_t largest = *safe / MscclDialect::sizeDivisor(plan.info().collective);
    if (sizes->to && *sizes->to <= largest)
      continue;
    finding.text =
        formatv("it hangs at sizes above {0} bytes, where {1}", largest, whyUnsafe(plan, moves));
    finding.remedy = formatv("set maxBytes to at most {0}", largest + dialect.exclusiveMax);
    addFinding(lint, d, finding);
  }
}

/// Verifies the plan with unlimited slots; the slots of each runtime are checked separately.
LintResult::Proof LintRun::prove(StringRef text, StringRef name, MscclLint &lint) {
  LintResult::Proof proof{Verdict::Malformed, {}, {}, ""};
  DiagnosticEngine found;
  FailureOr<ExecPlan> plan = readPlan(text, name, found);
  if (succeeded(plan)) {
    PlanProof report = verifyPlan(*plan, Slots::unlimited(), found, ReductionHash::Omit);
    proof.verdict = report.verdict;
    proof.slotsNeeded = report.slotsNeeded;
    findHangs(*plan, proof, lint);
  }
  for (const Diagnostic &diagnostic : found.all())
    if (diagnostic.severity == Severity::Error && proof.error.empty()) {
      proof.loc = diagnostic.loc.isKnown() ? diagnostic.loc : Location{name.str()};
      proof.error = diagnostic.text;
    }
  return proof;
}

/// Notes what runtimes do not compare when they select one of the files.
void LintRun::noteSelection() {
  const bool ignoresRoot =
      llvm::any_of(report.dialects, [](size_t d) { return mscclDialects()[d].hasOutOfPlace; });
  auto isRooted = [](const MscclLint &lint) {
    return lint.use && (lint.use->collective == "broadcast" || lint.use->collective == "reduce" ||
                        lint.use->collective == "gather" || lint.use->collective == "scatter");
  };
  auto rooted = llvm::find_if(report.lints, isRooted);
  if (ignoresRoot && rooted != report.lints.end())
    report.notes.push_back(formatv("rccl and msccl-executor do not compare the root: {0} executes "
                                   "a {1} from every root as from its own",
                                   report.files[rooted - report.lints.begin()],
                                   rooted->use->collective));
}

/// Checks the files as a set.
void LintRun::compare() {
  noteSelection();
  if (report.files.size() < 2)
    return;
  for (size_t d : report.dialects) {
    countAlgorithms(d);
    for (SizeRanges &table : sizeRanges(report.lints, mscclDialects()[d]))
      report.sizes.push_back(std::move(table));
  }
}

/// Reports files beyond the limit of a runtime. microsoft/msccl does not count files for other
/// numbers of ranks.
void LintRun::countAlgorithms(size_t dialect) {
  const MscclDialect &runtime = mscclDialects()[dialect];
  std::map<int64_t, std::vector<size_t>> loaded;
  for (size_t f = 0; f < report.files.size(); ++f)
    if (report.lints[f].use && report.lints[f].verdicts[dialect] != MscclVerdict::Refuses)
      loaded[runtime.checksSizes ? report.lints[f].use->ranks : 0].push_back(f);
  for (const auto &[ranks, files] : loaded)
    if (files.size() > runtime.algorithms)
      report.notes.push_back(formatv(
          "{0} loads {1} algorithms{2}, but there are {3}: it ignores {4} and the following ones",
          runtime.name, runtime.algorithms, ranks ? formatv(" for {0} ranks", ranks).str() : "",
          files.size(), report.files[files[runtime.algorithms]]));
}
} // namespace

LintResult cclc::lintFiles(ArrayRef<std::string> paths, const std::optional<std::string> &dialect,
                           DiagnosticEngine &diags) {
  LintResult report;
  for (size_t d = 0; d < mscclDialects().size(); ++d)
    if (!dialect || *dialect == mscclDialects()[d].name)
      report.dialects.push_back(d);
  LintRun run(report, diags);
  for (const std::string &path : paths)
    if (failed(run.add(path)))
      report.complete = false;
  run.compare();
  return report;
}
