//===- Observers.h - Observers of an execution ------------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_OBSERVERS_H
#define CCL_LIB_RUN_OBSERVERS_H

#include "cclc/Run/Group.h"

namespace cclc::run {

using Clock = std::chrono::steady_clock;

/// Nothing: the executor is compiled as if there were no observer.
struct NoObserver {
  static constexpr bool admits() { return true; }
  static constexpr void blocked(PlanThreadblockId, Position::Reason) {}
  static constexpr void begins() {}
  static constexpr void executed(PlanThreadblockId, uint32_t, uint32_t) {}
};

/// Delays steps at random and records when they are executed.
class Witness {
public:
  /// Without \p seed there are no delays; \p stream distinguishes the witnesses of one seed.
  /// Without
  /// \p record there are no times.
  Witness(std::optional<uint64_t> seed, uint32_t stream, std::vector<StepTime> *record)
      : state(seed ? (*seed + 1) * 0x9e3779b97f4a7c15u + stream : 0), record(record) {}

  /// Refuses a step several times in a row, so that threadblocks overtake each other.
  bool admits() {
    if (state == 0)
      return true;
    if (refusals > 0)
      return --refusals, false;
    // xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % 8 == 0)
      refusals = state >> 32 & 255;
    return refusals == 0;
  }
  void blocked(PlanThreadblockId threadblock, Position::Reason reason) {
    if (record)
      reasonOf(threadblock) = reason;
  }
  void begins() {
    if (record)
      begin = Clock::now();
  }
  void executed(PlanThreadblockId threadblock, uint32_t step, uint32_t piece) {
    if (record)
      record->push_back({threadblock, StepId(step), piece,
                         std::exchange(reasonOf(threadblock), Position::Reason::None),
                         begin.time_since_epoch(), Clock::now().time_since_epoch()});
  }

private:
  Position::Reason &reasonOf(PlanThreadblockId threadblock) {
    if (threadblock.index() >= reasons.size())
      reasons.resize(threadblock.index() + 1, Position::Reason::None);
    return reasons[threadblock.index()];
  }

  uint64_t state;
  uint32_t refusals = 0;
  std::vector<StepTime> *record;
  Clock::time_point begin;
  std::vector<Position::Reason> reasons; ///< of the last refusal, by threadblock
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_OBSERVERS_H
