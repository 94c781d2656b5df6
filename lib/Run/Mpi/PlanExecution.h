//===- PlanExecution.h - A plan for calls of one size -----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_PLANEXECUTION_H
#define CCL_LIB_RUN_MPI_PLANEXECUTION_H

#include "ArenaPart.h"
#include "CallData.h"
#include "Observers.h"

#include "cclc/Run/RankExecutor.h"

#include <atomic>

namespace cclc::run {

/// The bytes that an execution of \p plan takes in each rank.
std::vector<uint64_t> memoryByRank(const PreparedPlan &plan);

/// A call that an execution executes. The data that MPI has to pack are packed before it starts,
/// and unpacked after it has stopped, so that MPI is not called in between, nor is the execution
/// needed any more.
struct ActiveCall {
  /// To be called after the execution has stopped. \p messages returns errors.
  void unpack(MPI_Comm messages);
  void keepFirst(int code) { error = error == MPI_SUCCESS ? code : error; }

  CollectiveCall call;
  PackedData packedInput = {}, packedOutput = {};
  /// Null where the application has none.
  std::byte *input = nullptr, *output = nullptr;
  bool packsOutput = false; ///< it has gaps
  int error = MPI_SUCCESS;  ///< the first one of MPI
};

/// A plan with its slots, scratch and tables, ready for calls of one size, type, operator and root.
/// When a call has returned, no message is under way: each process may remove the execution
/// whenever it wants.
class PlanExecution {
public:
  /// The process \p rank of \p messages is the rank of the plan whose number is less by \p shift.
  /// Messages inside its node, and scratch, use \p part, if there is one.
  PlanExecution(std::unique_ptr<const PreparedPlan> plan, int rank, uint32_t shift,
                MPI_Comm messages, const std::optional<ArenaPart> &part);

  /// Of the arena; none without a part of it.
  std::optional<uint32_t> generation() const { return arenaGeneration; }

  /// Returns the first error of MPI. The arguments must be right.
  int run(const CollectiveCall &call);

  // The parts of run(). Between start() and stop() there is no other call.
  void pack(ActiveCall &active);
  /// \p callsLibrary: the waits let messages of MPI advance, which are those of the plan as well if
  /// it has no rings.
  void start(ActiveCall &active, bool callsLibrary);
  /// Executes what can be executed now. Returns whether anything was.
  bool progress() {
    // The scratch of the last call is free when other processes have read it.
    isFree = isFree || transport.isRead();
    return isFree && !executor.done() && executor.progress();
  }
  bool isDone() { return executor.done() && transport.ended(); }
  /// To be called when it is done.
  void stop(ActiveCall &active);

  /// The calls that wait for their start or have not stopped; while there are any, the execution
  /// must remain.
  std::atomic<uint32_t> pending = 0;

private:
  /// Whether the call stores data in this process.
  bool hasOutput(const CollectiveCall &call) const;
  /// Whether the root of a gather has the blocks in another order than the plan.
  bool rotatesOutput(const CollectiveCall &call) const;
  /// The data that the plan reads, with the blocks in the order of its ranks; null: in the output.
  int packInput(const CollectiveCall &call, PackedData &packed, std::byte *&input);
  /// The memory of the plan for buffers that are null where the application has none.
  RankBuffers place(std::byte *input, std::byte *output);
  std::byte *spareMemory();

  std::unique_ptr<const PreparedPlan> plan;
  RankId rank;
  uint32_t shift;
  MPI_Comm messages;
  bool isRoot;
  size_t inputBytes, outputBytes;
  std::optional<uint32_t> arenaGeneration;
  NodeTransport transport;
  RankExecutor<NodeTransport, NoObserver> executor;
  bool isFree = true;
  std::vector<std::byte> ownScratch; ///< where it is not shared
  std::byte *scratch;
  /// For an output, and the input of a scatter, that the application does not have.
  std::vector<std::byte> spare, absent;
  /// What the call that is executed copies at its end, if anything.
  struct {
    std::byte *to = nullptr;
    const std::byte *from = nullptr;
  } result;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANEXECUTION_H
