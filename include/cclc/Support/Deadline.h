//===- Deadline.h - The end of a search -------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_DEADLINE_H
#define CCL_SUPPORT_DEADLINE_H

#include <chrono>
#include <optional>

namespace cclc {

/// The moment after which a search begins nothing more; never, by default. What is found by then
/// depends on the speed of the computer.
class Deadline {
public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;
  static Deadline after(Clock::duration duration) {
    Deadline deadline;
    deadline.end = Clock::now() + duration;
    return deadline;
  }

  bool hasPassed() const { return end && Clock::now() >= *end; }
  /// The end of the first of \p parts equal parts of the time that is left.
  Deadline ofParts(size_t parts) const {
    return end ? after((*end - Clock::now()) / Clock::rep(parts)) : Deadline();
  }

private:
  std::optional<Clock::time_point> end;
};

} // namespace cclc

#endif // CCL_SUPPORT_DEADLINE_H
