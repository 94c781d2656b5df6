//===- InterposePersistent.cpp - Persistent collectives -------------------===//
//
// MPI 4 has them, and Open MPI 4 as an extension with other names.
//
//===----------------------------------------------------------------------===//

#include "Interpose.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

using namespace cclc;
using namespace cclc::run;

CCL_NEXT(Start);
CCL_NEXT(Startall);
CCL_NEXT(Request_free);
CCL_BOTH(Start);
CCL_BOTH(Startall);
CCL_BOTH(Request_free);

/// Starts those of plans among \p requests. Returns the first error, of which the application
/// hears.
static int start(int count, const MPI_Request *requests) {
  for (int r = 0; requestsExist && requests && r < count; ++r)
    if (int code = startByPlan(requests[r]); code != MPI_SUCCESS)
      return PMPI_Comm_call_errhandler(MPI_COMM_WORLD, code), code;
  return MPI_SUCCESS;
}

CCL_EXPORT int MPI_Start(MPI_Request *request) {
  int code = start(1, request);
  return code == MPI_SUCCESS ? nextStart(request) : code;
}

CCL_EXPORT int MPI_Startall(int count, MPI_Request *requests) {
  int code = start(count, requests);
  return code == MPI_SUCCESS ? nextStartall(count, requests) : code;
}

CCL_EXPORT int MPI_Request_free(MPI_Request *request) {
  if (requestsExist && request)
    forgetRequest(*request);
  return nextRequest_free(request);
}

#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#ifdef OPEN_MPI
#define CCL_INIT(NAME) MPIX_##NAME##_init
#define CCL_NAME_OF_INIT(NAME) "MPIX_" #NAME "_init"
#else
#define CCL_INIT(NAME) MPI_##NAME##_init
#define CCL_NAME_OF_INIT(NAME) "MPI_" #NAME "_init"
#endif

/// Defines nextInitNAME, the function CCL_INIT(NAME) of the next library.
#define CCL_NEXT_INIT(NAME)                                                                        \
  static const auto nextInit##NAME =                                                               \
      reinterpret_cast<decltype(&CCL_INIT(NAME))>(dlsym(RTLD_NEXT, CCL_NAME_OF_INIT(NAME)))
CCL_NEXT_INIT(Allreduce);
CCL_NEXT_INIT(Reduce);
CCL_NEXT_INIT(Reduce_scatter_block);
CCL_NEXT_INIT(Scan);
CCL_NEXT_INIT(Exscan);
CCL_NEXT_INIT(Bcast);
CCL_NEXT_INIT(Allgather);
CCL_NEXT_INIT(Alltoall);
CCL_NEXT_INIT(Gather);
CCL_NEXT_INIT(Scatter);
CCL_NEXT_INIT(Barrier);

template <class Native>
static int interposeInit(const CollectiveCall &call, MPI_Request *request, Native native) {
  return interpose(
      call, [&](const CollectiveCall &each) { return makePersistent(each, request); }, native);
}

CCL_EXPORT int CCL_INIT(Allreduce)(const void *send, void *recv, int count, MPI_Datatype type,
                                   MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return interposeInit(
      reduction(CollectiveKind::AllReduce, send, recv, count, type, op, comm), request,
      [&] { return nextInitAllreduce(send, recv, count, type, op, comm, info, request); });
}

CCL_EXPORT int CCL_INIT(Reduce)(const void *send, void *recv, int count, MPI_Datatype type,
                                MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
                                MPI_Request *request) {
  return interposeInit(
      reduction(CollectiveKind::Reduce, send, recv, count, type, op, comm, root), request,
      [&] { return nextInitReduce(send, recv, count, type, op, root, comm, info, request); });
}

CCL_EXPORT int CCL_INIT(Reduce_scatter_block)(const void *send, void *recv, int count,
                                              MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                              MPI_Info info, MPI_Request *request) {
  return interposeInit(
      reduction(CollectiveKind::ReduceScatter, send, recv, count, type, op, comm), request, [&] {
        return nextInitReduce_scatter_block(send, recv, count, type, op, comm, info, request);
      });
}

CCL_EXPORT int CCL_INIT(Scan)(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return interposeInit(
      reduction(CollectiveKind::Scan, send, recv, count, type, op, comm), request,
      [&] { return nextInitScan(send, recv, count, type, op, comm, info, request); });
}

CCL_EXPORT int CCL_INIT(Exscan)(const void *send, void *recv, int count, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  return interposeInit(
      reduction(CollectiveKind::Exscan, send, recv, count, type, op, comm), request,
      [&] { return nextInitExscan(send, recv, count, type, op, comm, info, request); });
}

CCL_EXPORT int CCL_INIT(Bcast)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                               MPI_Info info, MPI_Request *request) {
  return interposeInit(broadcast(buffer, count, type, root, comm), request, [&] {
    return nextInitBcast(buffer, count, type, root, comm, info, request);
  });
}

CCL_EXPORT int CCL_INIT(Allgather)(const void *send, int sendCount, MPI_Datatype sendType,
                                   void *recv, int recvCount, MPI_Datatype recvType, MPI_Comm comm,
                                   MPI_Info info, MPI_Request *request) {
  return interposeInit(moveBlocks(CollectiveKind::AllGather, send, sendCount, sendType, recv,
                                  recvCount, recvType, comm),
                       request, [&] {
                         return nextInitAllgather(send, sendCount, sendType, recv, recvCount,
                                                  recvType, comm, info, request);
                       });
}

CCL_EXPORT int CCL_INIT(Alltoall)(const void *send, int sendCount, MPI_Datatype sendType,
                                  void *recv, int recvCount, MPI_Datatype recvType, MPI_Comm comm,
                                  MPI_Info info, MPI_Request *request) {
  return interposeInit(moveBlocks(CollectiveKind::AllToAll, send, sendCount, sendType, recv,
                                  recvCount, recvType, comm),
                       request, [&] {
                         return nextInitAlltoall(send, sendCount, sendType, recv, recvCount,
                                                 recvType, comm, info, request);
                       });
}

CCL_EXPORT int CCL_INIT(Gather)(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                                int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm,
                                MPI_Info info, MPI_Request *request) {
  return interposeInit(moveBlocks(CollectiveKind::Gather, send, sendCount, sendType, recv,
                                  recvCount, recvType, comm, root),
                       request, [&] {
                         return nextInitGather(send, sendCount, sendType, recv, recvCount, recvType,
                                               root, comm, info, request);
                       });
}

CCL_EXPORT int CCL_INIT(Scatter)(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                                 int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm,
                                 MPI_Info info, MPI_Request *request) {
  return interposeInit(moveBlocks(CollectiveKind::Scatter, send, sendCount, sendType, recv,
                                  recvCount, recvType, comm, root),
                       request, [&] {
                         return nextInitScatter(send, sendCount, sendType, recv, recvCount,
                                                recvType, root, comm, info, request);
                       });
}

CCL_EXPORT int CCL_INIT(Barrier)(MPI_Comm comm, MPI_Info info, MPI_Request *request) {
  uint64_t word = 0; // a persistent call has its own
  return interposeInit(barrier(word, comm), request,
                       [&] { return nextInitBarrier(comm, info, request); });
}
#endif
