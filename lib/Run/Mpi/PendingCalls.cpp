//===- PendingCalls.cpp - Non-blocking calls of a communicator ------------===//
//
// The mutex belongs to the one who executes calls. The thread returns it as soon as the
// application wants it. It pauses when other processes are late, because the processor is there for
// the application.
//
//===----------------------------------------------------------------------===//

#include "PendingCalls.h"

#include "Waiting.h"

#include "llvm/ADT/STLExtras.h"

#include <csignal>

using namespace cclc;
using namespace cclc::run;

/// Polls without success after which one who executes calls looks around.
static constexpr int pollsAtOnce = NodeTransport::pollsBetweenCalls;
/// Rounds of such polls before the thread pauses, and how long a pause is.
static constexpr int roundsBeforePause = 10;
static constexpr std::chrono::microseconds pauseTime(50);
/// Pauses without a call before the thread sleeps until there is one, which has to wake it.
static constexpr int pausesBeforeSleep = 40;

PendingCall::PendingCall(const CollectiveCall &call, PlanExecution &execution, bool inOrder)
    : execution(execution), inOrder(inOrder), active{call}, outputType(call.recvData.type) {
  if (call.isBarrier)
    active.call.recv = &word;
  execution.pack(active);
  active.packedOutput.keepType(outputType.type);
}

PendingCalls::~PendingCalls() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_one();
  if (thread.joinable())
    thread.join();
}

void PendingCalls::add(PendingCall &call) {
  bool wakes;
  {
    std::lock_guard lock(mutex);
    waiting.push_back(&call);
    ++call.execution.pending;
    numInOrder += call.inOrder;
    wakes = isAsleep;
  }
  if (!thread.joinable())
    startThread();
  else if (wakes)
    changed.notify_one();
}

/// Signals of the process are for the threads of the application.
void PendingCalls::startThread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Starts the first waiting call of each execution that has no call.
void PendingCalls::startReady() {
  for (auto next = waiting.begin(); next != waiting.end();) {
    PendingCall *call = *next;
    if (llvm::any_of(active,
                     [&](PendingCall *other) { return &other->execution == &call->execution; })) {
      ++next;
      continue;
    }
    call->execution.start(call->active, /*callsLibrary=*/false);
    active.push_back(call);
    next = waiting.erase(next);
  }
}

/// Executes what can be executed now. Returns whether anything was.
bool PendingCalls::advance() {
  bool moved = false;
  for (size_t i = 0; i < active.size();) {
    PendingCall &call = *active[i];
    moved |= call.execution.progress();
    if (!call.execution.isDone()) {
      ++i;
      continue;
    }
    call.execution.stop(call.active);
    --call.execution.pending;
    active.erase(active.begin() + i);
    numInOrder -= call.inOrder;
    call.isExecuted.store(true, std::memory_order_release);
    startReady();
    moved = true;
  }
  return moved;
}

/// The same, with a number of attempts.
bool PendingCalls::progress() {
  startReady();
  bool moved = false;
  for (int idle = 0; idle < pollsAtOnce && !active.empty(); ++idle)
    if (advance()) {
      moved = true;
      idle = 0;
    }
  return moved;
}

void PendingCalls::work() {
  std::unique_lock lock(mutex);
  for (int idle = 0; !ends;) {
    if (!isIdle() && !isWanted && progress()) {
      idle = 0;
    } else if (isIdle() && idle >= pausesBeforeSleep) {
      isAsleep = true;
      changed.wait(lock, [this] { return ends || !isIdle(); });
      isAsleep = false;
      idle = 0;
    } else if (++idle < roundsBeforePause && !isIdle()) {
      lock.unlock();
      sched_yield();
      lock.lock();
    } else {
      changed.wait_for(lock, pauseTime);
    }
  }
}

template <class Condition> void PendingCalls::executeUntil(Condition condition) {
  isWanted = true;
  std::lock_guard lock(mutex);
  static const uint32_t roundsBeforeYield = pollsBeforeYield() / pollsAtOnce + 1;
  for (uint32_t idle = 0; !condition();) {
    if (progress()) {
      idle = 0;
      continue;
    }
    NodeTransport::callLibrary(messages);
    if (++idle % roundsBeforeYield == 0)
      sched_yield();
  }
  isWanted = false;
}

bool PendingCalls::poll(const PendingCall &call) {
  if (!call.isExecuted.load(std::memory_order_acquire))
    if (std::unique_lock lock(mutex, std::try_to_lock); lock && !call.isExecuted)
      progress();
  return call.isExecuted.load(std::memory_order_acquire);
}

void PendingCalls::wait(const PendingCall &call) {
  if (!call.isExecuted.load(std::memory_order_acquire))
    executeUntil([&] { return call.isExecuted.load(std::memory_order_relaxed); });
}

void PendingCalls::drain() {
  if (!empty())
    executeUntil([this] { return empty(); });
}

void PendingCalls::finish() {
  executeUntil([this] { return isIdle(); });
}
