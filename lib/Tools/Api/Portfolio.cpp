//===- Portfolio.cpp - Portfolios of the interface ------------------------===//
//
// Times of the file are rounded to whole picoseconds, from which the tuner wrote them. Paths of
// plans are relative to the folder of the file.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Api/Portfolio.h"

#include "Access.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/OutputFile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <map>

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
  return Plan::load(file);
}

const Choice *Portfolio::best(const std::string &collective, uint32_t ranks, uint64_t bytes) const {
  for (const Choice &choice : choices)
    if (choice.collective == collective && choice.ranks == ranks && bytes >= choice.minBytes &&
        bytes <= choice.maxBytes.value_or(bytes))
      return &choice;
  return nullptr;
}

Choice api::choiceOf(const PortfolioFileRow &row) {
  Choice choice{.collective = std::string(collectiveName(row.collective)),
                .ranks = row.ranks,
                .ranksPerNode = row.ranksPerNode,
                .inPlace = row.isInPlace,
                .minBytes = row.minBytes,
                .maxBytes = row.maxBytes,
                .file = row.plan,
                .protocol = row.protocol,
                .command = row.command,
                .threadblocks = row.threadblocks,
                .channels = row.channels,
                .reductionHash = row.reductionOrder,
                .points = {},
                .made = {}};
  for (const PortfolioPoint &point : row.points)
    choice.points.push_back(
        {point.bytes, std::llround(point.nanoseconds * 1000), point.boundShare, point.binds});
  return choice;
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
  for (const PortfolioFileRow &row : file->rows)
    portfolio.choices.push_back(choiceOf(row));
  return portfolio;
}

static FailureOr<PortfolioFileRow> rowOf(const Choice &choice, std::string file,
                                         DiagnosticEngine &diags) {
  std::optional<CollectiveKind> kind = parseCollective(choice.collective);
  if (!kind)
    return diags.error({}, "unknown collective '" + choice.collective + "'");
  PortfolioFileRow row{.collective = *kind,
                       .ranks = choice.ranks,
                       .ranksPerNode = choice.ranksPerNode,
                       .isInPlace = choice.inPlace,
                       .minBytes = choice.minBytes,
                       .maxBytes = choice.maxBytes,
                       .plan = std::move(file),
                       .protocol = choice.protocol,
                       .command = choice.command,
                       .threadblocks = choice.threadblocks,
                       .channels = choice.channels,
                       .reductionOrder = choice.reductionHash};
  for (const Choice::Point &point : choice.points)
    row.points.push_back(
        {point.bytes, toNanoseconds(SimTime(point.picoseconds)), point.boundShare, point.binds});
  return row;
}

Result<std::string> Portfolio::save(const std::string &path) const {
  DiagnosticEngine diags;
  if (failed(createFolder(path, diags)))
    return Failed{diags};
  PortfolioFile file{target, settings, network, type, {}};
  std::map<std::string, unsigned> numbers; // of the collectives so far
  for (const Choice &choice : choices) {
    std::string name =
        choice.collective + "-" + std::to_string(++numbers[choice.collective]) + ".json";
    FailureOr<PortfolioFileRow> row = rowOf(choice, name, diags);
    if (failed(row))
      return Failed{diags};
    file.rows.push_back(std::move(*row));
    Result<Plan> plan = choice.plan();
    if (!plan)
      return {plan.failure(), plan.messages()};
    Result<std::string> text = plan->write();
    if (!text)
      return text;
    if (failed(writeFile(path + "/" + name, [&](raw_ostream &os) { os << *text; }, diags)))
      return Failed{diags};
  }
  std::string list = path + "/portfolio.json";
  if (failed(writeFile(list, [&](raw_ostream &os) { writePortfolioFile(file, os); }, diags)))
    return Failed{diags};
  return list;
}
