//===- Processors.h - The processors of a host ------------------*- C++ -*-===//

#ifndef CCL_TARGET_PROCESSORS_H
#define CCL_TARGET_PROCESSORS_H

#include "cclc/Support/Units.h"

#include <cstdint>
#include <optional>

namespace cclc {

/// Processors that execute the steps of several PEs in turn: the threads or processes of a host.
/// They move the data themselves.
struct ProcessorModel {
  uint32_t count;
  /// The rate of every copy: of data into a slot, out of a slot, or in memory.
  Bandwidth copyRate;
  /// Between PEs of different processors: the time until a message that is sent can be seen, and
  /// the rate of the additional time in which each side fetches the cache lines of the other.
  SimTime latency;
  Bandwidth fetchRate;
  /// Messages of this size or more are read in the memory of their sender, unless they are formed
  /// in a slot. Unset: none.
  std::optional<Bytes> direct;
  /// The factor, in thousandths, of the times of data that are not in a cache of this size. If it
  /// is unset, all data are in the cache.
  std::optional<Bytes> cache;
  uint32_t memoryPermille = 1000;
};

} // namespace cclc

#endif // CCL_TARGET_PROCESSORS_H
