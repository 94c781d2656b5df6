//===- PlanExecution.h - A plan for calls of one size -----------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_PLANEXECUTION_H
#define CCL_LIB_RUN_MPI_PLANEXECUTION_H

#include "CallData.h"
#include "NodeTransport.h"
#include "Observers.h"

#include "cclc/Run/RankExecutor.h"

namespace cclc::run {

/// The bytes that an execution of \p plan takes in each rank.
std::vector<uint64_t> memoryByRank(const PreparedPlan &plan);

/// The rings of the node of a process, and the part of an arena where they are.
struct SharedRings {
  RingLayout layout;
  std::byte *memory;
  uint32_t generation;
};

/// A plan with its slots, scratch and tables, ready for calls of one size, type, operator and root.
/// When a call has returned, no message is under way: each process may remove the execution
/// whenever it wants.
class PlanExecution {
public:
  /// The process \p rank of \p messages is the rank of the plan whose number is less by \p shift.
  /// Messages inside its node use \p rings, if there are any.
  PlanExecution(std::unique_ptr<const PreparedPlan> plan, int rank, uint32_t shift,
                MPI_Comm messages, const std::optional<SharedRings> &rings);

  /// Of the memory of its rings; none without rings.
  std::optional<uint32_t> generation() const { return ringGeneration; }

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
  std::optional<uint32_t> ringGeneration;
  NodeTransport transport;
  RankExecutor<NodeTransport, NoObserver> executor;
  std::vector<std::byte> scratch;
  /// For an output, and the input of a scatter, that the application does not have.
  std::vector<std::byte> spare, absent;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_PLANEXECUTION_H
