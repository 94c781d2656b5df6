//===- PendingCalls.h - Non-blocking calls of a communicator ----*- C++ -*-===//
//
// The calls of a communicator are executed one after the other, in the order in which all its
// processes begin them. A thread executes them, so that other processes get their results whatever
// the application does, and without calls of MPI, whose messages belong to the application. Where
// the application waits, it executes them itself.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_PENDINGCALLS_H
#define CCL_LIB_RUN_MPI_PENDINGCALLS_H

#include "PlanExecution.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace cclc::run {

/// A call that has begun. It remains until it is executed.
struct PendingCall {
  /// Packs the data of \p call, whose derived types may be freed before it is executed.
  PendingCall(const CollectiveCall &call, PlanExecution &execution);
  PendingCall(const PendingCall &) = delete;
  ~PendingCall();

  /// Stores the result. To be called once, when the call is executed.
  void finish() { execution.unpack(active); }

  PlanExecution &execution;
  ActiveCall active;
  uint64_t word = 0; ///< of a barrier
  std::atomic<bool> isExecuted = false;

private:
  MPI_Datatype kept = MPI_DATATYPE_NULL;
};

/// All functions are those of the application's thread.
class PendingCalls {
public:
  /// Messages of \p messages advance while the application waits.
  explicit PendingCalls(MPI_Comm messages) : messages(messages) {}
  PendingCalls(const PendingCalls &) = delete;
  /// Calls that are not executed never will be.
  ~PendingCalls();

  void add(PendingCall &call);
  /// Whether all calls are executed.
  bool empty() const { return numPending.load(std::memory_order_acquire) == 0; }
  /// Whether \p call is executed, after an attempt to execute what can be executed now.
  bool poll(const PendingCall &call);
  /// Waits until \p call is executed.
  void wait(const PendingCall &call);
  /// Waits until all calls are executed.
  void drain();

private:
  void startThread();
  void work();
  bool progress();
  template <class Condition> void executeUntil(Condition condition);

  const MPI_Comm messages;
  std::atomic<uint32_t> numPending = 0;
  std::atomic<bool> isWanted = false; ///< by the application
  std::mutex mutex;                   ///< held by the one who executes calls
  std::condition_variable changed;
  std::deque<PendingCall *> calls;
  bool isStarted = false; ///< the first one
  bool isAsleep = false;  ///< the thread, until there is a call
  bool ends = false;
  std::thread thread; ///< from the first call on
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PENDINGCALLS_H
