//===- PendingRequests.cpp - Requests of non-blocking calls ---------------===//
//
// MPI learns of the end of a request only from the thread of the application, as it may have been
// initialised for one thread.
//
//===----------------------------------------------------------------------===//

#include "PendingRequests.h"

using namespace cclc;
using namespace cclc::run;
using Clock = std::chrono::steady_clock;

/// Of a non-blocking collective, only the error of a status is defined.
static int query(void *code, MPI_Status *status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return *static_cast<int *>(code);
}

static int release(void *code) {
  delete static_cast<int *>(code);
  return MPI_SUCCESS;
}

/// Collectives cannot be cancelled.
static int cancel(void *, int) { return MPI_SUCCESS; }

int PendingRequests::add(std::unique_ptr<PendingCall> call, PendingCalls &calls, Time spent,
                         MPI_Request *request) {
  int *code = new int(MPI_SUCCESS);
  if (int error = PMPI_Grequest_start(query, release, cancel, code, request);
      error != MPI_SUCCESS) {
    delete code;
    return error;
  }
  calls.add(*call);
  requests.emplace(*request, Entry{std::move(call), &calls, code, spent});
  return MPI_SUCCESS;
}

void PendingRequests::store(Entry &entry) {
  entry.call->finish();
  entry.calls = nullptr;
  const ActiveCall &active = entry.call->active;
  *entry.code = active.error;
  onComplete(active.call, active.error, entry.spent);
}

void PendingRequests::complete(MPI_Request request, bool waits) {
  auto found = requests.find(request);
  if (found == requests.end())
    return;
  Entry &entry = found->second;
  if (entry.calls) {
    const Clock::time_point begin = Clock::now();
    if (waits)
      entry.calls->wait(*entry.call);
    const bool isExecuted = entry.calls->poll(*entry.call);
    entry.spent += Clock::now() - begin;
    if (!isExecuted)
      return;
    store(entry);
  }
  requests.erase(found);
  PMPI_Grequest_complete(request);
}

void PendingRequests::finish(PendingCalls &calls) {
  calls.drain();
  for (auto &[request, entry] : requests)
    if (entry.calls == &calls)
      store(entry);
}
