//===- NodeArena.h - Shared memory of a communicator ------------*- C++ -*-===//
//
// The executions of a communicator get parts of the memory of their node, in the order of their
// first calls. That order is the same in all processes, and so are the sizes: no process asks
// another one where a part is, and each removes and makes its executions whenever it wants. When
// the memory is full, all processes leave it together, and begin again.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_NODEARENA_H
#define CCL_LIB_RUN_MPI_NODEARENA_H

#include "CallKey.h"
#include "NodeMemory.h"

#include "cclc/Support/Units.h"

#include <map>
#include <utility>

namespace cclc::run {

class NodeArena {
public:
  /// For the processes of \p comm, of which none is in an execution. A plan uses at most \p limit
  /// bytes for each process, and all of them \p plans times as much.
  NodeArena(MPI_Comm comm, uint64_t limit, uint32_t plans);

  /// Makes the first memory, for nodes that are shared. To be called by all processes.
  void open();
  /// Why there is no memory, or no more, once.
  std::optional<NodeMemory::Fault> takeFault() { return std::exchange(fault, std::nullopt); }
  /// Whether messages inside nodes pass through memory.
  bool isOpen() const { return memory.bytes() > 0; }
  /// The memory of this process, in bytes: its share of that of the node.
  uint64_t share() const {
    return memory.data() ? memory.bytes() / nodes.processesWith(process) : 0;
  }

  /// Changes when all parts become invalid.
  uint32_t generation() const { return generations; }
  const Nodes &nodesOf() const { return nodes; }
  int processOf() const { return process; }
  /// Whether the rings and scratch of a plan fit, the same in all processes.
  bool fits(uint64_t bytes) const { return isOpen() && bytes <= limit; }
  /// Whether part() waits for no other process, the same in all.
  bool hasRoom(const CallKey &key, uint64_t bytes) const {
    return parts.count(key) || used + alignTo(bytes) <= memory.bytes();
  }
  /// Makes other memory for the same processes, which all call it. Returns whether it exists.
  bool makeMemory(NodeMemory &other, uint64_t bytes) {
    return !makeIn(other, bytes) && other.data();
  }
  /// Makes room for \p bytes more, as far as the limit permits. To be called by all processes.
  void grow(uint64_t bytes) {
    if (memory.bytes() < room)
      beginAgain(alignTo(bytes));
  }
  /// The part of the calls with \p key, of \p bytes for each node, which fit. Its rings are without
  /// messages at first. To be called by all processes for a call, or by those only that have lost
  /// the execution of this generation. Null in a process that is alone on its node.
  std::byte *part(const CallKey &key, uint64_t bytes);

private:
  static uint64_t alignTo(uint64_t bytes) { return ceilDiv(bytes, cacheLines) * cacheLines; }
  std::optional<NodeMemory::Fault> makeIn(NodeMemory &any, uint64_t bytes);
  void make(uint64_t bytes) { fault = makeIn(memory, bytes); }
  void beginAgain(uint64_t needed);

  const MPI_Comm comm;
  const Nodes nodes;
  int process;
  uint64_t limit, room; ///< of a node, the same for all nodes
  NodeMemory memory;
  std::optional<NodeMemory::Fault> fault;
  uint64_t used = 0;
  uint32_t generations = 0;
  std::map<CallKey, uint64_t> parts; ///< where they begin
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NODEARENA_H
