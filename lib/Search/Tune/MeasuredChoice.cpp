//===- MeasuredChoice.cpp - Plans that are chosen by measurement ----------===//
//
// Rounds of one job are alike, and jobs differ: by the addresses of their memory and the cores of
// their processes. So every job has to agree, however many rounds it has.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/MeasuredChoice.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace cclc;

namespace {
/// The rounds of all jobs.
MeasuredJob joined(ArrayRef<MeasuredJob> jobs) {
  MeasuredJob all;
  for (const MeasuredJob &job : jobs) {
    llvm::append_range(all.plan, job.plan);
    llvm::append_range(all.other, job.other);
  }
  return all;
}
} // namespace

double MeasuredJob::ratio() const {
  std::vector<double> ratios;
  for (auto [ofOther, ofPlan] : llvm::zip_equal(other, plan))
    ratios.push_back(ofOther / ofPlan);
  return medianOf(std::move(ratios));
}

std::optional<size_t> SizeContest::selected() const {
  std::optional<size_t> best;
  double largest = 0;
  for (size_t p = 0; p < plans.size(); ++p)
    if (double ratio = joined(plans[p].selecting).ratio(); ratio > largest) {
      largest = ratio;
      best = p;
    }
  return best;
}

MeasuredDecision cclc::decide(const SizeContest &size, const MeasuredRules &rules) {
  MeasuredDecision decision;
  const std::optional<size_t> selected = size.selected();
  if (!selected)
    return decision;
  const Contestant &plan = size.plans[*selected];
  decision.plan = plan.plan;
  const MeasuredJob all = joined(plan.confirming);
  decision.planNanoseconds = medianOf(all.plan);
  decision.otherNanoseconds = medianOf(all.other);
  decision.ratio = pairedRatio(all.other, all.plan);
  decision.jobs = uint32_t(plan.confirming.size());
  decision.lost = uint32_t(
      llvm::count_if(plan.confirming, [](const MeasuredJob &job) { return job.ratio() <= 1; }));
  if (!decision.ratio || decision.jobs < rules.confirming)
    return decision;
  if (decision.lost == 0 && decision.ratio->low > rules.leastRatio)
    decision.winner = MeasuredWinner::Plan;
  else if (decision.ratio->high < rules.leastRatio)
    decision.winner = MeasuredWinner::Library;
  return decision;
}

std::vector<MeasuredDecision> cclc::decideAll(ArrayRef<SizeContest> sizes,
                                              const MeasuredRules &rules) {
  std::vector<MeasuredDecision> all;
  for (const SizeContest &size : sizes)
    all.push_back(decide(size, rules));
  if (!rules.hasLibrary) {
    for (auto [decision, size] : llvm::zip_equal(all, sizes))
      if (decision.winner != MeasuredWinner::Plan && !size.plans.empty()) {
        decision.winner = MeasuredWinner::Plan;
        decision.plan = size.plans.front().plan;
        const MeasuredJob first = joined(size.plans.front().selecting);
        decision.planNanoseconds = decision.otherNanoseconds = medianOf(first.plan);
        decision.ratio.reset();
      }
    return all;
  }
  std::vector<bool> wins;
  for (const MeasuredDecision &decision : all)
    wins.push_back(decision.winner == MeasuredWinner::Plan);
  for (size_t s = 0; s < all.size() && all.size() > 1; ++s) {
    const bool before = s > 0 && wins[s - 1], after = s + 1 < all.size() && wins[s + 1];
    if (wins[s] && !before && !after)
      all[s].winner = MeasuredWinner::Alone;
  }
  return all;
}

std::vector<PlanRange> cclc::rangesOf(ArrayRef<SizeContest> sizes,
                                      ArrayRef<MeasuredDecision> decisions) {
  std::vector<PlanRange> ranges;
  bool joins = false; // whether a plan has won the last size
  for (size_t s = 0; s < sizes.size(); ++s) {
    const uint64_t bytes = sizes[s].bytes;
    const bool wins = decisions[s].winner == MeasuredWinner::Plan;
    if (wins && joins && ranges.back().plan == *decisions[s].plan) {
      ranges.back().maxBytes = bytes;
      ranges.back().lastSize = s;
    } else if (wins) {
      uint64_t from = bytes;
      if (joins) {
        PlanRange &last = ranges.back();
        last.maxBytes = uint64_t(std::sqrt(double(last.maxBytes)) * std::sqrt(double(bytes)));
        from = last.maxBytes + 1;
      }
      ranges.push_back({*decisions[s].plan, from, bytes, s, s});
    }
    joins = wins;
  }
  return ranges;
}
