//===- InterposeNonBlocking.cpp - MPI functions with requests -------------===//
//
// Non-blocking collectives that plans execute, and the functions that complete requests. These
// look for requests of plans only while there are some. Where several requests are tested or
// waited for, those of plans whose calls are executed are completed first, so that the MPI library
// sees them as it sees its own.
//
// Functions of Fortran call those of C by either of their two names: those of MPICH's module
// mpi_f08 begin a collective by MPI_NAME and complete it by PMPI_NAME, and those of Open MPI call
// PMPI_NAME.
//
//===----------------------------------------------------------------------===//

#include "Interpose.h"

#include "llvm/ADT/ArrayRef.h"

#include <sched.h>

using namespace cclc;
using namespace cclc::run;

CCL_NEXT(Iallreduce);
CCL_NEXT(Ireduce);
CCL_NEXT(Ireduce_scatter_block);
CCL_NEXT(Iscan);
CCL_NEXT(Iexscan);
CCL_NEXT(Ibcast);
CCL_NEXT(Iallgather);
CCL_NEXT(Ialltoall);
CCL_NEXT(Igather);
CCL_NEXT(Iscatter);
CCL_NEXT(Ibarrier);
CCL_NEXT(Wait);
CCL_NEXT(Waitall);
CCL_NEXT(Waitany);
CCL_NEXT(Waitsome);
CCL_NEXT(Test);
CCL_NEXT(Testall);
CCL_NEXT(Testany);
CCL_NEXT(Testsome);
CCL_NEXT(Request_get_status);

CCL_BOTH(Iallreduce);
CCL_BOTH(Ireduce);
CCL_BOTH(Ireduce_scatter_block);
CCL_BOTH(Iscan);
CCL_BOTH(Iexscan);
CCL_BOTH(Ibcast);
CCL_BOTH(Iallgather);
CCL_BOTH(Ialltoall);
CCL_BOTH(Igather);
CCL_BOTH(Iscatter);
CCL_BOTH(Ibarrier);
CCL_BOTH(Wait);
CCL_BOTH(Waitall);
CCL_BOTH(Waitany);
CCL_BOTH(Waitsome);
CCL_BOTH(Test);
CCL_BOTH(Testall);
CCL_BOTH(Testany);
CCL_BOTH(Testsome);
CCL_BOTH(Request_get_status);

template <class Native>
static int interposeBegin(const CollectiveCall &call, MPI_Request *request, Native native) {
  return interpose(
      call, [&](const CollectiveCall &each) { return beginByPlan(each, request); }, native);
}

CCL_EXPORT int MPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request *request) {
  return interposeBegin(reduction(CollectiveKind::AllReduce, send, recv, count, type, op, comm),
                        request,
                        [&] { return nextIallreduce(send, recv, count, type, op, comm, request); });
}

CCL_EXPORT int MPI_Ireduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           int root, MPI_Comm comm, MPI_Request *request) {
  return interposeBegin(
      reduction(CollectiveKind::Reduce, send, recv, count, type, op, comm, root), request,
      [&] { return nextIreduce(send, recv, count, type, op, root, comm, request); });
}

CCL_EXPORT int MPI_Ireduce_scatter_block(const void *send, void *recv, int count, MPI_Datatype type,
                                         MPI_Op op, MPI_Comm comm, MPI_Request *request) {
  return interposeBegin(
      reduction(CollectiveKind::ReduceScatter, send, recv, count, type, op, comm), request,
      [&] { return nextIreduce_scatter_block(send, recv, count, type, op, comm, request); });
}

CCL_EXPORT int MPI_Iscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm, MPI_Request *request) {
  return interposeBegin(reduction(CollectiveKind::Scan, send, recv, count, type, op, comm), request,
                        [&] { return nextIscan(send, recv, count, type, op, comm, request); });
}

CCL_EXPORT int MPI_Iexscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm, MPI_Request *request) {
  return interposeBegin(reduction(CollectiveKind::Exscan, send, recv, count, type, op, comm),
                        request,
                        [&] { return nextIexscan(send, recv, count, type, op, comm, request); });
}

CCL_EXPORT int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                          MPI_Request *request) {
  return interposeBegin(broadcast(buffer, count, type, root, comm), request,
                        [&] { return nextIbcast(buffer, count, type, root, comm, request); });
}

CCL_EXPORT int MPI_Iallgather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                              int recvCount, MPI_Datatype recvType, MPI_Comm comm,
                              MPI_Request *request) {
  return interposeBegin(moveBlocks(CollectiveKind::AllGather, send, sendCount, sendType, recv,
                                   recvCount, recvType, comm),
                        request, [&] {
                          return nextIallgather(send, sendCount, sendType, recv, recvCount,
                                                recvType, comm, request);
                        });
}

CCL_EXPORT int MPI_Ialltoall(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                             int recvCount, MPI_Datatype recvType, MPI_Comm comm,
                             MPI_Request *request) {
  return interposeBegin(moveBlocks(CollectiveKind::AllToAll, send, sendCount, sendType, recv,
                                   recvCount, recvType, comm),
                        request, [&] {
                          return nextIalltoall(send, sendCount, sendType, recv, recvCount, recvType,
                                               comm, request);
                        });
}

CCL_EXPORT int MPI_Igather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                           int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm,
                           MPI_Request *request) {
  return interposeBegin(moveBlocks(CollectiveKind::Gather, send, sendCount, sendType, recv,
                                   recvCount, recvType, comm, root),
                        request, [&] {
                          return nextIgather(send, sendCount, sendType, recv, recvCount, recvType,
                                             root, comm, request);
                        });
}

CCL_EXPORT int MPI_Iscatter(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                            int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm,
                            MPI_Request *request) {
  return interposeBegin(moveBlocks(CollectiveKind::Scatter, send, sendCount, sendType, recv,
                                   recvCount, recvType, comm, root),
                        request, [&] {
                          return nextIscatter(send, sendCount, sendType, recv, recvCount, recvType,
                                              root, comm, request);
                        });
}

CCL_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
  uint64_t word = 0; // a pending call has its own
  return interposeBegin(barrier(word, comm), request, [&] { return nextIbarrier(comm, request); });
}

/// Completes the requests of plans among \p requests, if any. \p waits: all of them.
static void complete(llvm::ArrayRef<MPI_Request> requests, bool waits) {
  if (requestsExist)
    for (MPI_Request request : requests)
      completeByPlan(request, waits);
}

/// The requests that a call has; none if MPI reports that it has not.
static llvm::ArrayRef<MPI_Request> requestsOf(int count, const MPI_Request *requests) {
  return {requests, size_t(requests && count > 0 ? count : 0)};
}

/// Calls \p test, which returns whether it is over, again and again if there are requests of plans,
/// and \p wait otherwise: the MPI library would not return when one of those is executed.
template <class Test, class Wait>
static int waitForOneOf(llvm::ArrayRef<MPI_Request> requests, Test test, Wait wait) {
  while (requestsExist) {
    complete(requests, /*waits=*/false);
    int isOver = 0;
    if (int code = test(isOver); code != MPI_SUCCESS || isOver)
      return code;
    sched_yield();
  }
  return wait();
}

CCL_EXPORT int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  complete(requestsOf(1, request), /*waits=*/true);
  return nextWait(request, status);
}

CCL_EXPORT int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  complete(requestsOf(count, requests), /*waits=*/true);
  return nextWaitall(count, requests, statuses);
}

CCL_EXPORT int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  return waitForOneOf(
      requestsOf(count, requests),
      [&](int &isOver) { return nextTestany(count, requests, index, &isOver, status); },
      [&] { return nextWaitany(count, requests, index, status); });
}

CCL_EXPORT int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices,
                            MPI_Status *statuses) {
  return waitForOneOf(
      requestsOf(count, requests),
      [&](int &isOver) {
        int code = nextTestsome(count, requests, done, indices, statuses);
        isOver = *done != 0; // MPI_UNDEFINED if no request is active
        return code;
      },
      [&] { return nextWaitsome(count, requests, done, indices, statuses); });
}

CCL_EXPORT int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  complete(requestsOf(1, request), /*waits=*/false);
  return nextTest(request, flag, status);
}

CCL_EXPORT int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  complete(requestsOf(count, requests), /*waits=*/false);
  return nextTestall(count, requests, flag, statuses);
}

CCL_EXPORT int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag,
                           MPI_Status *status) {
  complete(requestsOf(count, requests), /*waits=*/false);
  return nextTestany(count, requests, index, flag, status);
}

CCL_EXPORT int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices,
                            MPI_Status *statuses) {
  complete(requestsOf(count, requests), /*waits=*/false);
  return nextTestsome(count, requests, done, indices, statuses);
}

CCL_EXPORT int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  complete(request, /*waits=*/false);
  return nextRequest_get_status(request, flag, status);
}
