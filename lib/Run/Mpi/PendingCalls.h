//===- PendingCalls.h - Non-blocking calls of a communicator ----*- C++ -*-===//
//
// Those with one execution are executed one after the other, in the order in which all processes
// begin them, and others at the same time. A thread executes them, so that other processes get
// their results whatever the application does, and without calls of MPI, whose messages belong to
// the application. Where the application waits, it executes them itself.
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
  /// \p inOrder: all processes begin it at the same place among those of the communicator; others
  /// are persistent, with an execution of their own.
  PendingCall(const CollectiveCall &call, PlanExecution &execution, bool inOrder);
  PendingCall(const PendingCall &) = delete;

  PlanExecution &execution; ///< may not exist after the call is executed
  const bool inOrder;
  ActiveCall active;
  uint64_t word = 0; ///< of a barrier
  std::atomic<bool> isExecuted = false;

private:
  KeptType outputType;
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
  /// Whether all calls in order are executed.
  bool empty() const { return numInOrder.load(std::memory_order_acquire) == 0; }
  /// Stores the result of a call that is executed.
  void unpack(PendingCall &call) { call.active.unpack(messages); }
  /// Whether \p call is executed, after an attempt to execute what can be executed now.
  bool poll(const PendingCall &call);
  /// Waits until \p call is executed.
  void wait(const PendingCall &call);
  /// Waits until all calls in order are executed.
  void drain();
  /// Waits until all calls are executed.
  void finish();

private:
  void startThread();
  void work();
  bool isIdle() const { return waiting.empty() && active.empty(); }
  void startReady();
  bool advance();
  bool progress();
  template <class Condition> void executeUntil(Condition condition);

  const MPI_Comm messages;
  std::atomic<uint32_t> numInOrder = 0;
  std::atomic<bool> isWanted = false; ///< by the application
  std::mutex mutex;                   ///< held by the one who executes calls
  std::condition_variable changed;
  std::deque<PendingCall *> waiting; ///< not started, in the order in which they began
  std::vector<PendingCall *> active; ///< started, with different executions
  bool isAsleep = false;             ///< the thread, until there is a call
  bool ends = false;
  std::thread thread; ///< from the first call on
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PENDINGCALLS_H
