//===- Portfolio.cpp - Portfolios of the interface ------------------------===//
//
// Times of the file are rounded to whole picoseconds, from which the tuner wrote them. Paths of
// plans are relative to the folder of the file. What a runtime loads is written as it was made, or
// as it is in the file that it was loaded from.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Portfolio.h"

#include "Access.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Search/Tune/Deployment.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/OutputFile.h"
#include "cclc/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>
#include <set>

using namespace cclc;
using namespace cclc::api;

const Choice::Point *Choice::at(uint64_t bytes) const {
  for (const Point &point : points)
    if (point.bytes == bytes)
      return &point;
  return nullptr;
}

Result<Plan> Choice::plan() const {
  if (made)
    return *made;
  const Runtime *executor = findRuntime(runtime);
  if (executor &&
      (executor->form == RuntimeForm::Choices || executor->form == RuntimeForm::Module)) {
    DiagnosticEngine diags;
    diags.error({file}, "the file of runtime '" + runtime +
                            "' is not read as a plan; compile the program of the command");
    return Failed{diags};
  }
  return Plan::load(file);
}

const Choice *Portfolio::best(const std::string &collective, uint32_t ranks, uint64_t bytes) const {
  for (const Choice &choice : choices)
    if (choice.collective == collective && choice.ranks == ranks && bytes >= choice.minBytes &&
        bytes <= choice.maxBytes.value_or(bytes))
      return &choice;
  return nullptr;
}

static std::optional<int64_t> picosecondsOf(std::optional<double> nanoseconds) {
  return nanoseconds ? std::optional<int64_t>(std::llround(*nanoseconds * 1000)) : std::nullopt;
}

static std::optional<double> nanosecondsOf(std::optional<int64_t> picoseconds) {
  return picoseconds ? std::optional(toNanoseconds(SimTime(*picoseconds))) : std::nullopt;
}

Choice api::choiceOf(const PortfolioFileRow &row) {
  Choice choice{.collective = std::string(collectiveName(row.collective)),
                .ranks = row.ranks,
                .ranksPerNode = row.ranksPerNode,
                .inPlace = row.isInPlace,
                .minBytes = row.minBytes,
                .maxBytes = row.maxBytes,
                .file = row.plan,
                .runtime = row.runtime,
                .multiple = row.multiple,
                .protocol = row.protocol,
                .command = row.command,
                .threadblocks = row.threadblocks,
                .channels = row.channels,
                .reductionHash = row.reductionOrder,
                .points = {},
                .made = {},
                .text = {},
                .selections = {}};
  for (const PortfolioPoint &point : row.points)
    choice.points.push_back({point.bytes, *picosecondsOf(point.nanoseconds), point.boundShare,
                             point.binds, picosecondsOf(point.measuredNanoseconds),
                             picosecondsOf(point.libraryNanoseconds)});
  return choice;
}

Gap api::gapOf(const PortfolioGap &gap) {
  return {std::string(collectiveName(gap.collective)),
          gap.runtime,
          gap.ranks,
          gap.minBytes,
          gap.maxBytes,
          gap.reason,
          gap.isOfLibrary};
}

static FailureOr<CollectiveKind> kindOf(const std::string &collective, DiagnosticEngine &diags) {
  if (std::optional<CollectiveKind> kind = parseCollective(collective))
    return *kind;
  return diags.error({}, "unknown collective '" + collective + "'");
}

Result<Portfolio> Portfolio::load(const std::string &path) {
  DiagnosticEngine diags;
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return Failed{diags};
  std::string folder = llvm::sys::path::parent_path(path).str();
  FailureOr<PortfolioFile> file =
      readPortfolio((*buffer)->getBuffer(), folder.empty() ? "." : folder, path, diags);
  if (failed(file))
    return Failed{diags};
  Portfolio portfolio{file->target, file->settings, file->network, file->type, {}};
  portfolio.isPartial = file->isPartial;
  for (const PortfolioFileRow &row : file->rows)
    portfolio.choices.push_back(choiceOf(row));
  for (const PortfolioGap &gap : file->gaps)
    portfolio.gaps.push_back(gapOf(gap));
  return portfolio;
}

static FailureOr<PortfolioFileRow> rowOf(const Choice &choice, std::string file,
                                         DiagnosticEngine &diags) {
  FailureOr<CollectiveKind> kind = kindOf(choice.collective, diags);
  if (failed(kind))
    return failure();
  PortfolioFileRow row{.collective = *kind,
                       .ranks = choice.ranks,
                       .ranksPerNode = choice.ranksPerNode,
                       .isInPlace = choice.inPlace,
                       .minBytes = choice.minBytes,
                       .maxBytes = choice.maxBytes,
                       .plan = std::move(file),
                       .runtime = choice.runtime,
                       .protocol = choice.protocol,
                       .command = choice.command,
                       .multiple = choice.multiple,
                       .threadblocks = choice.threadblocks,
                       .channels = choice.channels,
                       .reductionOrder = choice.reductionHash};
  for (const Choice::Point &point : choice.points)
    row.points.push_back({point.bytes, *nanosecondsOf(point.picoseconds), point.boundShare,
                          point.binds, nanosecondsOf(point.measuredPicoseconds),
                          nanosecondsOf(point.libraryPicoseconds)});
  return row;
}

namespace {
/// Writes what the runtimes of a portfolio load.
class FolderWriter {
public:
  FolderWriter(const std::string &folder, DiagnosticEngine &diags) : folder(folder), diags(diags) {}

  /// Writes the file of \p choice, but not yet that of tables, and returns its path in the folder.
  FailureOr<std::string> add(const Choice &choice) {
    const Runtime *runtime =
        choice.runtime.empty() ? &simulatorRuntime() : findRuntime(choice.runtime);
    if (!runtime)
      return diags.error({}, unknownWord("runtime", choice.runtime, runtimeNames()));
    FailureOr<CollectiveKind> kind = kindOf(choice.collective, diags);
    if (failed(kind) || failed(createFolder(folder + "/" + folderOf(*runtime), diags)))
      return failure();
    std::vector<SelectionRow> &rows = selections[runtime->name];
    if (choice.selections) {
      llvm::append_range(rows, choice.selections->rows);
      return selectionFileOf(*runtime);
    }
    std::string name =
        runtime->form == RuntimeForm::Choices
            ? folderOf(*runtime) + "/" + llvm::sys::path::filename(choice.file).str()
            : fileOf(*runtime, planNameOf(*runtime, *kind, ++numbers[{runtime->name, *kind}]));
    FailureOr<std::string> text = textOf(choice);
    if (failed(text) || failed(write(name, *text)))
      return failure();
    return name;
  }

  /// Writes the tables, and the environments of the runtimes. Returns the paths of all files.
  FailureOr<std::vector<std::string>> finish() {
    for (const auto &[name, rows] : selections) {
      const Runtime &runtime = *findRuntime(name);
      std::string environment;
      llvm::raw_string_ostream os(environment);
      writeDeployment(runtime, os);
      if (failed(write(folderOf(runtime) + ".env", environment)))
        return failure();
      if (rows.empty())
        continue;
      FailureOr<std::vector<DeliveredFile>> tables = selectionTables(runtime, rows, diags);
      if (failed(tables))
        return failure();
      for (const DeliveredFile &table : *tables)
        if (failed(write(table.path, table.text)))
          return failure();
    }
    return std::vector<std::string>(written.begin(), written.end());
  }

private:
  FailureOr<std::string> textOf(const Choice &choice) {
    if (!choice.text.empty())
      return choice.text;
    if (choice.made) {
      Result<std::string> text = choice.made->write();
      return text ? FailureOr<std::string>(*text) : diags.error({}, text.messages().front().text);
    }
    auto buffer = openPlanFile(choice.file, diags);
    return failed(buffer) ? FailureOr<std::string>(failure()) : (*buffer)->getBuffer().str();
  }

  LogicalResult write(const std::string &name, StringRef text) {
    written.insert(name);
    return writeFile(folder + "/" + name, [&](raw_ostream &os) { os << text; }, diags);
  }

  const std::string &folder;
  DiagnosticEngine &diags;
  std::set<std::string> written; ///< the paths in the folder; a table has several choices
  std::map<std::pair<StringRef, CollectiveKind>, size_t> numbers; ///< of plans so far
  std::map<StringRef, std::vector<SelectionRow>> selections;      ///< by runtime
};
} // namespace

Result<std::string> Portfolio::save(const std::string &path) const {
  DiagnosticEngine diags;
  if (failed(createFolder(path, diags)))
    return Failed{diags};
  PortfolioFile file{target, settings, network, type, {}};
  FolderWriter writer(path, diags);
  for (const Choice &choice : choices) {
    FailureOr<std::string> name = writer.add(choice);
    if (failed(name))
      return Failed{diags};
    FailureOr<PortfolioFileRow> row = rowOf(choice, *name, diags);
    if (failed(row))
      return Failed{diags};
    file.rows.push_back(std::move(*row));
  }
  FailureOr<std::vector<std::string>> written = writer.finish();
  if (failed(written))
    return Failed{diags};
  file.files = std::move(*written);
  file.isPartial = isPartial;
  for (const Gap &gap : gaps) {
    FailureOr<CollectiveKind> kind = kindOf(gap.collective, diags);
    if (failed(kind))
      return Failed{diags};
    file.gaps.push_back(
        {*kind, gap.ranks, gap.runtime, gap.minBytes, gap.maxBytes, gap.reason, gap.isOfLibrary});
  }
  std::string list = path + "/portfolio.json";
  if (failed(writeFile(list, [&](raw_ostream &os) { writePortfolioFile(file, os); }, diags)))
    return Failed{diags};
  return list;
}
