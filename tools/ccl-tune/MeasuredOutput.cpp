//===- MeasuredOutput.cpp - Measured plans as text and gaps ---------------===//
//
// A row for each size, with the plan that was selected beside the library.
//
//===----------------------------------------------------------------------===//

#include "MeasuredTuning.h"
#include "Table.h"

#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;

namespace {
std::string measuredText(double nanoseconds) {
  return nanoseconds == 0 ? "-" : thousandths(std::llround(nanoseconds)) + " us";
}

/// Why the library serves a size: its decision with the largest ratio.
std::string reasonOf(ArrayRef<MeasuredDecision> decisions, const TuneResult &result) {
  auto ratioOf = [](const MeasuredDecision &each) { return each.ratio ? each.ratio->median : 0; };
  const MeasuredDecision *most = nullptr;
  for (const MeasuredDecision &each : decisions)
    if (each.plan && (!most || ratioOf(each) > ratioOf(*most)))
      most = &each;
  if (!most || !most->ratio)
    return "no plan was measured long enough";
  return formatv("{0} the library takes {1}, {2} {3}",
                 most->winner == MeasuredWinner::Alone ? "with one size alone a plan is faster:"
                                                       : "at best",
                 measuredText(most->otherNanoseconds), result.tried[*most->plan].candidate.title(),
                 measuredText(most->planNanoseconds));
}
} // namespace

StringRef cclc::otherName(const MeasuredTuning &measured) {
  return measured.rules.hasLibrary ? "library" : "model's plan";
}

std::string cclc::ratioText(const std::optional<PairedRatio> &ratio) {
  return ratio ? formatv("{0:F2} ({1:F2} to {2:F2})", ratio->median, ratio->low, ratio->high).str()
               : "-";
}

std::string cclc::winnerText(const MeasuredDecision &decision) {
  switch (decision.winner) {
  case MeasuredWinner::Plan:
    return "plan";
  case MeasuredWinner::Library:
    return "library";
  case MeasuredWinner::Alone:
    return "library (plan: one size alone)";
  case MeasuredWinner::Undecided:
    break;
  }
  if (decision.lost == 0)
    return "library (undecided)";
  return formatv("library (faster in {0} of {1} jobs)", decision.lost, decision.jobs);
}

std::vector<PortfolioGap> cclc::gapsOf(const MeasuredTuning &measured, const TuneProblem &problem,
                                       const TuneResult &result, ArrayRef<PlanRange> ranges) {
  std::vector<PortfolioGap> gaps = gapsOf(problem, ranges, [&](size_t first, size_t end) {
    return reasonOf(ArrayRef(measured.decisions).slice(first, end - first), result);
  });
  for (PortfolioGap &gap : gaps)
    gap.isOfLibrary = true;
  return gaps;
}

void cclc::addMeasured(const MeasuredTuning &measured, PortfolioFileRow &row) {
  for (PortfolioPoint &point : row.points)
    for (const auto &[size, decision] : llvm::zip_equal(measured.sizes, measured.decisions))
      if (size.bytes == point.bytes && decision.planNanoseconds > 0) {
        point.measuredNanoseconds = decision.planNanoseconds;
        if (measured.rules.hasLibrary)
          point.libraryNanoseconds = decision.otherNanoseconds;
      }
}

void cclc::printMeasured(const MeasuredTuning &measured, const TuneProblem &problem,
                         const TuneResult &result, raw_ostream &os) {
  os << formatv("\n{0} over {1} ranks, measured by '{2}'{3}, {4}\n",
                collectiveName(problem.collective).data(), problem.ranks(), measured.launcher,
                measured.transport.empty() ? "" : " on " + measured.transport,
                counted(measured.jobs, "new job"));
  const StringRef other = otherName(measured);
  Table table(
      {"size", "predicted", "measured", other.str(), other.str() + "/plan (95 %)", "used", "plan"});
  for (const auto &[size, decision] : llvm::zip_equal(measured.sizes, measured.decisions)) {
    const Tried *plan = decision.plan ? &result.tried[*decision.plan] : nullptr;
    const std::optional<SimTime> predicted = plan ? plan->measure.time(size.bytes) : std::nullopt;
    table.add({sizeText(Bytes(size.bytes)), predicted ? timeText(*predicted) : "-",
               measuredText(decision.planNanoseconds), measuredText(decision.otherNanoseconds),
               ratioText(decision.ratio), winnerText(decision),
               plan ? plan->candidate.title() : "none"});
  }
  table.print(os);
  if (measured.isPartial)
    os << "the time limit has ended the measurements\n";
}
