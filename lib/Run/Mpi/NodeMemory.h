//===- NodeMemory.h - Memory that processes of a node share -----*- C++ -*-===//
//
// A file in memory without a name, which the first process of a node makes, and which the others
// open by the table of its open files in /proc. The kernel frees it with the last process that has
// mapped it, whatever ends these.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_RUN_MPI_NODEMEMORY_H
#define CCL_LIB_RUN_MPI_NODEMEMORY_H

#include "Nodes.h"

#include <optional>
#include <string>

namespace cclc::run {

class NodeMemory {
public:
  NodeMemory() = default;
  ~NodeMemory() { unmap(); }
  NodeMemory(const NodeMemory &) = delete;

  /// Why no process has memory: a text for the user, with a remedy, and the process that failed.
  struct Fault {
    int process;
    std::string text;
  };
  /// Gathers the \p bytes at \p mine of all processes at \p all.
  using Exchange = llvm::function_ref<void(const void *mine, void *all, int bytes)>;

  /// Replaces the memory by \p bytes in each node with several processes. They exist: no later
  /// access fails because there is no memory left. To be called by all processes, and fails in all
  /// of them or in none.
  std::optional<Fault> make(const Nodes &nodes, int process, uint64_t bytes, Exchange exchange);

  /// Null in a process that is alone on its node.
  std::byte *data() const { return memory; }
  uint64_t bytes() const { return size; }

private:
  struct Attempt;
  /// The bytes of a file that a process allocates.
  struct Part {
    uint64_t begin, bytes;
  };
  static Part partOf(const Nodes &nodes, int process, uint64_t bytes);
  static Attempt create(uint64_t bytes);
  Attempt use(int file, uint64_t bytes, Part part);
  Attempt open(const Attempt &first, Part part);
  bool map(int file, uint64_t bytes);
  void unmap();

  std::byte *memory = nullptr;
  uint64_t size = 0; ///< the same in all processes
};

} // namespace cclc::run

#endif // CCL_LIB_RUN_MPI_NODEMEMORY_H
