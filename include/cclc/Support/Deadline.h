//===- Deadline.h - The end of a search -------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_DEADLINE_H
#define CCL_SUPPORT_DEADLINE_H

#include <chrono>
#include <functional>
#include <memory>
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

  /// The same deadline, which calls \p look from time to time. It may end the search by an
  /// exception.
  Deadline watched(std::function<void()> look) const {
    Deadline deadline = *this;
    deadline.look = std::make_shared<const std::function<void()>>(std::move(look));
    return deadline;
  }

  bool hasPassed() const {
    if (look)
      (*look)();
    return end && Clock::now() >= *end;
  }
  /// The end of the first of \p parts equal parts of the time that is left.
  Deadline ofParts(size_t parts) const {
    Deadline part = *this;
    if (end)
      part.end = Clock::now() + (*end - Clock::now()) / Clock::rep(parts);
    return part;
  }

private:
  std::optional<Clock::time_point> end;
  std::shared_ptr<const std::function<void()>> look; ///< may be null
};

} // namespace cclc

#endif // CCL_SUPPORT_DEADLINE_H
