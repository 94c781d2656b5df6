//===- ThreadGroup.h - Execution by the threads of one process ---*- C++ -*-===//
//
// Every thread drives one rank or several. The slots of a connection are a ring buffer with one
// producer and one consumer (Lamport, "Proving the Correctness of Multiprocess Programs", 1977):
// the number of sent and of received messages, each written by one side with release order and read
// by the other with acquire order. Nothing else is shared during an execution.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_THREADGROUP_H
#define CCL_RUN_THREADGROUP_H

#include "cclc/Run/Group.h"

namespace cclc::run {

/// Threads for all ranks of a plan: \p threads of them, by default one for each processor, and at
/// most one for each rank.
std::unique_ptr<Group> createThreadGroup(std::optional<uint32_t> threads = std::nullopt);

} // namespace cclc::run

#endif // CCL_RUN_THREADGROUP_H
