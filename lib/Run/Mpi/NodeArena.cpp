//===- NodeArena.cpp - Shared memory of a communicator --------------------===//
//
// Memory of zeros is that of rings without messages. It doubles until it has reached its limit.
//
//===----------------------------------------------------------------------===//

#include "NodeArena.h"

#include <cstring>

using namespace cclc;
using namespace cclc::run;

static constexpr uint64_t firstBytes = uint64_t(256) << 10;

/// The processes of the smallest node that shares memory.
static uint64_t fewestProcesses(const Nodes &nodes) {
  uint64_t fewest = nodes.processes();
  for (int p = 0; p < int(nodes.processes()); ++p)
    if (uint64_t processes = nodes.processesWith(p); nodes.firstOf(p) == p && processes > 1)
      fewest = std::min(fewest, processes);
  return fewest;
}

NodeArena::NodeArena(MPI_Comm comm, uint64_t perProcess, uint32_t plans)
    : comm(comm), nodes(Nodes::find(comm)), limit(perProcess * fewestProcesses(nodes)),
      room(limit * plans) {
  PMPI_Comm_rank(comm, &process);
}

void NodeArena::open() { make(std::min(firstBytes, limit)); }

std::optional<NodeMemory::Fault> NodeArena::makeIn(NodeMemory &any, uint64_t bytes) {
  return any.make(nodes, process, bytes, [this](const void *mine, void *all, int size) {
    PMPI_Allgather(mine, size, MPI_BYTE, all, size, MPI_BYTE, comm);
  });
}

std::byte *NodeArena::part(const CallKey &key, uint64_t bytes) {
  auto known = parts.find(key);
  if (known == parts.end()) {
    bytes = alignTo(bytes);
    if (used + bytes > memory.bytes())
      beginAgain(bytes);
    if (!isOpen())
      return nullptr;
    known = parts.emplace(key, used).first;
    used += bytes;
  }
  return memory.data() ? memory.data() + known->second : nullptr;
}

void NodeArena::beginAgain(uint64_t needed) {
  PMPI_Barrier(comm); // all have read the last messages
  ++generations;
  parts.clear();
  const uint64_t before = std::exchange(used, 0), bytes = memory.bytes();
  if (bytes < room) {
    // If there is no more memory, the arena is closed in all processes.
    make(std::clamp(2 * bytes, needed, room));
    return;
  }
  if (memory.data() && nodes.firstOf(process) == process)
    std::memset(memory.data(), 0, before);
  PMPI_Barrier(comm);
}
