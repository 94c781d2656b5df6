//===- Watch.h - Looks from time to time during long work -------*- C++ -*-===//
//
// Loops over the parts of a large plan, such as those of readers, writers and proofs, call
// Watch::look() for each part. A caller that has to react meanwhile, to an interrupt for example,
// watches its thread.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_WATCH_H
#define CCL_SUPPORT_WATCH_H

#include <chrono>
#include <functional>

namespace cclc {

/// During its lifetime, looks of this thread call a function, which may end the work by an
/// exception. An inner watch replaces the outer one.
class Watch {
public:
  using Clock = std::chrono::steady_clock;

  /// \p function is called at most once in \p interval.
  Watch(Clock::duration interval, std::function<void()> function)
      : interval(interval), function(std::move(function)), outer(current) {
    current = this;
  }
  ~Watch() { current = outer; }
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  static void look() {
    if (current)
      current->lookNow();
  }

private:
  void lookNow();

  static constinit thread_local Watch *current;

  Clock::duration interval;
  std::function<void()> function;
  Clock::time_point last = Clock::now();
  Watch *outer;
};

} // namespace cclc

#endif // CCL_SUPPORT_WATCH_H
