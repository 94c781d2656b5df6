//===- AdviceTrial.h - A run with a change ----------------------*- C++ -*-===//
//
// The runs of --advise. A trial does all that ccl-sim does with the change on its command line,
// including the proofs, so that a change that would be refused is not advised.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SEARCH_ADVISE_ADVICETRIAL_H
#define CCL_LIB_SEARCH_ADVISE_ADVICETRIAL_H

#include "cclc/Search/Advise/Advise.h"

namespace cclc {

/// A rank that starts with the others, or whose engines take the normal time.
struct UndoneSkew {
  std::optional<uint32_t> rank; ///< unset: all
  bool ofEngines = false;

  /// The value of --skew: "3=0".
  std::string text() const;
};

/// Options in addition to those of the run; later values override earlier ones.
struct AddedOptions {
  std::vector<std::string> settings; ///< of --set
  std::optional<UndoneSkew> skew;
  std::optional<Slots> slots;

  /// "--slots 8", quoted for a shell.
  std::string text() const;
};

/// A run, as far as causes refer to it.
struct RunFigures {
  SimTime time;
  uint32_t pieces = 0, channels = 0;
  uint64_t executions = 0;  ///< of steps
  uint64_t hops = 0;        ///< hundredths of links that a message crosses, on average
  uint32_t links = 0;       ///< links with traffic
  uint32_t oneWayLinks = 0; ///< those whose opposite direction has none
};

RunFigures figuresOf(const PlacedPlan &placed, const Sizing &sizing, const SizeResult &size);

/// Runs \p plan, which needs \p slotsNeeded slots, with the options of the run and \p added. None
/// if ccl-sim would refuse it.
std::optional<RunFigures> tryRun(const AdviceRequest &request, const ExecPlan &plan,
                                 std::optional<uint32_t> slotsNeeded, const AddedOptions &added);

/// The part of the critical path of the run that is of \p kinds, in percent.
uint32_t costPercent(const AdviceRequest &request, ArrayRef<Cost::Kind> kinds);

} // namespace cclc

#endif // CCL_LIB_SEARCH_ADVISE_ADVICETRIAL_H
