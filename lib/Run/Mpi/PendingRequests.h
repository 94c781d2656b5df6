//===- PendingRequests.h - Requests of non-blocking calls -------*- C++ -*-===//
//
// The requests are generalized ones of MPI, so that the application passes them to MPI with others
// of its own. MPI completes such a request when it is told to, which is when the application asks
// for it and the plan is executed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_PENDINGREQUESTS_H
#define CCL_LIB_RUN_MPI_PENDINGREQUESTS_H

#include "PendingCalls.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <map>
#include <memory>

namespace cclc::run {

class PendingRequests {
public:
  using Time = std::chrono::nanoseconds;
  /// Called when the result of a call is stored, with the call, its code, and the time that the
  /// application has spent in it.
  using OnComplete = std::function<void(const CollectiveCall &, int, Time)>;
  explicit PendingRequests(OnComplete onComplete) : onComplete(std::move(onComplete)) {}

  bool empty() const { return requests.empty(); }
  /// Adds \p call to \p calls, and makes its request. \p spent: the time since it began. Returns a
  /// code of MPI.
  int add(std::unique_ptr<PendingCall> call, PendingCalls &calls, Time spent, MPI_Request *request);
  /// Completes \p request if it is one of these and its call is executed. \p waits: until it is.
  void complete(MPI_Request request, bool waits);
  /// Waits for the results of all calls of \p calls, which may be destroyed then.
  void finish(PendingCalls &calls);

private:
  struct Entry {
    std::unique_ptr<PendingCall> call;
    PendingCalls *calls; ///< null: the result is stored
    int *code;           ///< of the request
    Time spent;
  };
  /// Stores the result of a call that is executed.
  void store(Entry &entry);

  OnComplete onComplete;
  std::map<MPI_Request, Entry> requests;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PENDINGREQUESTS_H
