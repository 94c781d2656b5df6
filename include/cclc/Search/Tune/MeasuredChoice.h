//===- MeasuredChoice.h - Plans that are chosen by measurement --*- C++ -*-===//
//
// The model proposes a few plans for each size; executions in turns, in several jobs, decide
// between them and the MPI library's own collective. The best of several measured plans looks
// better than it is: only jobs that have measured it alone decide whether it is used.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_MEASUREDCHOICE_H
#define CCL_SEARCH_TUNE_MEASUREDCHOICE_H

#include "cclc/Formats/PortfolioFile.h"
#include "cclc/Search/Tune/Portfolio.h"
#include "cclc/Search/Tune/Tuner.h"
#include "cclc/Support/PairedRatio.h"

namespace cclc {

/// The times of a plan and of what it is compared with in one job, in nanoseconds by round.
struct MeasuredJob {
  std::vector<double> plan, other;
  /// The median of the ratios of the other time to that of the plan.
  double ratio() const;
};

/// A plan that was measured with one size.
struct Contestant {
  size_t plan; ///< an index into TuneResult::tried
  std::vector<MeasuredJob> selecting, confirming;
};

/// What the measurements of a size show. Only with Plan, a plan serves it; else the library does.
enum class MeasuredWinner : uint8_t {
  Undecided,
  Library,
  Alone, ///< a plan is faster, but with no neighbouring size
  Plan
};

struct SizeContest {
  uint64_t bytes = 0;
  std::vector<Contestant> plans = {}; ///< the fastest of the model first; may be empty

  /// Of \c plans, the one with the largest ratio in the jobs that select; none if there are none.
  std::optional<size_t> selected() const;
};

/// The decision for one size.
struct MeasuredDecision {
  MeasuredWinner winner = MeasuredWinner::Undecided;
  std::optional<size_t> plan;       ///< that was selected: an index into TuneResult::tried
  std::optional<PairedRatio> ratio; ///< the time of the other over that of the plan
  double planNanoseconds = 0, otherNanoseconds = 0; ///< medians; 0: not measured
  uint32_t jobs = 0, lost = 0; ///< that confirm the plan, and those in which it is slower
};

struct MeasuredRules {
  /// Jobs that measure all plans, those that confirm the selected one at least, and at most.
  uint32_t selecting = 2, confirming = 5, mostConfirming = 8;
  /// A plan replaces the library if the lower end of its ratio is larger: by as much as jobs differ
  /// for no known reason.
  double leastRatio = 1.05;
  /// Whether the other is the MPI library. Otherwise it is the first plan of each size, which is
  /// used where no other one wins.
  bool hasLibrary = true;
};

/// The decision by the jobs so far. A plan wins if each of the jobs that confirm it has a median
/// above 1 and the interval of all their rounds is above the least ratio; the library, if that
/// interval is below it.
MeasuredDecision decide(const SizeContest &size, const MeasuredRules &rules);

/// The decisions for all sizes, ascending. A plan that wins with one size, but no plan with its
/// neighbours, is alone: a gain that the machine offers does not begin and end between two sizes.
std::vector<MeasuredDecision> decideAll(ArrayRef<SizeContest> sizes, const MeasuredRules &rules);

/// The plans of the sizes that plans have won, by ranges that end at measured sizes: between two
/// plans at the middle (geometric mean), and beside the library at the plan's own size.
std::vector<PlanRange> rangesOf(ArrayRef<SizeContest> sizes, ArrayRef<MeasuredDecision> decisions);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_MEASUREDCHOICE_H
