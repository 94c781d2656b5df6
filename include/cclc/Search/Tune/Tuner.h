//===- Tuner.h - Searching for the best plan of every size ------*- C++ -*-===//
//
// Programs that promise most are searched first (lib/Search/Tune/FamilySearch.h). Each other one is
// searched by itself, against the results of these scouts, so that the outcome does not depend on
// the number of jobs or shards.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_TUNER_H
#define CCL_SEARCH_TUNE_TUNER_H

#include "cclc/Search/Tune/CandidateSpace.h"
#include "cclc/Search/Tune/Measure.h"

#include "cclc/Support/Deadline.h"

namespace cclc {

/// What ended a search.
enum class SearchEnd : uint8_t { Complete, Budget, TimeLimit };

struct TuneOptions {
  unsigned jobs = 1;
  /// The number of simulated messages after which no further batch begins.
  std::optional<uint64_t> budget;
  /// No compilation and no simulation begins after this.
  Deadline deadline = {};
  /// The scouts and this part of the other programs, of \c shards parts.
  uint32_t shard = 0, shards = 1;
  /// Whether the best candidates are simulated with all sizes.
  bool complete = false;
  /// Whether one plan for all sizes is sought, rather than the best of each: candidates are
  /// compared by the geometric mean of their times.
  bool onePlan = false;
  /// Whether all combinations are tried, and a candidate is dropped only if it cannot be the
  /// fastest: by the load of its links, or because its simulation has reached the best time.
  bool exhaustive = false;
  /// Only plans with this reduction order.
  std::optional<uint64_t> order = {};
  /// Results of the same problem, by command; may be null.
  const std::map<std::string, Measure> *known = nullptr;
  /// With what is done and, once that can be told, about how long the rest takes.
  std::function<void(StringRef)> onStage;
  /// With a plan that may be the fastest with a size so far.
  std::function<void(uint64_t size, SimTime time, const Candidate &candidate)> onBest;
};

struct Tried {
  Candidate candidate;
  Measure measure;
};

struct TuneResult {
  std::vector<Tried> tried; ///< in the order of the search
  uint64_t messages = 0;    ///< of all results that were used
  SearchEnd end = SearchEnd::Complete;
  /// The work of this process; results from files are not counted.
  uint64_t compilations = 0, simulations = 0;

  /// The indices of usable candidates that ran with \p size, the fastest first; ties are broken by
  /// threadblocks, steps, slots (none of its own first) and the order of the search.
  std::vector<size_t> ranking(uint64_t size) const;
  /// Those of which no other is at least as good in time, threadblocks and channels.
  std::vector<size_t> paretoFront(uint64_t size) const;
};

/// Fails if a result cannot be read or written.
FailureOr<TuneResult> tune(const CandidateSpace &space, const MeasureStore &store,
                           const TuneOptions &options, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_TUNER_H
