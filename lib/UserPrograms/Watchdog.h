//===- Watchdog.h - A time limit --------------------------------*- C++ -*-===//

#ifndef CCL_LIB_USERPROGRAMS_WATCHDOG_H
#define CCL_LIB_USERPROGRAMS_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/types.h>

namespace cclc {

/// Calls a function in another thread unless it is destroyed before the time is over. No signal
/// is involved, which a program could block.
class Watchdog {
public:
  Watchdog(std::chrono::seconds limit, std::function<void()> late);
  ~Watchdog();
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;

private:
  std::mutex mutex;
  std::condition_variable ended;
  bool isOver = false;
  pid_t process; ///< that has the thread, which a child of it has not
  std::thread waiting;
};

} // namespace cclc

#endif // CCL_LIB_USERPROGRAMS_WATCHDOG_H
