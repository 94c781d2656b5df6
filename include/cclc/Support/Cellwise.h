//===- Cellwise.h - The choice between runs and arrays ----------*- C++ -*-===//

#ifndef CCL_SUPPORT_CELLWISE_H
#define CCL_SUPPORT_CELLWISE_H

#include <cstdint>

namespace cclc {

/// Whether an array is faster than a RunMap for these \p steps, of a program or a rank: there are
/// few cells per step, and the steps have few chunks.
template <class Steps> bool isCellwise(uint64_t cells, const Steps &steps) {
  uint64_t chunks = 0;
  for (const auto &step : steps)
    chunks += step.count;
  return chunks <= 8 * steps.size() && cells <= 16 * steps.size() + 64;
}

} // namespace cclc

#endif // CCL_SUPPORT_CELLWISE_H
