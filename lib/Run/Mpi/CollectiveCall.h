//===- CollectiveCall.h - A call of an MPI collective -----------*- C++ -*-===//
//
// Executes the collectives of an application by the plans of a portfolio. Whether a call is covered
// depends only on what is equal in all processes: the collective, the communicator, type, operator,
// root, and the bytes of the buffer.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_COLLECTIVECALL_H
#define CCL_LIB_RUN_MPI_COLLECTIVECALL_H

#include "cclc/IR/Collective.h"

#include <mpi.h>

#include <chrono>
#include <optional>

namespace cclc::run {

/// Elements of the application, which may have gaps: those of a derived type, or pairs.
struct TypedData {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 0; ///< of the buffer, or of one block
};

/// The arguments of a call, not checked yet.
struct CollectiveCall {
  CollectiveKind kind;
  const void *send; ///< MPI_IN_PLACE for a broadcast
  void *recv;       ///< MPI_IN_PLACE for the root of a scatter, perhaps
  /// Reductions and broadcasts have one count and one type.
  TypedData sendData, recvData;
  MPI_Op op; ///< MPI_OP_NULL where data are only moved
  int root;
  MPI_Comm comm;
  /// An all-reduce of one word, whose result no process has before all of them have called.
  bool isBarrier = false;

  bool isInPlace() const { return send == MPI_IN_PLACE; }
  bool reduces() const { return cclc::reduces(kind); }
  bool hasRoot() const {
    return kind == CollectiveKind::Reduce || kind == CollectiveKind::Broadcast || isOfRoot();
  }
  /// Only the root has all blocks.
  bool isOfRoot() const {
    return kind == CollectiveKind::Gather || kind == CollectiveKind::Scatter;
  }
  /// A buffer has a block for each rank.
  bool hasBlocks() const {
    return kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter ||
           kind == CollectiveKind::AllToAll || isOfRoot();
  }
  /// The data of a buffer, or of a block of it, that have the same size in all processes: those
  /// that \p rank has to give.
  const TypedData &data(int rank) const {
    const bool isSent = isOfRoot() && (kind == CollectiveKind::Scatter) == (rank == root);
    return isSent ? sendData : recvData;
  }
};

/// Reads the portfolio and publishes it in the job. To be called before MPI_Init.
void announcePlans();

/// Compares what all processes of the job have announced. To be called by all of them after
/// MPI_Init. If no plan can be used, one process says why in one line.
void startPlans();

/// Whether executeByPlan() must be called: there are plans, or calls are counted.
extern bool callsAreObserved;

/// Executes \p call by a plan, and returns a code of MPI, which the handler of the communicator has
/// got if it is an error. Returns none if the MPI library must be called.
std::optional<int> executeByPlan(const CollectiveCall &call);

/// Begins \p call by a plan, and sets \p request. Returns a code of MPI, or none if the MPI library
/// must be called.
std::optional<int> beginByPlan(const CollectiveCall &call, MPI_Request *request);
/// Makes a persistent \p request for \p call. Returns a code of MPI, or none if the MPI library
/// must be called. To be called by all processes, which may wait for each other.
std::optional<int> makePersistent(const CollectiveCall &call, MPI_Request *request);
/// Starts \p request if it is one of these. The MPI library must be called as well, unless the code
/// is that of an error.
int startByPlan(MPI_Request request);
/// To be called before the MPI library frees \p request.
void forgetRequest(MPI_Request request);
/// Whether there are requests of beginByPlan() that are not complete, or of makePersistent().
extern bool requestsExist;
/// Completes \p request if it is one of them and its call is executed. \p waits: until it is.
void completeByPlan(MPI_Request request, bool waits);

/// The MPI library has executed \p call, or begun it, and returned \p code.
void addLibraryTime(const CollectiveCall &call, std::chrono::nanoseconds time, int code);
/// Whether that is to be called.
extern bool callsAreTimed;

/// The clock of statistics, which is not read while no call is timed.
struct StatisticsClock {
  using time_point = std::chrono::steady_clock::time_point;
  static time_point now() {
    return callsAreTimed ? std::chrono::steady_clock::now() : time_point();
  }
};

/// Lets the next calls be executed by the plan of \p file of the folder, if it covers them, and by
/// no other; null: as the portfolio says. To be called by all processes. Returns whether there is
/// one.
bool usePlan(const char *file);
/// The calls that plans have executed in this process.
uint64_t callsByPlans();

/// Prints statistics and writes the record, if they are requested, and frees everything. To be
/// called before MPI_Finalize.
void finishPlans();

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_COLLECTIVECALL_H
