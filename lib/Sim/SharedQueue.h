//===- SharedQueue.h - Connections that take turns in a queue ---*- C++ -*-===//

#ifndef CCL_LIB_SIM_SHAREDQUEUE_H
#define CCL_LIB_SIM_SHAREDQUEUE_H

#include "cclc/Support/Units.h"

#include <algorithm>
#include <utility>

namespace cclc {

/// One direction of a queue that connections share. It serves one of them at a time (rule 48).
struct SharedQueue {
  uint32_t context;
  SimTime freeAt;
};
/// A connection in such a queue.
struct QueueAccess {
  SharedQueue *queue = nullptr; ///< null: the connection has one of its own
  uint32_t context = 0;
};

/// Accesses a slot at \p from, through \p through if the queue is shared (rule 48): as soon as it
/// is free, and after \p change if it serves another connection. Returns the end of \p access.
template <class Access>
SimTime throughQueue(QueueAccess through, SimTime from, SimTime change, Access access) {
  SharedQueue own{through.context, {}}, &queue = through.queue ? *through.queue : own;
  from = std::max(from, queue.freeAt);
  if (std::exchange(queue.context, through.context) != through.context)
    from += change;
  return queue.freeAt = access(from);
}

} // namespace cclc

#endif // CCL_LIB_SIM_SHAREDQUEUE_H
