//===- TuneTable.cpp - Results of the tuner as text -----------------------===//
//
// Three tables: the best plan of each size with its runner-up, the ranges of the portfolio, and the
// plans that trade time for threadblocks and channels.
//
//===----------------------------------------------------------------------===//

#include "Table.h"
#include "TunedPlans.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <tuple>

using namespace cclc;
using llvm::formatv;

/// Whether \p other is another plan than \p best with \p size. Other options may make the same one,
/// or one that differs only in what this size does not use, such as the room of larger slots.
static bool isOfInterest(const Tried &other, const Tried &best, uint64_t size) {
  auto stepsOf = [&](const Tried &tried) {
    const Measure &measure = tried.measure;
    return std::tuple(tried.candidate.program, measure.time(size), measure.threadblocks,
                      measure.channels, measure.steps);
  };
  return other.measure.plan != best.measure.plan && stepsOf(other) != stepsOf(best);
}

std::string TunedPlans::runnerUp(uint64_t size) const {
  std::vector<size_t> order = result.ranking(size);
  if (order.empty())
    return "";
  const Tried &best = result.tried[order.front()];
  auto next =
      llvm::find_if(order, [&](size_t i) { return isOfInterest(result.tried[i], best, size); });
  if (next == order.end())
    return "";
  const Tried &other = result.tried[*next];
  SimTime time = *best.measure.time(size);
  return formatv("{0} ({1})", other.candidate.title(), lossText(*other.measure.time(size), time));
}

namespace {
void printSizes(const TunedPlans &tuned, raw_ostream &os) {
  Table table({"size", "time", "algbw", "of bound", "best plan", "runner-up"});
  for (uint64_t size : tuned.problem.sizes) {
    std::vector<size_t> order = tuned.result.ranking(size);
    if (order.empty()) {
      const bool isOver = tuned.result.end == SearchEnd::TimeLimit;
      table.add({sizeText(Bytes(size)), "-", "-", "-",
                 isOver ? "none found in time" : "none runs with this size", ""});
      continue;
    }
    const Tried &best = tuned.result.tried[order.front()];
    SimTime time = *best.measure.time(size);
    table.add({sizeText(Bytes(size)), timeText(time),
               gigabytesText(averageRate(Bytes(size), time)) + " GB/s",
               boundShareText(tuned.problem.boundOf(size), time), best.candidate.title(),
               tuned.runnerUp(size)});
  }
  table.print(os);
}

void printFront(const TunedPlans &tuned, uint64_t size, raw_ostream &os) {
  os << "\nPareto front at " << sizeText(Bytes(size)) << '\n';
  Table table({"time", "threadblocks", "channels", "plan"});
  for (size_t i : tuned.result.paretoFront(size)) {
    const Tried &plan = tuned.result.tried[i];
    table.add({timeText(*plan.measure.time(size)), std::to_string(plan.measure.threadblocks),
               std::to_string(plan.measure.channels), plan.candidate.title()});
  }
  table.print(os);
}
} // namespace

void cclc::printRanges(const TunedPlans &tuned, raw_ostream &os) {
  os << "\nportfolio: " << counted(tuned.ranges.size(), "plan") << '\n';
  // The executor of MSCCL++ throws at other sizes of the range.
  const bool hasMultiples = tuned.problem.onlyMscclpp;
  std::vector<std::string> titles = {"from", "to", "plan", "threadblocks", "channels"};
  if (hasMultiples)
    titles.insert(titles.begin() + 2, "multiples of");
  Table table(std::move(titles));
  auto gap = tuned.gaps.begin();
  auto addGaps = [&](uint64_t before) {
    for (; gap != tuned.gaps.end() && gap->minBytes < before; ++gap) {
      std::vector<std::string> row = {std::to_string(gap->minBytes), std::to_string(gap->maxBytes),
                                      gap->isOfLibrary ? "library" : "none", "-", "-"};
      if (hasMultiples)
        row.insert(row.begin() + 2, "-");
      table.add(std::move(row));
    }
  };
  for (const PlanRange &range : tuned.ranges) {
    addGaps(range.minBytes);
    const Tried &plan = tuned.of(range);
    std::vector<std::string> row = {
        std::to_string(range.minBytes), std::to_string(range.maxBytes), plan.candidate.command(),
        std::to_string(plan.measure.threadblocks), std::to_string(plan.measure.channels)};
    if (hasMultiples)
      row.insert(row.begin() + 2, std::to_string(plan.measure.multiple));
    table.add(std::move(row));
  }
  addGaps(UINT64_MAX);
  table.print(os);
  for (const PortfolioGap &each : tuned.gaps)
    os << each.text() << '\n';
}

std::vector<std::string> cclc::linesOf(const TuneProblem &problem, const BestSoFar &best) {
  Table table({"size", "time", "of bound", "best so far"});
  for (const auto &[size, plan] : best)
    table.add({sizeText(Bytes(size)), timeText(plan.first),
               boundShareText(problem.boundOf(size), plan.first), plan.second});
  std::string text;
  llvm::raw_string_ostream os(text);
  table.print(os);
  std::vector<std::string> lines;
  for (StringRef line : llvm::split(StringRef(text).rtrim(), '\n'))
    lines.push_back(line.str());
  return lines;
}

void cclc::printInvariance(const TunedPlans &tuned, raw_ostream &os) {
  const std::vector<BestOfSize> own = bestOfSizes(tuned.problem, tuned.result);
  os << "\ncost of one reduction order\n";
  Table table({"size", "time", "any order", "slower", "best plan with any order"});
  double logarithms = 0;
  size_t sizes = 0;
  for (const auto &[each, any] : llvm::zip_equal(own, tuned.anyOrder)) {
    if (!each.time || !any.time)
      continue;
    table.add({sizeText(Bytes(each.bytes)), timeText(*each.time), timeText(*any.time),
               lossText(*each.time, *any.time), any.title});
    logarithms += std::log(double(std::max<int64_t>(each.time->picoseconds(), 1)) /
                           double(std::max<int64_t>(any.time->picoseconds(), 1)));
    ++sizes;
  }
  table.print(os);
  double mean = sizes ? std::exp(logarithms / double(sizes)) : 1;
  os << formatv("geometric mean: {0:f1} % slower\n", (mean - 1) * 100);
}

void cclc::printTable(const TunedPlans &tuned, raw_ostream &os) {
  const TuneProblem &problem = tuned.problem;
  os << collectiveName(problem.collective) << " on " << problem.machine.stamp.title() << ": "
     << counted(problem.ranks(), "rank");
  if (problem.nodes > 1)
    os << " in " << problem.nodes << " nodes";
  os << ", " << dataTypeName(problem.type) << ", "
     << (problem.isInPlace() ? "in place" : "out of place") << ", network " << problem.network;
  if (problem.runtime != &simulatorRuntime())
    os << ", for " << problem.runtime->name;
  os << '\n';
  if (problem.hasRoundedSizes)
    os << "sizes: multiples of " << problem.executorMultiple()
       << " bytes, which the executor of MSCCL++ divides among the ranks\n";
  else if (problem.onlyMscclpp && llvm::any_of(problem.sizes, [&](uint64_t size) {
             return size % problem.executorMultiple() != 0;
           }))
    os << "sizes: some are no multiples of " << problem.executorMultiple()
       << " bytes, so that no plan runs that divides buffers among the ranks\n";
  printSizes(tuned, os);
  printRanges(tuned, os);
  printFront(tuned, problem.sizes[tuned.ranges.back().lastSize], os);
  size_t usable = 0;
  for (const Tried &tried : tuned.result.tried)
    usable += tried.measure.isUsable();
  os << '\n'
     << counted(tuned.result.tried.size(), "candidate") << ", of which " << usable << " compile; "
     << counted(tuned.result.messages, "message") << " simulated";
  if (tuned.result.end != SearchEnd::Complete)
    os << "; " << endText(tuned.result.end) << " ended the search";
  os << '\n';
}
