//===- CallKey.h - Calls of one execution -----------------------*- C++ -*-===//

#ifndef CCL_LIB_RUN_MPI_CALLKEY_H
#define CCL_LIB_RUN_MPI_CALLKEY_H

#include "cclc/IR/CollectiveKind.h"

#include <compare>
#include <cstdint>

namespace cclc::run {

/// The calls of one execution on a communicator.
struct CallKey {
  CollectiveKind kind;
  int64_t count;        ///< of units in a buffer, or in a block of it
  uint32_t size = 1;    ///< bytes of a unit
  uintptr_t reduce = 0; ///< the function that reduces units, if the call does
  int root = 0;
  uint32_t row = 0; ///< of usePlan(); 0: the portfolio decides
  friend auto operator<=>(const CallKey &, const CallKey &) = default;
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_CALLKEY_H
