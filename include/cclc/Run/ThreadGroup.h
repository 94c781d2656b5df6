//===- ThreadGroup.h - Execution by the threads of one process ---*- C++ -*-===//
//
// Every thread drives one rank or several, or one threadblock. The slots of a connection are a ring
// buffer with one producer and one consumer (Lamport, "Proving the Correctness of Multiprocess
// Programs", 1977): the number of sent and of received messages, each written by one side with
// release order and read by the other with acquire order. Nothing else is shared during an
// execution.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_THREADGROUP_H
#define CCL_RUN_THREADGROUP_H

#include "cclc/Run/Group.h"

namespace cclc::run {

/// The threads of an execution.
struct ThreadChoice {
  /// By default one for each processor; at most one for each rank.
  std::optional<uint32_t> number = std::nullopt;
  /// One for each threadblock instead, so that all orders that the plan permits can happen, and
  /// tools that observe threads observe threadblocks. Threads are named "r0 tb1". With
  /// ThreadSanitizer a thread of a large plan drives several threadblocks: "r0tb1,r12tb15".
  bool byThreadblock = false;
};

std::unique_ptr<Group> createThreadGroup(ThreadChoice threads = {});

} // namespace cclc::run

#endif // CCL_RUN_THREADGROUP_H
