//===- PlanExecution.h - A plan for calls of one size -----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_PLANEXECUTION_H
#define CCL_LIB_RUN_MPI_PLANEXECUTION_H

#include "CallData.h"
#include "MpiTransport.h"
#include "Observers.h"

#include "cclc/Run/RankExecutor.h"

namespace cclc::run {

/// The bytes that an execution of \p plan takes in each rank.
std::vector<uint64_t> memoryByRank(const PreparedPlan &plan);

/// A plan with its slots, scratch and tables, ready for calls of one size, type, operator and root.
/// When a call has returned, no message is under way: each process may remove the execution
/// whenever it wants.
class PlanExecution {
public:
  /// The process \p rank of \p messages is the rank of the plan whose number is less by \p shift.
  PlanExecution(std::unique_ptr<const PreparedPlan> plan, int rank, uint32_t shift,
                MPI_Comm messages);

  /// Returns the first error of MPI. The arguments must be right.
  int run(const CollectiveCall &call);

private:
  /// Whether the call stores data in this process.
  bool hasOutput(const CollectiveCall &call) const;
  /// The data that the plan reads, with the blocks in the order of its ranks; null: in the output.
  int packInput(const CollectiveCall &call, PackedData &packed, std::byte *&input);
  /// A buffer is null where the application has none.
  int runOn(std::byte *input, std::byte *output);
  int runPlan(const RankBuffers &buffers);
  std::byte *spareMemory();

  std::unique_ptr<const PreparedPlan> plan;
  RankId rank;
  uint32_t shift;
  MPI_Comm messages;
  bool isRoot;
  size_t inputBytes, outputBytes;
  MpiTransport transport;
  RankExecutor<MpiTransport, NoObserver> executor;
  std::vector<std::byte> scratch;
  /// For an output, and the input of a scatter, that the application does not have.
  std::vector<std::byte> spare, absent;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANEXECUTION_H
