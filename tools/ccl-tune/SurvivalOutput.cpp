//===- SurvivalOutput.cpp - The times without one part as text ------------===//
//
// A row for each class of failures and size, with the first part of the class.
//
//===----------------------------------------------------------------------===//

#include "Table.h"
#include "TunedPlans.h"

#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Text.h"

using namespace cclc;
using llvm::formatv;

namespace {
std::string textOf(std::optional<SimTime> time) { return time ? timeText(*time) : "-"; }

void addRows(const Survival &each, const SurvivalResult &result, Table &table) {
  const std::string part = printable(each.parts.front());
  const std::string number = std::to_string(each.parts.size());
  if (!each.lost.empty()) {
    table.add({part, number, "-", "-", "-", "-", "-", "-", "none: " + printable(each.lost)});
    return;
  }
  for (const Survival::Point &point : each.points) {
    const bool has = point.after.has_value();
    table.add({part, number, sizeText(Bytes(point.bytes)), textOf(point.before),
               textOf(point.unchanged), textOf(point.after),
               has && point.before ? lossText(*point.after, *point.before) : "-",
               has ? boundShareText(point.bound, *point.after) : "-",
               has ? result.plans[point.plan].title : "none runs with this size"});
  }
}
} // namespace

void cclc::printSurvival(const TunedPlans &tuned, raw_ostream &os) {
  const SurvivalResult &result = tuned.survival;
  os << "\nwithout one part, with the plan for all parts (unchanged) and the best one (after)\n";
  Table table(
      {"without", "alike", "size", "before", "unchanged", "after", "slower", "of bound", "plan"});
  for (const Survival &each : result.classes)
    addRows(each, result, table);
  table.print(os);
  const size_t more = result.plans.size() - result.portfolioPlans;
  const size_t left =
      llvm::count_if(result.classes, [](const Survival &each) { return !each.isSearched; });
  if (left > 0)
    os << formatv("{0} not searched, of those that lose least: the searches have reached their "
                  "limit of messages\n",
                  left == 1 ? "1 class was" : formatv("{0} classes were", left).str());
  const std::string with = more ? "with " + counted(more, "plan") + " more, " : "";
  os << formatv("{0}the portfolio serves all failures; {1} simulated\n", with,
                counted(result.messages, "message"));
}
