//===- ArenaPart.h - The shared memory of an execution ----------*- C++ -*-===//
//
// The rings of a node, then the scratch buffers of its ranks. The buffers of the application are
// memory of its processes, so that only messages in scratch need no slot.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_ARENAPART_H
#define CCL_LIB_RUN_MPI_ARENAPART_H

#include "NodeTransport.h"
#include "Nodes.h"

namespace cclc::run {

class ArenaPart {
public:
  /// For the node of \p process, at \p memory; null: the process shares nothing. Rank r of the plan
  /// is the process (r + \p shift) mod R.
  ArenaPart(const PreparedPlan &plan, const Nodes &nodes, uint32_t shift, int process,
            std::byte *memory, uint32_t generation);
  /// The bytes of the largest node, the same in all processes.
  static uint64_t mostBytes(const PreparedPlan &plan, const Nodes &nodes, uint32_t shift);

  SharedPlan node;
  uint32_t generation; ///< of the arena
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_ARENAPART_H
