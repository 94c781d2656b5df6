//===- PortfolioFuzz.cpp - Arbitrary bytes, read as a portfolio -----------===//
//
// The bytes are the file portfolio.json of a folder with one plan. Reading ends in a portfolio or
// in an error, and a plan that is found fits the request. A portfolio that is written and read
// again is the same.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "PlanFolder.h"

#include "cclc/Formats/PortfolioFile.h"

#include "llvm/Support/FileSystem.h"

#include <unistd.h>

using namespace cclc;
using namespace cclc::fuzz;

namespace {
constexpr StringRef plan = R"(ccl.version 3
exec.program @allgather_ring coll allgather ranks 2 chunks 1 inplace slots 8 {
  param "channels" = "1"
  level "rank" flat 2 x 1
  rank 0 {
    tb 0 send r1 recv r1 ch 0 {
      0: s o[0]
      1: r -> o[1]
    }
  }
  rank 1 {
    tb 0 send r0 recv r0 ch 0 {
      0: s o[1]
      1: r -> o[0]
    }
  }
}
)";

class Folder {
public:
  Folder() {
    SmallVector<char, 128> made;
    if (llvm::sys::fs::createUniqueDirectory("cclc-fuzz", made))
      std::abort();
    path.assign(made.begin(), made.end());
    write("plan.ccl", plan);
  }
  ~Folder() {
    for (const char *name : {"/plan.ccl", "/portfolio.json"})
      llvm::sys::fs::remove(path + name);
    llvm::sys::fs::remove(path);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  void write(StringRef name, StringRef text) const {
    std::error_code failure;
    llvm::raw_fd_ostream os(path + "/" + name.str(), failure);
    os << text;
    if (failure)
      std::abort();
  }
  std::string path;
};

std::string written(const PortfolioFile &file) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePortfolioFile(file, os);
  return os.str();
}

/// Writes the portfolio \p input, if it is one, and reads it again.
void checkRoundTrip(StringRef input) {
  const std::string folder = "f";
  DiagnosticEngine diags;
  FailureOr<PortfolioFile> file = readPortfolio(input, folder, "portfolio.json", diags);
  if (failed(file))
    return;
  const std::string text = written(*file);
  FailureOr<PortfolioFile> again = readPortfolio(text, folder, "written.json", diags);
  if (failed(again) || again->rows.size() != file->rows.size())
    defect("a written portfolio is not read", input, diags);
  for (auto [row, before] : llvm::zip(again->rows, file->rows)) {
    if (row.plan != folder + "/" + before.plan)
      defect("a written portfolio names another plan", input, diags);
    row.plan = before.plan;
  }
  if (written(*again) != text)
    defect("a written portfolio is read as another one", input, diags);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Folder folder;
  const StringRef input(reinterpret_cast<const char *>(data), size);
  // Other files of the machine are not read.
  if (input.contains("..") || input.contains('\\'))
    return -1;
  checkRoundTrip(input);
  folder.write("portfolio.json", input);
  DiagnosticEngine diags;
  FailureOr<run::PlanFolder> plans = run::PlanFolder::read(folder.path, diags);
  if (failed(plans) != diags.hasErrors())
    defect("the result and the errors disagree", input, diags);
  if (failed(plans))
    return -1;
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::AllReduce})
    for (uint32_t ranks : {1, 2, 3})
      for (uint64_t bytes : {uint64_t(0), uint64_t(1) << 20, UINT64_MAX}) {
        run::PortfolioRow *row = plans->find(kind, ranks, bytes);
        const run::FolderPlan *found = row ? run::PlanFolder::planOf(*row, diags) : nullptr;
        if (found && (!plans->covers(ranks) || found->plan.ranks() != ranks ||
                      found->plan.info().collective.kind() != kind))
          defect("a plan does not fit the request", input, diags);
      }
  return 0;
}
