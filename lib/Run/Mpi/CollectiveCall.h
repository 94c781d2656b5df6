//===- CollectiveCall.h - A call of an MPI collective -----------*- C++ -*-===//
//
// Executes the collectives of an application by the plans of a portfolio. Whether a call is covered
// depends only on what is equal in all processes: the collective, the communicator, type, operator,
// root, and the bytes of the buffer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_COLLECTIVECALL_H
#define CCL_LIB_RUN_MPI_COLLECTIVECALL_H

#include "cclc/IR/CollectiveKind.h"
#include "cclc/Sim/Data/DataType.h"

#include <mpi.h>

namespace cclc::run {

/// Elements of the application, which may have gaps: those of a derived type, or pairs.
struct TypedData {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0; ///< of a block
};

/// The arguments of a call.
struct CollectiveCall {
  CollectiveKind kind;
  /// Null for MPI_IN_PLACE. Of broadcast: the buffer, as \c output.
  const void *input;
  void *output;
  /// The elements of the input of all-reduce, reduce and broadcast; else of one block.
  int count;
  MPI_Datatype type;
  MPI_Op op; ///< MPI_OP_NULL where data are only moved
  int root;
  MPI_Comm comm;
  /// Where data are only moved. Processes may have different types for the same bytes, so that gaps
  /// must not decide whether a plan is used.
  TypedData inputData = {}, outputData = {};
};

/// Reads the portfolio and compares it with those of the other processes. To be called by all of
/// them after MPI_Init.
void startPlans();

/// Executes \p call by a plan. Returns false if none covers it: the MPI library must be called.
bool executeByPlan(const CollectiveCall &call);

/// Prints how many calls were executed by plans, if CCL_MPI_STATS is set, and frees everything.
/// To be called before MPI_Finalize.
void finishPlans();

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_COLLECTIVECALL_H
