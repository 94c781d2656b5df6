//===- Nodes.h - The nodes of processes -------------------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_NODES_H
#define CCL_LIB_RUN_MPI_NODES_H

#include "SlotRing.h"

#include "llvm/ADT/STLExtras.h"

#include <mpi.h>

#include <vector>

namespace cclc::run {

/// Which processes of a communicator can share memory: those of a node.
class Nodes {
public:
  /// As the MPI library finds them. To be called by all processes of \p comm.
  static Nodes find(MPI_Comm comm);
  /// \p number nodes with successive processes.
  static Nodes simulated(uint32_t processes, uint32_t number);

  /// The first process of the node, which identifies it.
  int firstOf(int process) const { return first[process]; }
  uint32_t number() const;
  uint32_t processes() const { return uint32_t(first.size()); }
  /// The number of processes on the node of \p process.
  uint32_t processesWith(int process) const { return llvm::count(first, first[process]); }
  /// Whether any node has several processes.
  bool areShared() const { return number() < processes(); }

  /// The rings of the node of \p process, where rank r of the plan is process (r + \p shift) mod R.
  RingLayout layout(const PreparedPlan &plan, uint32_t shift, int process) const;
  /// The bytes of the largest of these, the same in all processes.
  uint64_t mostBytes(const PreparedPlan &plan, uint32_t shift) const;

private:
  explicit Nodes(std::vector<int> first) : first(std::move(first)) {}
  std::vector<int> first; ///< by process
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NODES_H
