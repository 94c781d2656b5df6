//===- MemoryPorts.h - Ports of the memories of a PE ------------*- C++ -*-===//
//
// A port serves one access at a time, in the order in which they are issued. Slots, loads and
// stores use the ports of the memories in which their data are.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_MEMORYPORTS_H
#define CCL_LIB_SIM_MEMORYPORTS_H

#include "cclc/Target/Models.h"

#include <algorithm>

namespace cclc {

/// Occupies an engine or a port that serves requests sequentially (rule 14). Returns the end of a
/// request that is issued at \p from.
inline SimTime occupy(SimTime &freeAt, SimTime from, SimTime duration) {
  if (duration == SimTime())
    return from;
  return freeAt = std::max(freeAt, from) + duration;
}

/// When each port of the memories of a PE is free (rule 56).
class MemoryPorts {
public:
  SimTime &reading(PeMemory memory) { return ports[static_cast<size_t>(memory)].reading; }
  /// HBM has one port for reads and writes.
  SimTime &writing(PeMemory memory) {
    return memory == PeMemory::Hbm ? reading(memory) : ports[static_cast<size_t>(memory)].writing;
  }

private:
  struct Ports {
    SimTime reading, writing;
  };
  std::array<Ports, numPeMemories> ports;
};

} // namespace cclc

#endif // CCL_LIB_SIM_MEMORYPORTS_H
