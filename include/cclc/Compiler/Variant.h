//===- Variant.h - Variants of a compilation --------------------*- C++ -*-===//

#ifndef CCL_COMPILER_VARIANT_H
#define CCL_COMPILER_VARIANT_H

#include "cclc/Compiler/Placement/RankPlacement.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Target/Machine.h"
#include "cclc/Transforms/Pass/Remarks.h"
#include "cclc/Transforms/Passes.h"

#include <functional>

namespace cclc {

namespace dsl {
class Declaration;
}

/// The limit of Variant::sharing.
inline constexpr uint32_t maxSharing = 32;

struct Variant {
  uint32_t instances = 1;
  /// The threadblocks of MSCCL++ that share the operations of one.
  uint32_t sharing = 1;
  /// Whether adjacent operations are merged even outside the program's scopes.
  bool aggregate = false;
  FusionOptions fusion;
  /// The goal for comparing alternative schedules; unset: the first schedule is used, as with -O1.
  std::optional<ScheduleGoal> goal = ScheduleGoal::Balance;
  /// The maximum number of channels, below the limit of the target.
  std::optional<uint32_t> maxChannels;
  Protocol protocol = Protocol::Simple;
  RankPlacement placement = RankPlacement::Linear;
  /// The slots of a connection, on machines whose slots plans choose; unset: those of the target.
  std::optional<uint32_t> slots;
  std::optional<Bytes> slotSize;

  friend bool operator==(const Variant &, const Variant &) = default;
};

/// The options of cclc for what differs from its defaults, apart from those that a plan has as
/// attributes: "--placement snake", "-O1".
std::vector<std::string> optionsOf(const Variant &variant);

/// The choices that the user has not made.
struct SearchSpace {
  const dsl::Declaration *program = nullptr;
  bool instances = true, sharing = true, aggregate = true, fusion = true, goal = true,
       placement = true;
  /// Protocols to try.
  std::vector<Protocol> protocols;
  /// Unset: that of the target, by protocol, or chosen.
  std::optional<Slots> slots;
  /// Whether the number and the size of slots are open, on machines whose slots plans choose.
  bool choosesSlots = false;
  /// Whether the only destination is MSCCL++, whose executor then limits and times the plan.
  bool mscclpp = false;
  /// The range of buffer sizes of the plan; may have no upper limit.
  uint64_t minBytes = 0;
  std::optional<uint64_t> maxBytes;
  /// The number of variants to evaluate in parallel.
  unsigned jobs = 1;
  /// Called with the progress of the search; may be empty.
  std::function<void(StringRef)> onStage = {};
};

/// Chooses a variant. \p build compiles a variant; if it fails, the variant is discarded.
/// \p remarks may be null.
using VariantSearch = std::function<Variant(
    const Variant &start, const SearchSpace &space, const Machine &machine,
    const std::function<FailureOr<ExecPlan>(const Variant &)> &build, Remarks *remarks)>;

} // namespace cclc

#endif // CCL_COMPILER_VARIANT_H
