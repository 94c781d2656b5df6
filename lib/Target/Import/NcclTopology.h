//===- NcclTopology.h - Topology files of NCCL ------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H
#define CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H

#include "cclc/Support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cclc::nccl {

/// A CPU, or a device or bridge of PCIe, in the order of the file: parents are before children.
struct Node {
  std::string name;
  std::optional<uint32_t> parent; ///< unset for a CPU
  uint64_t rate = 0;              ///< bytes per second of the link to the parent, in each direction
};

/// NVLinks or xGMI links of a GPU to another one, or NVLinks to the NVSwitches.
struct NvLinks {
  std::optional<uint32_t> gpu; ///< the index of the other GPU; unset: the NVSwitches
  uint64_t rate = 0;           ///< of all links, in each direction
};

struct Gpu {
  uint32_t device = 0; ///< the number of the device, by which GPUs are sorted
  uint32_t node = 0;
  std::vector<NvLinks> nvLinks; ///< to each other GPU once
  uint64_t chipRate = 0;        ///< of its links to the chip of the CPU, in each direction
};

struct Nic {
  std::string name; ///< of its ports
  uint32_t node = 0;
  uint64_t rate = 0; ///< of all ports
};

/// A server as described by a file that NCCL writes (NCCL_TOPO_DUMP_FILE), or by \p source.
struct Server {
  std::vector<Node> nodes;
  std::vector<uint32_t> cpus;
  std::vector<Gpu> gpus;
  std::vector<Nic> nics;
  uint64_t cpuRate = 0; ///< between two CPUs
  bool hasXgmi = false; ///< whether GPUs have xGMI links
  std::string source = "a topology file of NCCL";
  /// Values that are not in the file, as sentences.
  std::set<std::string> assumptions;
};

/// Reads \p text; \p file names it in messages.
FailureOr<Server> readTopology(StringRef text, StringRef file, DiagnosticEngine &diags);

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H
