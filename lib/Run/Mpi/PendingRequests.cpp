//===- PendingRequests.cpp - Requests of non-blocking calls ---------------===//
//
// MPI learns of the end of a request only from the thread of the application, as it may have been
// initialised for one thread.
//
//===----------------------------------------------------------------------===//

#include "PendingRequests.h"

using namespace cclc;
using namespace cclc::run;

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
  requests.emplace(*request, Entry{std::move(call), &calls, spent, code});
  return MPI_SUCCESS;
}

PendingRequests::~PendingRequests() {
  if (self != MPI_COMM_NULL)
    PMPI_Comm_free(&self);
}

int PendingRequests::add(std::unique_ptr<PersistentCall> call, PendingCalls &calls,
                         MPI_Request *request) {
  if (self == MPI_COMM_NULL)
    PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &self);
  if (freeTags.empty())
    freeTags.push_back(numTags++);
  if (int error = PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, freeTags.back(), self, request);
      error != MPI_SUCCESS)
    return error;
  numBytes += call->bytes;
  Entry entry{nullptr, &calls, Time()};
  entry.persistent = std::move(call);
  entry.tag = freeTags.back();
  freeTags.pop_back();
  requests.emplace(*request, std::move(entry));
  return MPI_SUCCESS;
}

int PendingRequests::start(MPI_Request request) {
  auto found = requests.find(request);
  if (found == requests.end() || !found->second.persistent || found->second.call)
    return MPI_SUCCESS;
  Entry &entry = found->second;
  if (!entry.calls)
    return MPI_ERR_COMM;
  const StatisticsClock::time_point begin = StatisticsClock::now();
  entry.call = std::make_unique<PendingCall>(entry.persistent->call, *entry.persistent->execution,
                                             /*inOrder=*/false);
  entry.calls->add(*entry.call);
  entry.spent = StatisticsClock::now() - begin;
  return MPI_SUCCESS;
}

void PendingRequests::remove(MPI_Request request) {
  auto found = requests.find(request);
  if (found == requests.end() || !found->second.persistent || found->second.call)
    return;
  numBytes -= found->second.persistent->bytes;
  freeTags.push_back(found->second.tag);
  requests.erase(found);
}

void PendingRequests::store(Entry &entry) {
  entry.calls->unpack(*entry.call);
  entry.isStored = true;
  const ActiveCall &active = entry.call->active;
  if (entry.code)
    *entry.code = active.error;
  else if (active.error != MPI_SUCCESS)
    PMPI_Comm_call_errhandler(active.call.comm, active.error);
  onComplete(active.call, active.error, entry.spent);
}

void PendingRequests::complete(MPI_Request request, bool waits) {
  auto found = requests.find(request);
  if (found == requests.end() || !found->second.call)
    return;
  Entry &entry = found->second;
  if (!entry.isStored) {
    const StatisticsClock::time_point begin = StatisticsClock::now();
    if (waits)
      entry.calls->wait(*entry.call);
    const bool isExecuted = entry.calls->poll(*entry.call);
    entry.spent += StatisticsClock::now() - begin;
    if (!isExecuted)
      return;
    store(entry);
  }
  if (entry.persistent) {
    entry.call.reset();
    entry.isStored = false;
    PMPI_Send(nullptr, 0, MPI_BYTE, 0, entry.tag, self);
    return;
  }
  requests.erase(found);
  PMPI_Grequest_complete(request);
}

void PendingRequests::finish(PendingCalls &calls) {
  calls.finish();
  for (auto &[request, entry] : requests)
    if (entry.calls == &calls) {
      if (entry.call && !entry.isStored)
        store(entry);
      entry.calls = nullptr;
    }
}
