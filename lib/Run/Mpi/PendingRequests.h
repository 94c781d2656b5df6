//===- PendingRequests.h - Requests of non-blocking calls -------*- C++ -*-===//
//
// The requests are MPI's, so that the application passes them to MPI with others of its own: those
// of non-blocking calls are generalized ones, and those of persistent calls receive a message of
// the process to itself. They are completed when the application asks for them and the plan is
// executed.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_PENDINGREQUESTS_H
#define CCL_LIB_RUN_MPI_PENDINGREQUESTS_H

#include "NodeMemory.h"
#include "PendingCalls.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <map>
#include <memory>

namespace cclc::run {

/// A persistent collective, which its processes may start in another order than others.
struct PersistentCall {
  PersistentCall(const CollectiveCall &original, uint64_t bytes)
      : sendType(original.sendData.type), recvType(original.recvData.type), call(original),
        bytes(bytes) {
    call.sendData.type = sendType.type;
    call.recvData.type = recvType.type;
  }

  KeptType sendType, recvType;
  CollectiveCall call;
  uint64_t bytes; ///< of memory in this process
  NodeMemory memory;
  std::unique_ptr<PlanExecution> execution;
};

class PendingRequests {
public:
  using Time = std::chrono::nanoseconds;
  /// Called when the result of a call is stored, with the call, its code, and the time that the
  /// application has spent in it.
  using OnComplete = std::function<void(const CollectiveCall &, int, Time)>;
  explicit PendingRequests(OnComplete onComplete) : onComplete(std::move(onComplete)) {}
  ~PendingRequests();

  bool empty() const { return requests.empty(); }
  /// Adds \p call to \p calls, and makes its request. \p spent: the time since it began. Returns a
  /// code of MPI.
  int add(std::unique_ptr<PendingCall> call, PendingCalls &calls, Time spent, MPI_Request *request);
  /// Makes a request for \p call, whose executions are calls of \p calls. Returns a code of MPI.
  int add(std::unique_ptr<PersistentCall> call, PendingCalls &calls, MPI_Request *request);
  /// The memory of persistent calls in this process.
  uint64_t persistentBytes() const { return numBytes; }
  /// Starts \p request if it is a persistent one of these. The MPI library has to start it as well,
  /// unless the code is an error: its communicator is freed.
  int start(MPI_Request request);
  /// Removes \p request, which the MPI library has to free.
  void remove(MPI_Request request);
  /// Completes \p request if it is one of these and its call is executed. \p waits: until it is.
  void complete(MPI_Request request, bool waits);
  /// Waits for the results of all calls of \p calls, which may be destroyed then.
  void finish(PendingCalls &calls);

private:
  struct Entry {
    std::unique_ptr<PendingCall> call; ///< null: a persistent one that is not started
    PendingCalls *calls;               ///< null when the communicator is freed
    Time spent;
    int *code = nullptr; ///< of a generalized request
    bool isStored = false;
    std::unique_ptr<PersistentCall> persistent = {};
    int tag = 0; ///< of its message
  };
  /// Stores the result of a call that is executed.
  void store(Entry &entry);

  OnComplete onComplete;
  std::map<MPI_Request, Entry> requests;
  uint64_t numBytes = 0;
  MPI_Comm self = MPI_COMM_NULL; ///< of the messages of persistent requests
  std::vector<int> freeTags;
  int numTags = 0;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PENDINGREQUESTS_H
