//===- Interpose.cpp - MPI functions that call plans ----------------------===//
//
// An application that preloads this library calls these functions instead of those of the MPI
// library, which remain available under their PMPI names (MPI standard, profiling interface).
// Functions that are not listed here, and calls that no plan covers, go to the MPI library.
//
//===----------------------------------------------------------------------===//

#include "CollectiveCall.h"

using namespace cclc;
using namespace cclc::run;

#define CCL_EXPORT extern "C" __attribute__((visibility("default")))

static const void *inputOf(const void *send) { return send == MPI_IN_PLACE ? nullptr : send; }

static int rankIn(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

CCL_EXPORT int MPI_Init(int *argc, char ***argv) {
  int error = PMPI_Init(argc, argv);
  if (error == MPI_SUCCESS)
    startPlans();
  return error;
}

CCL_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  int error = PMPI_Init_thread(argc, argv, required, provided);
  if (error == MPI_SUCCESS)
    startPlans();
  return error;
}

CCL_EXPORT int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  if (executeByPlan({CollectiveKind::AllReduce, inputOf(send), recv, count, type, op, 0, comm}))
    return MPI_SUCCESS;
  return PMPI_Allreduce(send, recv, count, type, op, comm);
}

CCL_EXPORT int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          int root, MPI_Comm comm) {
  void *output = root >= 0 && rankIn(comm) == root ? recv : nullptr;
  if (root >= 0 &&
      executeByPlan({CollectiveKind::Reduce, inputOf(send), output, count, type, op, root, comm}))
    return MPI_SUCCESS;
  return PMPI_Reduce(send, recv, count, type, op, root, comm);
}

CCL_EXPORT int MPI_Reduce_scatter_block(const void *send, void *recv, int count, MPI_Datatype type,
                                        MPI_Op op, MPI_Comm comm) {
  if (executeByPlan({CollectiveKind::ReduceScatter, inputOf(send), recv, count, type, op, 0, comm}))
    return MPI_SUCCESS;
  return PMPI_Reduce_scatter_block(send, recv, count, type, op, comm);
}

/// The bytes of a buffer, which are equal in all processes, although neither count nor type need
/// be; 0 if they are more than a call of a plan can have.
static int bytesOf(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  int64_t bytes = int64_t(size) * count;
  return bytes > 0 && bytes <= INT32_MAX ? int(bytes) : 0;
}

CCL_EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (root >= 0 && executeByPlan({CollectiveKind::Broadcast,
                                  nullptr,
                                  buffer,
                                  bytesOf(count, type),
                                  MPI_BYTE,
                                  MPI_OP_NULL,
                                  root,
                                  comm,
                                  {},
                                  {type, count}}))
    return MPI_SUCCESS;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

/// A collective that moves a block for each rank.
static bool moveBlocks(CollectiveKind kind, const void *send, TypedData sendData, void *recv,
                       TypedData recvData, MPI_Comm comm) {
  if (send == MPI_IN_PLACE)
    sendData = {};
  return executeByPlan({kind, inputOf(send), recv, bytesOf(recvData.count, recvData.type), MPI_BYTE,
                        MPI_OP_NULL, 0, comm, sendData, recvData});
}

CCL_EXPORT int MPI_Allgather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                             int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  if (moveBlocks(CollectiveKind::AllGather, send, {sendType, sendCount}, recv,
                 {recvType, recvCount}, comm))
    return MPI_SUCCESS;
  return PMPI_Allgather(send, sendCount, sendType, recv, recvCount, recvType, comm);
}

CCL_EXPORT int MPI_Alltoall(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                            int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  if (moveBlocks(CollectiveKind::AllToAll, send, {sendType, sendCount}, recv, {recvType, recvCount},
                 comm))
    return MPI_SUCCESS;
  return PMPI_Alltoall(send, sendCount, sendType, recv, recvCount, recvType, comm);
}

CCL_EXPORT int MPI_Finalize() {
  finishPlans();
  return PMPI_Finalize();
}
