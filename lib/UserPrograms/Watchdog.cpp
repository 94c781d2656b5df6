#include "Watchdog.h"

#include <csignal>
#include <unistd.h>

using namespace cclc;

Watchdog::Watchdog(std::chrono::seconds limit, std::function<void()> late) : process(getpid()) {
  // The thread takes no signals, whose handlers expect the stack of another thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  waiting = std::thread([this, limit, late = std::move(late)] {
    std::unique_lock lock(mutex);
    if (!ended.wait_for(lock, limit, [this] { return isOver; }))
      late();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watchdog::~Watchdog() {
  if (process != getpid()) {
    waiting.detach();
    return;
  }
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  ended.notify_one();
  waiting.join();
}
