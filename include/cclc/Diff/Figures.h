//===- Figures.h - What a plan needs, in numbers ----------------*- C++ -*-===//

#ifndef CCL_DIFF_FIGURES_H
#define CCL_DIFF_FIGURES_H

#include "cclc/Semantics/PlanVerifier.h"

#include <array>

namespace cclc::diff {

/// The figures that a gate may limit, besides time. Of ranks and threadblocks the largest.
enum class Figure : uint8_t {
  Steps,
  Messages,
  Channels,     ///< that messages are on
  Threadblocks, ///< of a rank
  StepsOfAThreadblock,
  Scratch, ///< chunks of a rank
  Slots,   ///< that the plan needs to complete
};
inline constexpr unsigned numFigures = 7;
/// "steps", "messages", "channels", "threadblocks", "steps_per_threadblock", "scratch", "slots".
StringRef figureName(Figure figure);
/// "steps", ..., "threadblocks of a rank", "steps of a threadblock", ..., "slots needed".
StringRef figureMeaning(Figure figure);

struct Figures {
  /// Unset: the plan completes with no number of slots.
  std::array<std::optional<uint64_t>, numFigures> values;
  PlanReport proof;
  /// The first error, where the proof fails.
  std::string flaw;

  std::optional<uint64_t> operator[](Figure figure) const {
    return values[static_cast<size_t>(figure)];
  }
};

/// Counts, and proves \p plan with \p slots.
Figures measure(const ExecPlan &plan, Slots slots);

} // namespace cclc::diff

#endif // CCL_DIFF_FIGURES_H
