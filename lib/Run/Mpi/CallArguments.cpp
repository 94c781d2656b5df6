//===- CallArguments.cpp - Arguments that MPI rejects ---------------------===//
//
// A call with a wrong argument goes to the MPI library, which reports it as it always does. Only
// what the library is known to reject may go there: other processes may execute the plan. So memory
// that is input and output is left to the execution where the library accepts it.
//
//===----------------------------------------------------------------------===//

#include "CallArguments.h"

#include "CallData.h"

using namespace cclc;
using namespace cclc::run;

static bool isNoBuffer(const void *buffer) { return !buffer || buffer == MPI_IN_PLACE; }

/// Whether the library reports that input and output are the same memory.
static bool rejectsAlias([[maybe_unused]] const CollectiveCall &call) {
#ifdef OPEN_MPI
  return call.kind == CollectiveKind::Reduce ||
         (call.kind == CollectiveKind::AllReduce && call.recvData.count > 1);
#else
  return true;
#endif
}

/// Whether the library reports that a reduction has no output in this process.
static bool needsOutput(const CollectiveCall &call, int rank) {
#ifdef OPEN_MPI
  if (call.kind == CollectiveKind::Exscan) // MPICH needs one that it does not write
    return rank > 0;
#endif
  return call.kind != CollectiveKind::Reduce || rank == call.root;
}

/// Reductions of one of MPI's own types.
static bool isRejectedReduction(const CollectiveCall &call, int rank) {
  bool hasOutput = needsOutput(call, rank);
  if (hasOutput && isNoBuffer(call.recv))
    return true;
  if (call.isInPlace())
    return call.kind == CollectiveKind::Reduce ? !hasOutput : isNoBuffer(call.recv);
  return !call.send || (hasOutput && call.send == call.recv && rejectsAlias(call));
}

/// A null address is that of no data, but MPI_BOTTOM of a derived type.
static bool isRejectedData(const void *buffer, const TypedData &data, MPI_Comm messages) {
  if (data.count < 0 || data.type == MPI_DATATYPE_NULL || buffer == MPI_IN_PLACE)
    return true;
  if (factsOf(data.type).isElementary)
    return !buffer;
  // MPI has no function that says whether a type is committed.
  return PMPI_Send(MPI_BOTTOM, 0, data.type, MPI_PROC_NULL, 0, messages) != MPI_SUCCESS;
}

static int64_t bytesIn(const TypedData &data) {
  return int64_t(factsOf(data.type).size) * data.count;
}

/// Gather and scatter: the blocks are those of the root, where its own may be in place.
static bool isRejectedOfRoot(const CollectiveCall &call, int rank, MPI_Comm messages) {
  const bool gathers = call.kind == CollectiveKind::Gather, isRoot = rank == call.root;
  const void *all = gathers ? call.recv : call.send, *own = gathers ? call.send : call.recv;
  const TypedData &allData = gathers ? call.recvData : call.sendData;
  const TypedData &ownData = gathers ? call.sendData : call.recvData;
  if (isRoot && isRejectedData(all, allData, messages))
    return true;
  if (own == MPI_IN_PLACE)
    return !isRoot;
  if (isRejectedData(own, ownData, messages))
    return true;
  return isRoot && (bytesIn(allData) != bytesIn(ownData) ||
                    (own == static_cast<const std::byte *>(all) + rank * bytesIn(allData) &&
                     rejectsAlias(call)));
}

bool run::isRejected(const CollectiveCall &call, int rank, MPI_Comm messages) {
  if (call.reduces())
    return isRejectedReduction(call, rank);
  if (call.isOfRoot())
    return isRejectedOfRoot(call, rank, messages);
  if (isRejectedData(call.recv, call.recvData, messages))
    return true;
  if (call.isInPlace())
    return false;
  if (isRejectedData(call.send, call.sendData, messages))
    return true;
  int64_t bytes = bytesIn(call.recvData);
  if (bytesIn(call.sendData) != bytes)
    return true;
  auto *output = static_cast<const std::byte *>(call.recv);
  if (call.kind == CollectiveKind::AllGather)
    output += rank * bytes;
  return call.send == output && rejectsAlias(call);
}
