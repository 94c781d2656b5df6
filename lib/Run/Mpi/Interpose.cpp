//===- Interpose.cpp - MPI functions that call plans ----------------------===//
//
// An application that preloads this library calls these functions instead of those of the MPI
// library. Calls that no plan covers go to the next library that has the function: the MPI library,
// or a tool that is loaded after this one. Functions that are not listed here remain the library's.
//
//===----------------------------------------------------------------------===//

#include "Interpose.h"

using namespace cclc;
using namespace cclc::run;

CCL_NEXT(Init);
CCL_NEXT(Init_thread);
CCL_NEXT(Finalize);
CCL_NEXT(Allreduce);
CCL_NEXT(Reduce);
CCL_NEXT(Reduce_scatter_block);
CCL_NEXT(Scan);
CCL_NEXT(Exscan);
CCL_NEXT(Bcast);
CCL_NEXT(Allgather);
CCL_NEXT(Alltoall);
CCL_NEXT(Gather);
CCL_NEXT(Scatter);
CCL_NEXT(Barrier);

template <class Native> static int interpose(const CollectiveCall &call, Native native) {
  return interpose(call, executeByPlan, native);
}

CCL_EXPORT int MPI_Init(int *argc, char ***argv) {
  announcePlans();
  int error = nextInit(argc, argv);
  if (error == MPI_SUCCESS)
    startPlans();
  return error;
}

CCL_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  announcePlans();
  int error = nextInit_thread(argc, argv, required, provided);
  if (error == MPI_SUCCESS)
    startPlans();
  return error;
}

CCL_EXPORT int MPI_Finalize() {
  finishPlans();
  return nextFinalize();
}

CCL_EXPORT int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  return interpose(reduction(CollectiveKind::AllReduce, send, recv, count, type, op, comm),
                   [&] { return nextAllreduce(send, recv, count, type, op, comm); });
}

CCL_EXPORT int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          int root, MPI_Comm comm) {
  return interpose(reduction(CollectiveKind::Reduce, send, recv, count, type, op, comm, root),
                   [&] { return nextReduce(send, recv, count, type, op, root, comm); });
}

CCL_EXPORT int MPI_Reduce_scatter_block(const void *send, void *recv, int count, MPI_Datatype type,
                                        MPI_Op op, MPI_Comm comm) {
  return interpose(reduction(CollectiveKind::ReduceScatter, send, recv, count, type, op, comm),
                   [&] { return nextReduce_scatter_block(send, recv, count, type, op, comm); });
}

CCL_EXPORT int MPI_Scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  return interpose(reduction(CollectiveKind::Scan, send, recv, count, type, op, comm),
                   [&] { return nextScan(send, recv, count, type, op, comm); });
}

CCL_EXPORT int MPI_Exscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
  return interpose(reduction(CollectiveKind::Exscan, send, recv, count, type, op, comm),
                   [&] { return nextExscan(send, recv, count, type, op, comm); });
}

CCL_EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return interpose(broadcast(buffer, count, type, root, comm),
                   [&] { return nextBcast(buffer, count, type, root, comm); });
}

CCL_EXPORT int MPI_Allgather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                             int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  return interpose(
      moveBlocks(CollectiveKind::AllGather, send, sendCount, sendType, recv, recvCount, recvType,
                 comm),
      [&] { return nextAllgather(send, sendCount, sendType, recv, recvCount, recvType, comm); });
}

CCL_EXPORT int MPI_Alltoall(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                            int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  return interpose(
      moveBlocks(CollectiveKind::AllToAll, send, sendCount, sendType, recv, recvCount, recvType,
                 comm),
      [&] { return nextAlltoall(send, sendCount, sendType, recv, recvCount, recvType, comm); });
}

CCL_EXPORT int MPI_Gather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                          int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm) {
  return interpose(
      moveBlocks(CollectiveKind::Gather, send, sendCount, sendType, recv, recvCount, recvType, comm,
                 root),
      [&] { return nextGather(send, sendCount, sendType, recv, recvCount, recvType, root, comm); });
}

CCL_EXPORT int MPI_Scatter(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                           int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm) {
  return interpose(moveBlocks(CollectiveKind::Scatter, send, sendCount, sendType, recv, recvCount,
                              recvType, comm, root),
                   [&] {
                     return nextScatter(send, sendCount, sendType, recv, recvCount, recvType, root,
                                        comm);
                   });
}

CCL_EXPORT int MPI_Barrier(MPI_Comm comm) {
  uint64_t word = 0;
  return interpose(barrier(word, comm), [&] { return nextBarrier(comm); });
}
