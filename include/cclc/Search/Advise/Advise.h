//===- Advise.h - Changes that make a run faster ----------------*- C++ -*-===//

#ifndef CCL_SEARCH_ADVISE_ADVISE_H
#define CCL_SEARCH_ADVISE_ADVISE_H

#include "cclc/DSL/Registry.h"
#include "cclc/Sim/SweepResult.h"
#include "cclc/Target/Loader.h"

#include <functional>

namespace cclc {

/// The run for which advice is wanted.
struct AdviceRequest {
  const PlacedPlan &placed;
  const SweepResult &report; ///< its last size is simulated again
  SimOptions options;
  std::optional<uint32_t> slotsNeeded; ///< by the plan, without splitting of steps
  unsigned jobs;
  const dsl::ProgramRegistry &programs; ///< the bundled programs
  std::string targets;                  ///< the folder of the bundled machines
  /// The options of the run, for other machines and plans.
  std::optional<std::string> target, network;
  std::optional<Slots> slots;
  std::vector<std::string> sets;
  std::function<void(StringRef)> onStage; ///< is called with the name of each stage
};

/// Tries changes of the options of the run, and other compilations of the plan, at the last size.
/// The result has the changes that save at least 1 % of the time, one for each choice, the largest
/// gain first.
AdviceResult advise(const AdviceRequest &request);

} // namespace cclc

#endif // CCL_SEARCH_ADVISE_ADVISE_H
