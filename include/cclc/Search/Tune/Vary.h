//===- Vary.h - The gains of faster hardware --------------------*- C++ -*-===//
//
// Two answers for values of a target that change: the best plans of every changed machine, each
// found by a search of its own; and the elasticity of the least time of the best plans of the
// unchanged machine, the percentage by which it falls for each percent by which a value grows.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_VARY_H
#define CCL_SEARCH_TUNE_VARY_H

#include "cclc/Search/Tune/Tuner.h"

namespace cclc {

/// A value of the target, and what replaces it.
struct VaryAxis {
  std::string path;                ///< as in TargetOverride
  std::vector<std::string> values; ///< ascending

  /// Parses "PATH=FROM:TO:COUNT". The values grow by equal factors; those between FROM and TO are
  /// rounded to four digits, or to whole numbers if FROM and TO are written with digits alone.
  static FailureOr<VaryAxis> parse(StringRef text, DiagnosticEngine &diags);
};

/// A value of the unchanged machine.
struct BaseValue {
  double value;
  bool isWhole; ///< takes whole numbers only
  /// Four digits, "141.4e9", or all digits of a whole number that has more.
  std::string text() const;
};
/// Unset if there is no single number: the path names links with different values, or the value is
/// a word.
FailureOr<std::optional<BaseValue>> findBaseValue(const TuneProblem &problem, const VaryAxis &axis,
                                                  DiagnosticEngine &diags);

/// Every combination of the values of \p axes; the last one changes fastest.
std::vector<std::vector<TargetOverride>> combinations(ArrayRef<VaryAxis> axes);

/// The outcome for a machine and a size.
struct BestOfSize {
  uint64_t bytes;
  std::optional<SimTime> time; ///< unset if no plan runs with this size
  SizeBound bound;
  std::string command, title; ///< of the fastest candidate
};
std::vector<BestOfSize> bestOfSizes(const TuneProblem &problem, const TuneResult &result);

struct MachineVariant {
  std::vector<TargetOverride> changes;
  std::vector<BestOfSize> best; ///< by size
  bool isRight = true;          ///< whether checkResult() succeeds
};

/// Searches the best plans of \p request with \p changes, as for any other machine. \p names are
/// those of CandidateSpace::create(). The result of \p unchanged is used for equal machines.
FailureOr<MachineVariant> tuneVariant(TuneRequest request,
                                      const std::vector<TargetOverride> &changes,
                                      const dsl::ProgramRegistry &programs,
                                      ArrayRef<std::string> names, const TuneProblem &unchanged,
                                      const TuneResult &result, const MeasureStore &store,
                                      const TuneOptions &options, DiagnosticEngine &diags);

/// The elasticities of one value.
struct Elasticity {
  std::optional<BaseValue> base;
  /// By size, in thousandths: 1000 if the time is inversely proportional to the value, 0 if it does
  /// not depend on it, negative if it grows with it. Unset without a base value or a plan.
  std::vector<std::optional<int64_t>> thousandths;
};
/// Simulates the plans near the best of each size with a value that is ten percent larger; with
/// twice the value if it takes small whole numbers. A value of 0, which costs no time, has
/// elasticity 0.
FailureOr<Elasticity> findElasticity(const TuneProblem &problem, const TuneResult &result,
                                     const VaryAxis &axis, unsigned jobs, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_VARY_H
