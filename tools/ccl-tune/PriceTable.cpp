//===- PriceTable.cpp - What a tuning file costs, as text -----------------===//
//
// For each size: the rule in force, what the runtime executes, the best that it could be told to
// execute, and the best plan. Reasons for missing times and rules that never apply follow.
//
//===----------------------------------------------------------------------===//

#include "PriceTable.h"

#include "Table.h"

#include "cclc/Support/InputFile.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace cclc;
using llvm::formatv;

FailureOr<TuningFile> cclc::readTuningFile(StringRef option, DiagnosticEngine &diags) {
  auto [name, path] = option.split(':');
  std::optional<TuningReader> reader = parseTuningReader(name);
  if (!reader)
    path = option;
  auto text = readInput(path, path, diags);
  if (failed(text))
    return failure();
  return TuningFile::read((*text)->getBuffer(), path.str(), reader, diags);
}

std::vector<std::string> cclc::collectivesOf(const TuningFile &file) {
  llvm::SetVector<StringRef> names;
  for (const TuningRule &rule : file.rules())
    if (rule.collective != CollectiveKind::Custom)
      names.insert(collectiveName(rule.collective));
  return {names.begin(), names.end()};
}

static std::string slowerText(std::optional<SimTime> time, std::optional<SimTime> best) {
  return time && best ? lossText(*time, *best) : "-";
}

static std::string timeOrDash(std::optional<SimTime> time) {
  return time ? timeText(*time) : std::string("-");
}

void cclc::printPrices(const TunedPlans &tuned, const TuningFile &file, ArrayRef<SizePrice> prices,
                       raw_ostream &os) {
  const TuneProblem &problem = tuned.problem;
  const StringRef runtime = selectingRuntimeTitle(file.reader().runtime);
  os << collectiveName(problem.collective) << " on " << problem.machine.stamp.title() << ": "
     << counted(problem.ranks(), "rank") << ", as " << tuningReaderTitle(file.reader())
     << " reads the file\n";
  Table table({"size", "line", "executed", "time", "best of " + runtime.str(), "time", "slower",
               "best plan", "time", "slower"});
  std::vector<std::string> reasons;
  const std::vector<BestOfSize> plans = bestOfSizes(problem, tuned.result);
  for (const auto &[price, plan] : llvm::zip_equal(prices, plans)) {
    const bool isInFile = price.rule && !price.rule->isImplicit;
    table.add({sizeText(Bytes(price.bytes)), isInFile ? std::to_string(price.rule->loc.line) : "-",
               price.chosen.title, timeOrDash(price.chosen.time),
               price.best.time ? price.best.title : "-", timeOrDash(price.best.time),
               slowerText(price.chosen.time, price.best.time), plan.time ? plan.title : "-",
               timeOrDash(plan.time), slowerText(price.chosen.time, plan.time)});
    if (price.chosen.time)
      continue;
    std::string reason = "no time of " + price.chosen.title + ": " + price.chosen.reason + "\n";
    if (!llvm::is_contained(reasons, reason))
      reasons.push_back(std::move(reason));
  }
  table.print(os);
  for (const std::string &reason : reasons)
    os << reason;
  for (const TuningFile::Unused &unused : file.unusedRules(selectionCall(problem)))
    os << unused.rule->loc << ": never applies: " << unused.rule->text << ": " << unused.reason
       << '\n';
}
