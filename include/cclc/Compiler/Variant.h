//===- Variant.h - What differs between plans of one program ----*- C++ -*-===//

#ifndef CCL_COMPILER_VARIANT_H
#define CCL_COMPILER_VARIANT_H

#include "cclc/Pass/Remarks.h"
#include "cclc/Placement/RankPlacement.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Target/Machine.h"
#include "cclc/Transforms/Passes.h"

#include <functional>

namespace cclc {

struct Variant {
  uint32_t instances = 1;
  /// Whether adjacent operations are joined even where the program does not ask for it.
  bool aggregate = false;
  FusionOptions fusion;
  /// What ways to schedule are weighed by; unset: the first way is taken, as with -O1.
  std::optional<ScheduleGoal> goal = ScheduleGoal::Balance;
  /// Channels at most, below the limit of the target.
  std::optional<uint32_t> maxChannels;
  Protocol protocol = Protocol::Simple;
  RankPlacement placement = RankPlacement::Linear;

  friend bool operator==(const Variant &, const Variant &) = default;
};

/// What the user has left open.
struct SearchSpace {
  bool instances = true, aggregate = true, fusion = true, goal = true, placement = true;
  /// Protocols to try.
  std::vector<Protocol> protocols;
  /// Unset: those of the target, by protocol.
  std::optional<Slots> slots;
  /// Buffer sizes that the plan is for; the largest may be open.
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// Variants that are tried at a time.
  unsigned jobs = 1;
};

/// Chooses a variant. \p build compiles one; where it fails, the variant is no choice.
/// \p remarks may be null.
using VariantSearch = std::function<Variant(
    const Variant &start, const SearchSpace &space, const Machine &machine,
    const std::function<FailureOr<ExecPlan>(const Variant &)> &build, Remarks *remarks)>;

} // namespace cclc

#endif // CCL_COMPILER_VARIANT_H
