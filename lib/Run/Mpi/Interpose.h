//===- Interpose.h - Functions in place of MPI's ----------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_INTERPOSE_H
#define CCL_LIB_RUN_MPI_INTERPOSE_H

#include "CollectiveCall.h"

#include <dlfcn.h>

#define CCL_EXPORT extern "C" __attribute__((visibility("default")))

/// Defines nextNAME, the function MPI_NAME of the next library.
#define CCL_NEXT(NAME)                                                                             \
  static const auto next##NAME =                                                                   \
      reinterpret_cast<decltype(&MPI_##NAME)>(dlsym(RTLD_NEXT, "MPI_" #NAME))

/// Defines PMPI_NAME, too.
#define CCL_BOTH(NAME)                                                                             \
  CCL_EXPORT decltype(MPI_##NAME) PMPI_##NAME __attribute__((alias("MPI_" #NAME)))

namespace cclc::run {

/// Executes a call by \p byPlan, which returns a code of MPI, or none to call \p native.
template <class ByPlan, class Native>
int interpose(const CollectiveCall &call, ByPlan byPlan, Native native) {
  if (!callsAreObserved)
    return native();
  if (std::optional<int> code = byPlan(call))
    return *code;
  if (!callsAreTimed)
    return native();
  auto begin = std::chrono::steady_clock::now();
  int code = native();
  addLibraryTime(call, std::chrono::steady_clock::now() - begin, code);
  return code;
}

/// A call with one type and one operator.
inline CollectiveCall reduction(CollectiveKind kind, const void *send, void *recv, int count,
                                MPI_Datatype type, MPI_Op op, MPI_Comm comm, int root = 0) {
  TypedData data{type, count};
  return {kind, send, recv, data, data, op, root, comm};
}

inline CollectiveCall broadcast(void *buffer, int count, MPI_Datatype type, int root,
                                MPI_Comm comm) {
  TypedData data{type, count};
  return {CollectiveKind::Broadcast, MPI_IN_PLACE, buffer, data, data, MPI_OP_NULL, root, comm};
}

/// A collective that moves a block for each rank.
inline CollectiveCall moveBlocks(CollectiveKind kind, const void *send, int sendCount,
                                 MPI_Datatype sendType, void *recv, int recvCount,
                                 MPI_Datatype recvType, MPI_Comm comm, int root = 0) {
  return {kind, send, recv, {sendType, sendCount}, {recvType, recvCount}, MPI_OP_NULL, root, comm};
}

/// A barrier, as an all-reduce of \p word, which has a size that portfolios of small calls have.
inline CollectiveCall barrier(uint64_t &word, MPI_Comm comm) {
  TypedData data{MPI_UINT64_T, 1};
  CollectiveCall call{CollectiveKind::AllReduce, MPI_IN_PLACE, &word, data, data, MPI_BOR, 0, comm};
  call.isBarrier = true;
  return call;
}

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_INTERPOSE_H
