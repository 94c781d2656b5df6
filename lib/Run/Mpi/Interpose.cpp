//===- Interpose.cpp - MPI functions that call plans ----------------------===//
//
// An application that preloads this library calls these functions instead of those of the MPI
// library. Calls that no plan covers go to the next library that has the function: the MPI library,
// or a tool that is loaded after this one. Functions that are not listed here remain the library's.
//
//===----------------------------------------------------------------------===//

#include "Interpose.h"
#include "Preloaded.h"
#include "RecentCalls.h"

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

namespace {
/// The calls of MPI's functions, from their arguments.
template <CollectiveKind Kind>
constexpr auto reductionOf =
    [](const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
      return reduction(Kind, send, recv, count, type, op, comm);
    };
template <CollectiveKind Kind>
constexpr auto moveOf = [](const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                           int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  return moveBlocks(Kind, send, sendCount, sendType, recv, recvCount, recvType, comm);
};
template <CollectiveKind Kind>
constexpr auto rootedMoveOf = [](const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                                 int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm) {
  return moveBlocks(Kind, send, sendCount, sendType, recv, recvCount, recvType, comm, root);
};
constexpr auto rootedReduction = [](const void *send, void *recv, int count, MPI_Datatype type,
                                    MPI_Op op, int root, MPI_Comm comm) {
  return reduction(CollectiveKind::Reduce, send, recv, count, type, op, comm, root);
};

/// Apart, so that calls which the library executes need no memory for their arguments.
template <class Describe, class Native, class... Arguments>
[[gnu::noinline]] int execute(Describe describe, Native native, Arguments... arguments) {
  return interpose(describe(arguments...), executeByPlan, [&] { return native(arguments...); });
}

template <class Describe, class Native, class... Arguments>
int byPlanOr(Describe describe, Native native, Arguments... arguments) {
  if (recentCalls && recentCalls->areLeft(describe(arguments...)))
    return native(arguments...);
  return execute(describe, native, arguments...);
}
} // namespace

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
  return byPlanOr(reductionOf<CollectiveKind::AllReduce>, nextAllreduce, send, recv, count, type,
                  op, comm);
}

CCL_EXPORT int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          int root, MPI_Comm comm) {
  return byPlanOr(rootedReduction, nextReduce, send, recv, count, type, op, root, comm);
}

CCL_EXPORT int MPI_Reduce_scatter_block(const void *send, void *recv, int count, MPI_Datatype type,
                                        MPI_Op op, MPI_Comm comm) {
  return byPlanOr(reductionOf<CollectiveKind::ReduceScatter>, nextReduce_scatter_block, send, recv,
                  count, type, op, comm);
}

CCL_EXPORT int MPI_Scan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                        MPI_Comm comm) {
  return byPlanOr(reductionOf<CollectiveKind::Scan>, nextScan, send, recv, count, type, op, comm);
}

CCL_EXPORT int MPI_Exscan(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
  return byPlanOr(reductionOf<CollectiveKind::Exscan>, nextExscan, send, recv, count, type, op,
                  comm);
}

CCL_EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return byPlanOr(broadcast, nextBcast, buffer, count, type, root, comm);
}

CCL_EXPORT int MPI_Allgather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                             int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  return byPlanOr(moveOf<CollectiveKind::AllGather>, nextAllgather, send, sendCount, sendType, recv,
                  recvCount, recvType, comm);
}

CCL_EXPORT int MPI_Alltoall(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                            int recvCount, MPI_Datatype recvType, MPI_Comm comm) {
  return byPlanOr(moveOf<CollectiveKind::AllToAll>, nextAlltoall, send, sendCount, sendType, recv,
                  recvCount, recvType, comm);
}

CCL_EXPORT int MPI_Gather(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                          int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm) {
  return byPlanOr(rootedMoveOf<CollectiveKind::Gather>, nextGather, send, sendCount, sendType, recv,
                  recvCount, recvType, root, comm);
}

CCL_EXPORT int MPI_Scatter(const void *send, int sendCount, MPI_Datatype sendType, void *recv,
                           int recvCount, MPI_Datatype recvType, int root, MPI_Comm comm) {
  return byPlanOr(rootedMoveOf<CollectiveKind::Scatter>, nextScatter, send, sendCount, sendType,
                  recv, recvCount, recvType, root, comm);
}

CCL_EXPORT int MPI_Barrier(MPI_Comm comm) {
  static uint64_t word = 0; // its value does not matter
  return byPlanOr([](MPI_Comm of) { return barrier(word, of); }, nextBarrier, comm);
}

CCL_EXPORT bool cclc_use_plan(const char *file) { return usePlan(file); }

CCL_EXPORT uint64_t cclc_calls_by_plans() { return callsByPlans(); }
