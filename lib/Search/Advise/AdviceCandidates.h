//===- AdviceCandidates.h - Changes to try for --advise ---------*- C++ -*-===//

#ifndef CCL_LIB_SEARCH_ADVISE_ADVICECANDIDATES_H
#define CCL_LIB_SEARCH_ADVISE_ADVICECANDIDATES_H

#include "AdviceTrial.h"

namespace cclc {

/// The part of the gain, in percent, that counts for the order of changes: a change that needs more
/// of the machine or another program follows one without, if that gains almost as much.
constexpr uint32_t fullWeight = 100, placementWeight = 99, slotsWeight = 99, programWeight = 85,
                   moreChannelsWeight = 50;

/// A change that a user can make with options of ccl-sim.
struct OptionCandidate {
  /// Candidates with the same subject are values of one choice, of which at most one is advised:
  /// the first with a time close to the shortest.
  std::string subject;
  std::string cause, action;
  AddedOptions options;
  uint32_t weight = fullWeight;
};

/// The share of dispatch, in percent, above which a run is dispatch-bound.
constexpr uint32_t boundByDispatch = 30;

/// The time of dispatch, in percent of the run: how much a free dispatch would save.
uint32_t dispatchPercent(const AdviceRequest &request);

/// Changes of ranks that are late or slow, of links that are slower than others of their kind, and
/// of the number and the size of the slots. Dispatch is \p dispatch percent of the time.
std::vector<OptionCandidate> optionCandidates(const AdviceRequest &request, uint32_t dispatch);

} // namespace cclc

#endif // CCL_LIB_SEARCH_ADVISE_ADVICECANDIDATES_H
