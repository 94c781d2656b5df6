//===- Pipelining.h - The gain of messages in pieces ------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_PIPELINING_H
#define CCL_LIB_RUN_PIPELINING_H

#include "cclc/Run/PreparedPlan.h"

namespace cclc::run {

/// The times of an execution, if each chunk that a step receives or handles takes one unit.
struct Pipelining {
  uint64_t first = 0; ///< of the first piece: the longest path of the plan
  uint64_t next = 0;  ///< between the ends of two pieces: of the busiest rank or threadblock
};
Pipelining findPipelining(const PreparedPlan &plan);

/// The number of pieces with the least time for messages of \p bytes on average, each of which
/// costs as much as \p messageCost bytes of data.
uint64_t bestPieces(const Pipelining &pipelining, uint64_t bytes, uint64_t messageCost);

} // namespace cclc::run

#endif // CCL_LIB_RUN_PIPELINING_H
