//===- Portfolio.cpp - Portfolios of the interface ------------------------===//
//
// Times of the file are rounded to whole picoseconds, from which the tuner wrote them. Paths of
// plans are relative to the folder of the file.
//
//===----------------------------------------------------------------------===//

#include "cclc/Api/Portfolio.h"

#include "Access.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PortfolioFile.h"

#include "llvm/Support/Path.h"

#include <cmath>

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

static Choice choiceOf(const PortfolioFileRow &row) {
  Choice choice{std::string(collectiveName(row.collective)),
                row.ranks,
                row.minBytes,
                row.maxBytes,
                row.plan,
                row.command,
                {},
                {}};
  for (const PortfolioPoint &point : row.points)
    choice.points.push_back(
        {point.bytes, std::llround(point.nanoseconds * 1000), point.boundShare});
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
