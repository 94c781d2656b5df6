//===- Cellwise.h - The choice between runs and arrays ----------*- C++ -*-===//

#ifndef CCL_SUPPORT_CELLWISE_H
#define CCL_SUPPORT_CELLWISE_H

#include <cstdint>

namespace cclc {

/// Whether an array is faster than a RunMap for a program: it has few cells per step, and its \p
/// steps have few chunks.
template <class Steps> bool isCellwise(uint64_t cells, const Steps &steps) {
  uint64_t chunks = 0;
  for (const auto &step : steps)
    chunks += step.count;
  return chunks <= 4 * steps.size() && cells <= 16 * steps.size() + 4096;
}

} // namespace cclc

#endif // CCL_SUPPORT_CELLWISE_H
