//===- MscclppLint.cpp - Plans of MSCCL++ as a set ------------------------===//
//
// A runtime selects the first of its plans whose collective, ranks, placement and range of sizes
// match, in the order of hashes of their names. Its executor keeps contexts by name.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Lint/MscclppLint.h"

#include "cclc/Tools/Lint/LintFolder.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/Data/BufferLayout.h"
#include "cclc/Sim/Mscclpp/SizedPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;
namespace fs = llvm::sys::fs;

bool MscclppLintResult::isRight() const {
  return complete && errors.empty() &&
         llvm::all_of(files, [](const File &file) { return file.verdict == Verdict::Ok; });
}

/// The ends of the names of plans in a folder; those of older portfolios, beside plans of steps,
/// come first.
static constexpr const char *endings[] = {".mscclpp.json", ".json"};

static bool isMscclpp(StringRef text) {
  const PlanFormat *format = sniffPlanFormat(text);
  return format && format->mscclpp.read;
}

bool cclc::arePlansOfMscclpp(ArrayRef<std::string> paths) {
  if (paths.empty() || paths.front() == "-")
    return false;
  std::string first = paths.front();
  if (fs::is_directory(first)) {
    DiagnosticEngine unheard;
    FailureOr<FolderFiles> inside = filesOfFolder(first, endings, unheard);
    if (failed(inside) || succeeded(filesOfFolder(first, {".xml"}, unheard)))
      return false;
    first = inside->plans.front();
  }
  // Another kind of file may have no end, or be readable only once.
  if (!fs::is_regular_file(first))
    return false;
  auto file = llvm::MemoryBuffer::getFile(first);
  return file && isMscclpp((*file)->getBuffer());
}

FailureOr<std::vector<std::string>> cclc::filesOfMscclpp(ArrayRef<std::string> paths,
                                                         DiagnosticEngine &diags) {
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    FailureOr<FolderFiles> inside = filesOfFolder(path, endings, diags);
    if (failed(inside))
      return failure();
    llvm::append_range(files, inside->plans);
  }
  return files;
}

namespace {
class Lint {
public:
  Lint(MscclppLintResult &result, DiagnosticEngine &diags) : result(result), diags(diags) {}

  void add(const std::string &path) {
    if (!fs::is_directory(path))
      return addFile(path);
    FailureOr<FolderFiles> inside = filesOfFolder(path, endings, diags);
    result.complete &= succeeded(inside);
    for (size_t f = 0; succeeded(inside) && f < inside->plans.size(); ++f)
      addFile(inside->plans[f]);
  }

  /// Checks the files as a set.
  void compare() {
    for (size_t f = 0; f < result.files.size(); ++f)
      for (size_t g = 0; g < f && !result.files[f].name.empty(); ++g)
        if (result.files[f].name == result.files[g].name) {
          result.errors.push_back(
              formatv("{0} and {1} have the name '{2}': the executor keeps the state of a plan by "
                      "its name; rename one of them",
                      result.paths[g], result.paths[f], result.files[f].name));
          break;
        }
    auto reduces = [](const MscclppLintResult::File &file) {
      return StringRef(file.collective).contains("reduce");
    };
    if (llvm::any_of(result.files, reduces))
      result.notes.push_back("the runtime compares neither operator nor element type: a maximum is "
                             "added up, and f64, i64 and u8 return an error");
    result.sizes = tables.take();
    for (size_t t = 0; t + 1 < result.sizes.size(); ++t) {
      const SizeRanges &a = result.sizes[t], &b = result.sizes[t + 1];
      if (a.collective == b.collective && a.ranks == b.ranks)
        result.notes.push_back(
            formatv("plans of {0} over {1} ranks are both in place and out of place: the runtime "
                    "tests only once whether a call is in place, for all later calls",
                    a.collective, a.ranks));
    }
  }

private:
  void fail(const llvm::Twine &why) {
    diags.error({}, why);
    result.complete = false;
  }

  void addFile(const std::string &path) {
    auto buffer = openPlanFile(path, diags);
    if (failed(buffer)) {
      result.complete = false;
      return;
    }
    StringRef text = (*buffer)->getBuffer();
    if (!isMscclpp(text))
      return fail("'" + path + "' is not a plan of MSCCL++, as the first file is");
    result.paths.push_back(path);
    MscclppLintResult::File &file = result.files.emplace_back();
    DiagnosticEngine found;
    FailureOr<mscclpp::Plan> plan = mscclpp::readJson(text, path, found, &file.verdict);
    if (succeeded(plan))
      file.verdict = mscclpp::verifyForExecutor(*plan, found).verdict;
    file.found = {found.all().begin(), found.all().end()};
    if (failed(plan))
      return;
    const mscclpp::Header &header = plan->header();
    file.name = header.name;
    file.collective = header.collectiveName;
    file.ranks = plan->ranks().size();
    file.multiple = mscclpp::sizeMultiple(header);
    SizeRange range;
    range.from = header.minBytes;
    range.to = header.maxBytes;
    range.file = result.files.size() - 1;
    tables.add("mscclpp", file.collective, file.ranks,
               header.inPlace ? Placement::InPlace : Placement::OutOfPlace, range);
  }

  MscclppLintResult &result;
  DiagnosticEngine &diags;
  SizeTables tables;
};
} // namespace

MscclppLintResult cclc::lintMscclppFiles(ArrayRef<std::string> paths, DiagnosticEngine &diags) {
  MscclppLintResult result;
  Lint lint(result, diags);
  for (const std::string &path : paths)
    lint.add(path);
  lint.compare();
  return result;
}
