//===- Pool.h - The candidates of a search and their results ----*- C++ -*-===//
//
// Compiles and simulates candidates in batches, and within a batch by ascending size, the most
// promising ones first: their times drop the others before they are simulated with large buffers.
//
// Large buffers follow when all candidates have been simulated with smaller ones.
//
// The simulation of a plan is stopped when it can be neither near the best of the size nor on the
// Pareto front of time, threadblocks and channels.
//
// A result may come from a file, but is used only where the search would have computed it. So files
// of other searches do not change the outcome.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_TUNE_POOL_H
#define CCL_LIB_SEARCH_TUNE_POOL_H

#include "ParetoFront.h"
#include "SharedRuns.h"
#include "cclc/Search/Tune/Tuner.h"

#include <memory>

namespace cclc {

struct Entry {
  Trial trial;
  /// The results that the search requested.
  Measure used;
  /// The plan of which it is a variant.
  const Entry *original = nullptr;
};

class Pool {
public:
  using Sizes = std::vector<uint64_t>;
  /// Entries and the sizes to simulate.
  using Work = std::vector<std::pair<Entry *, Sizes>>;

  /// \p fronts: results of other searches that have to be beaten.
  Pool(const CandidateSpace &space, const MeasureStore &store, const TuneOptions &options,
       ParetoFronts fronts, SharedRuns &runs, DiagnosticEngine &diags)
      : space(space), problem(space.problem), store(store), options(options), runs(runs),
        diags(diags), fronts(std::move(fronts)) {}

  ArrayRef<std::unique_ptr<Entry>> all() const { return entries; }
  /// A candidate with the results in files. Fails if they are unreadable.
  static FailureOr<std::unique_ptr<Entry>>
  create(const Candidate &candidate, const SearchProblem &problem, const MeasureStore &store,
         const TuneOptions &options, DiagnosticEngine &diags);
  Entry *add(std::unique_ptr<Entry> entry);
  FailureOr<Entry *> add(const Candidate &candidate);
  /// Null if the candidate was not added.
  Entry *find(const Candidate &candidate) const;

  /// Compiles the entries and simulates them with their sizes, where they are not hopeless. Fails
  /// if a result cannot be written.
  LogicalResult process(const Work &work);
  /// The same for entries that are compiled, without dropping any, and without limits.
  LogicalResult simulateAll(const Work &work);
  /// What the results are for.
  enum class Stage : uint8_t {
    Climb,  ///< slow plans show what further steps on a ladder gain
    Refine, ///< slow plans are of no interest
    Local   ///< nor are plans that are not near the best, and ladders say nothing of them
  };
  void begin(Stage next) { stage = next; }

  /// Adds to \p work the \p candidates, which are variants of \p original, with \p atSizes and, of
  /// those that are new, a smaller size for a comparison, unless they are equal plans by what is
  /// known of plans that \p original is a variant of. Fails if results are unreadable.
  LogicalResult addVariants(const Entry &original, const std::vector<Candidate> &candidates,
                            const Sizes &atSizes, Work &work);

  /// The least mean of the times with all sizes, if one plan is sought.
  std::optional<SimTime> bestOfAll() const { return bestMean; }
  /// The least time with \p size, also of other searches.
  std::optional<SimTime> best(uint64_t size) const;
  /// The geometric mean of the times with \p sizes; unset if one is unknown.
  static std::optional<SimTime> meanTime(const Measure &measure, const Sizes &sizes);
  /// Whether the plans of both are equal, and their slots.
  static bool isSamePlan(const Entry &one, const Entry &other);
  /// The fastest \p count entries with \p sizes, by the mean of their times, up to \p percent of
  /// the best.
  std::vector<Entry *> fastest(const Sizes &sizes, size_t count, int64_t percent) const;
  /// The same without variants that are not faster than their original, and without equal plans.
  std::vector<Entry *> fastestParents(const Sizes &sizes, size_t count, int64_t percent) const;
  /// The fastest entry of each program with \p sizes, up to \p percent of the best.
  std::vector<Entry *> fastestOfPrograms(const Sizes &sizes, int64_t percent) const;

  /// The candidate below \p entry on \p ladder; null if there is none, or it was not added.
  const Entry *below(const Entry &entry, size_t ladder) const;
  /// The time with \p size of the candidate below \p entry on \p ladder; unset on a plateau as
  /// well.
  std::optional<SimTime> timeBelow(const Entry &entry, size_t ladder, uint64_t size) const;
  /// Whether \p entry gains from its last step on \p ladder with \p size, so that another may gain.
  bool canGain(const Entry &entry, size_t ladder, uint64_t size) const;
  /// Whether up to \p left further steps on \p ladder may reach the best of \p size by the gain of
  /// the last one. Both times are known.
  bool mayReachBest(const Entry &entry, size_t ladder, unsigned left, uint64_t size) const;
  /// Whether a candidate below \p entry on a ladder is clearly faster with \p size, and \p entry is
  /// not near the best.
  bool isStepBack(const Entry &entry, uint64_t size) const;
  bool isNearBest(SimTime time, uint64_t size, int64_t percent) const;
  /// The time that \p entry probably exceeds with \p size, by its own results and those of the
  /// candidates below it on its ladders, or of its original.
  SimTime estimate(const Entry &entry, uint64_t size) const;

  /// The results of the search, and the given ones.
  const ParetoFronts &results() const { return fronts; }
  /// Whether \p entry has no result with \p size, and is not dropped for it.
  bool isOpen(const Entry &entry, uint64_t size) const;

  /// Moves the results out.
  TuneResult take();

private:
  SimTime lower(const Entry &entry, uint64_t size) const;
  bool hasNoEffect(const Entry &entry, const Candidate &variant) const;
  uint64_t probeOf(const Entry &entry, uint64_t size) const;
  void takeFigures(Entry &entry);
  void useKnown(ArrayRef<Work::value_type> batch);
  SimTime meanOutlook(const Entry &entry) const;
  bool isHopeless(const Entry &entry, uint64_t size) const;
  bool isWanted(const Entry &entry, uint64_t size) const;
  bool leadsUp(const Entry &entry, uint64_t size) const;
  bool isOverTime();
  bool isOverBudget(uint64_t size);
  void use(Entry &entry, uint64_t size, std::optional<SimTime> until = {});
  std::optional<SimTime> limitOf(const Entry &entry, uint64_t size) const;
  SimTime frontLimit(const Entry &entry, uint64_t size) const;
  void simulate(std::vector<Entry *> candidates, uint64_t size);
  void simulateGroup(ArrayRef<Entry *> group, uint64_t size);
  void simulateSizes(ArrayRef<Work::value_type> work, uint64_t above, uint64_t upTo);
  bool defersLarge() const { return !options.onePlan && !options.exhaustive; }
  LogicalResult finish(ArrayRef<Work::value_type> batch);

  const CandidateSpace &space;
  const SearchProblem &problem;
  const MeasureStore &store;
  const TuneOptions &options;
  SharedRuns &runs;
  DiagnosticEngine &diags;
  std::vector<std::unique_ptr<Entry>> entries;
  std::map<std::string, Entry *> seen; ///< by command
  ParetoFronts fronts;
  std::optional<SimTime> bestMean; ///< of one plan for all sizes
  uint64_t messages = 0;
  SearchEnd end = SearchEnd::Complete;
  Stage stage = Stage::Climb;
};

} // namespace cclc

#endif // CCL_LIB_SEARCH_TUNE_POOL_H
