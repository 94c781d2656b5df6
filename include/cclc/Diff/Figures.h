//===- Figures.h - Figures of a plan ----------------------------*- C++ -*-===//

#ifndef CCL_DIFF_FIGURES_H
#define CCL_DIFF_FIGURES_H

#include "cclc/Proof/PlanVerifier.h"

#include <array>

namespace cclc::diff {

/// The figures that a gate may limit, besides time. Figures per rank or threadblock are maxima.
enum class Figure : uint8_t {
  Steps,
  Messages,
  Channels,     ///< channels with messages
  Threadblocks, ///< maximum over the ranks
  StepsOfAThreadblock,
  Scratch, ///< chunks, maximum over the ranks
  Slots,   ///< minimum number with which the plan completes
};
inline constexpr unsigned numFigures = 7;
/// "steps", "messages", "channels", "threadblocks", "steps_per_threadblock", "scratch", "slots".
StringRef figureName(Figure figure);
/// "steps", ..., "threadblocks of a rank", "steps of a threadblock", ..., "slots needed".
StringRef figureMeaning(Figure figure);

struct Figures {
  /// Unset if the plan completes with no number of slots.
  std::array<std::optional<uint64_t>, numFigures> values;
  PlanProof proof;
  /// The first error, if the proof fails.
  std::string flaw;

  std::optional<uint64_t> operator[](Figure figure) const {
    return values[static_cast<size_t>(figure)];
  }
};

/// Computes the figures of \p plan, and verifies it with \p slots.
Figures measure(const ExecPlan &plan, Slots slots);

} // namespace cclc::diff

#endif // CCL_DIFF_FIGURES_H
