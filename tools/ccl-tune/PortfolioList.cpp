//===- PortfolioList.cpp - What a portfolio serves, as text ---------------===//
//
// A row for each plan and gap, by collective and size. Times are those of the smallest and the
// largest size of the row, measured ones if it has them.
//
//===----------------------------------------------------------------------===//

#include "PortfolioList.h"

#include "Table.h"

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Support/Printable.h"

#include "llvm/ADT/StringExtras.h"

#include <tuple>

using namespace cclc;
using llvm::formatv;

namespace {
double timeOf(const PortfolioPoint &point) {
  return point.measuredNanoseconds.value_or(point.nanoseconds);
}

std::string timesText(const PortfolioFileRow &row) {
  if (row.points.empty())
    return "-";
  auto text = [](double nanoseconds) { return formatv("{0:F3}", nanoseconds / 1000).str(); };
  const PortfolioPoint &first = row.points.front(), &last = row.points.back();
  const bool isMeasured = first.measuredNanoseconds && last.measuredNanoseconds;
  const std::string times = row.points.size() == 1
                                ? text(timeOf(first))
                                : text(timeOf(first)) + " to " + text(timeOf(last));
  return times + (isMeasured ? " us, measured" : " us");
}

/// A row of the table, and what it is sorted by.
struct Line {
  std::tuple<CollectiveKind, uint32_t, std::string, uint64_t> key;
  std::vector<std::string> cells;
};

Line lineOf(CollectiveKind collective, uint32_t ranks, const std::string &runtime, uint64_t from,
            std::optional<uint64_t> to, std::string times, std::string plan) {
  return {{collective, ranks, runtime, from},
          {std::string(collectiveName(collective)), std::to_string(ranks),
           runtime.empty() ? "-" : printable(runtime), std::to_string(from),
           to ? std::to_string(*to) : "-", std::move(times), std::move(plan)}};
}
} // namespace

LogicalResult cclc::listPortfolio(const std::string &folder, raw_ostream &os,
                                  DiagnosticEngine &diags) {
  FailureOr<PortfolioFile> file = readPortfolio(folder, diags);
  if (failed(file))
    return failure();
  std::vector<Line> lines;
  for (const PortfolioFileRow &row : file->rows)
    lines.push_back(lineOf(row.collective, row.ranks, row.runtime, row.minBytes, row.maxBytes,
                           timesText(row), printable(row.command)));
  for (const PortfolioGap &gap : file->gaps)
    lines.push_back(lineOf(gap.collective, gap.ranks, gap.runtime, gap.minBytes, gap.maxBytes, "-",
                           gap.isOfLibrary ? "library" : "none: " + printable(gap.reason)));
  llvm::sort(lines, [](const Line &a, const Line &b) { return a.key < b.key; });
  os << printable(file->target) << (file->settings.empty() ? "" : " with ")
     << printable(llvm::join(file->settings, ", ")) << ", " << printable(file->type)
     << (file->isPartial ? ", partial" : "") << '\n';
  Table table({"collective", "ranks", "runtime", "from", "to", "times", "plan"});
  for (Line &line : lines)
    table.add(std::move(line.cells));
  table.print(os);
  return success();
}
