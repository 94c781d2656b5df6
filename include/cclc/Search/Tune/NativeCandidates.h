//===- NativeCandidates.h - The algorithms of a runtime ---------*- C++ -*-===//
//
// A runtime with choices executes algorithms of its own. One that is modelled is a bundled program
// with the protocol, channels and division of the message that a tuning file sets; what the file
// leaves to the runtime is taken as the fastest that the model finds.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEARCH_TUNE_NATIVECANDIDATES_H
#define CCL_SEARCH_TUNE_NATIVECANDIDATES_H

#include "cclc/DSL/Registry.h"
#include "cclc/Formats/Selection/NativeAlgorithms.h"
#include "cclc/Search/Tune/Candidate.h"

namespace cclc {

/// An algorithm with its settings. Those that are unset are searched.
struct NativeChoice {
  const NativeAlgorithm *algorithm = nullptr; ///< that is modelled
  std::optional<Protocol> protocol = {};
  std::optional<uint32_t> channels = {};
  std::optional<uint64_t> chunks = {};
};

/// The ranks of \p problem.
NativeSite siteOf(const TuneProblem &problem);

/// The algorithms of \p runtime for \p problem that are modelled: those that it executes for these
/// ranks, in its first collective of the kind, each with another program.
std::vector<NativeChoice> nativeChoices(const TuneProblem &problem, SelectingRuntime runtime);

/// All candidates with the settings of \p choice; numbers that are searched are doubled.
std::vector<Candidate> candidatesOf(const NativeChoice &choice, const TuneProblem &problem,
                                    SelectingRuntime runtime, const dsl::ProgramRegistry &programs);

/// The parts in which the runtime sends the message of \p candidate, one of \p choice, if a tuning
/// file sets their size; else 1.
uint64_t segmentsOf(const NativeAlgorithm &algorithm, const Candidate &candidate);
/// The channels on which it does.
uint64_t channelsOf(const NativeAlgorithm &algorithm, const Candidate &candidate);

} // namespace cclc

#endif // CCL_SEARCH_TUNE_NATIVECANDIDATES_H
