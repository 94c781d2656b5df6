//===- NativeCollective.cpp - The collectives of the MPI library ----------===//
//
// Counts are those of one block: the longer buffer of an all-gather and of its relatives has a
// block for each rank. Buffers that are the same memory are passed as MPI_IN_PLACE.
//
//===----------------------------------------------------------------------===//

#include "NativeCollective.h"

using namespace cclc;
using namespace cclc::run;

namespace {
/// MPI_DATATYPE_NULL for types that MPI does not have.
MPI_Datatype mpiType(DataType type) {
  switch (type) {
  case DataType::F32:
    return MPI_FLOAT;
  case DataType::F64:
    return MPI_DOUBLE;
  case DataType::I8:
    return MPI_INT8_T;
  case DataType::I32:
    return MPI_INT32_T;
  case DataType::I64:
    return MPI_INT64_T;
  case DataType::U8:
    return MPI_UINT8_T;
  case DataType::F16:
  case DataType::BF16:
    break;
  }
  return MPI_DATATYPE_NULL;
}

/// MPI_OP_NULL for an average.
MPI_Op mpiOp(ReduceOp op) {
  switch (op) {
  case ReduceOp::Sum:
    return MPI_SUM;
  case ReduceOp::Prod:
    return MPI_PROD;
  case ReduceOp::Min:
    return MPI_MIN;
  case ReduceOp::Max:
    return MPI_MAX;
  case ReduceOp::Avg:
    break;
  }
  return MPI_OP_NULL;
}
} // namespace

bool run::hasNativeCollective(const PreparedPlan &plan) {
  CollectiveKind kind = plan.plan.info().collective.kind();
  if (reduces(kind))
    return mpiType(plan.settings.type) != MPI_DATATYPE_NULL &&
           mpiOp(plan.settings.op) != MPI_OP_NULL;
  switch (kind) {
  case CollectiveKind::AllGather:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    return true;
  default:
    return false;
  }
}

#define CCL_FUNCTIONS(PREFIX)                                                                      \
  {PREFIX##_Allreduce, PREFIX##_Reduce, PREFIX##_Reduce_scatter_block,                             \
   PREFIX##_Scan,      PREFIX##_Exscan, PREFIX##_Allgather,                                        \
   PREFIX##_Alltoall,  PREFIX##_Bcast,  PREFIX##_Gather,                                           \
   PREFIX##_Scatter}
const MpiFunctions run::applicationFunctions = CCL_FUNCTIONS(MPI);
const MpiFunctions run::libraryFunctions = CCL_FUNCTIONS(PMPI);

void run::callCollective(const MpiFunctions &functions, const PreparedPlan &plan, RankId rank,
                         const RankBuffers &buffers, MPI_Comm comm) {
  const Collective &collective = plan.plan.info().collective;
  void *in = buffers[size_t(Buffer::Input)], *out = buffers[size_t(Buffer::Output)];
  uint64_t inputs = plan.layout.elements(Buffer::Input);
  uint64_t outputs = plan.layout.elements(Buffer::Output);
  int root = int(collective.root().index());
  bool atRoot = rank == collective.root();
  MPI_Datatype type = mpiType(plan.settings.type);
  MPI_Op op = mpiOp(plan.settings.op);
  // Data that are only moved are bytes.
  int inBytes = int(inputs * plan.elementSize()), outBytes = int(outputs * plan.elementSize());
  int ranks = int(plan.plan.ranks());
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    functions.allreduce(in == out ? MPI_IN_PLACE : in, out, int(inputs), type, op, comm);
    return;
  case CollectiveKind::Reduce:
    functions.reduce(in == out && atRoot ? MPI_IN_PLACE : in, out, int(inputs), type, op, root,
                     comm);
    return;
  case CollectiveKind::ReduceScatter: {
    // In place, MPI puts the result at the begin of the input.
    bool inPlace = out >= in && out < static_cast<std::byte *>(in) + inBytes;
    functions.reduce_scatter_block(inPlace ? MPI_IN_PLACE : in, inPlace ? in : out, int(outputs),
                                   type, op, comm);
    return;
  }
  case CollectiveKind::Scan:
    functions.scan(in == out ? MPI_IN_PLACE : in, out, int(inputs), type, op, comm);
    return;
  case CollectiveKind::Exscan:
    functions.exscan(in == out ? MPI_IN_PLACE : in, out, int(inputs), type, op, comm);
    return;
  case CollectiveKind::AllGather: {
    bool inPlace = in >= out && in < static_cast<std::byte *>(out) + outBytes;
    functions.allgather(inPlace ? MPI_IN_PLACE : in, inBytes, MPI_BYTE, out, inBytes, MPI_BYTE,
                        comm);
    return;
  }
  case CollectiveKind::AllToAll:
    functions.alltoall(in == out ? MPI_IN_PLACE : in, inBytes / ranks, MPI_BYTE, out,
                       inBytes / ranks, MPI_BYTE, comm);
    return;
  case CollectiveKind::Broadcast:
    functions.bcast(atRoot ? in : out, inBytes, MPI_BYTE, root, comm);
    return;
  case CollectiveKind::Gather: {
    bool inPlace = atRoot && in >= out && in < static_cast<std::byte *>(out) + outBytes;
    functions.gather(inPlace ? MPI_IN_PLACE : in, inBytes, MPI_BYTE, out, inBytes, MPI_BYTE, root,
                     comm);
    return;
  }
  case CollectiveKind::Scatter: {
    bool inPlace = atRoot && out >= in && out < static_cast<std::byte *>(in) + inBytes;
    functions.scatter(in, outBytes, MPI_BYTE, inPlace ? MPI_IN_PLACE : out, outBytes, MPI_BYTE,
                      root, comm);
    return;
  }
  default:
    return;
  }
}
