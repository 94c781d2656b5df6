//===- NcclTopology.h - Topology files of NCCL and RCCL ---------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H
#define CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H

#include "cclc/Support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cclc::nccl {

/// A CPU, a device or bridge of PCIe, or a part of a GPU: parents are before children.
struct Node {
  std::string name;
  std::optional<uint32_t> parent; ///< unset for a CPU
  uint64_t rate = 0;     ///< bytes per second to the parent, in each direction; 0: no limit
  uint64_t chipRate = 0; ///< of links to the chip of its CPU, in each direction
  bool isKnown = false;  ///< whether its link is in the file, with another speed than that of an
                         ///< idle device, 2.5 GT/s
};

struct Cpu {
  uint32_t node = 0, host = 0;
  uint64_t rate = 0; ///< to each other CPU of the host
};

/// NVLinks or xGMI links of a device to another one, or NVLinks to the NVSwitches.
struct NvLinks {
  std::optional<uint32_t> device; ///< unset: the NVSwitches
  uint64_t rate = 0;              ///< of all links, in each direction
};

/// A GPU, or the part of one that has links of its own.
struct Device {
  uint32_t node = 0, host = 0;
  uint32_t capability = 0;      ///< 90 for 9.0; 0: unknown, or a GPU of AMD
  uint64_t links = 0;           ///< NVLinks that the file lists, also to GPUs that it lacks
  uint64_t linkRate = 0;        ///< of one of them
  bool linksToItself = false;   ///< whether it lists links to itself, which carry nothing
  std::vector<NvLinks> nvLinks; ///< to each other device once
};

/// A rank. Several of them may share a device; the node is then below that of the device.
struct Gpu {
  uint32_t number = 0; ///< the number of the device, by which the GPUs of a host are sorted
  uint32_t node = 0, host = 0, device = 0;
};

struct Nic {
  std::string name; ///< of its ports
  uint32_t node = 0, host = 0;
  uint64_t rate = 0;             ///< of all ports
  std::vector<uint32_t> further; ///< further CPUs below which the file lists it
  bool isAssumed = false;        ///< whether the rate of a port is not in the file
};

/// Links whose ends list different numbers: the lower rate is used.
struct HalfLinks {
  uint32_t from = 0, to = 0; ///< devices
  uint64_t there = 0, back = 0;
};

/// A value that is not in the file, and its warning, for targets that use it.
struct Guess {
  Location place;
  std::string text;
};

/// Servers as described by a file that NCCL or RCCL writes (NCCL_TOPO_DUMP_FILE), or by \p source.
struct Server {
  std::vector<Node> nodes;
  std::vector<Cpu> cpus;
  std::vector<Device> devices;
  std::vector<Gpu> gpus; ///< by host and number
  std::vector<Nic> nics;
  std::vector<HalfLinks> halfLinks;
  std::vector<std::pair<uint32_t, uint32_t>> bridges; ///< nodes of PCIe switches that are connected
  std::vector<std::pair<uint32_t, uint32_t>> parts;   ///< nodes of parts of the same GPU
  uint32_t hosts = 0;
  bool isRccl = false;
  bool hasXgmi = false; ///< whether GPUs have xGMI links
  std::optional<Guess> pcieGuess, nicGuess, cpuGuess;
  std::optional<std::string> source; ///< unset: a topology file of NCCL or RCCL
  /// Values that are not in the file, as sentences.
  std::set<std::string> assumptions;

  /// Whether \p node is \p above or below it.
  bool contains(uint32_t above, uint32_t node) const;
  /// The CPU above \p node.
  uint32_t cpuOf(uint32_t node) const;
  /// The lowest rate of PCIe from \p node up to \p above, which is not \p node.
  uint64_t rateUpTo(uint32_t above, uint32_t node) const;
};

/// Reads \p text; \p file names it in messages.
FailureOr<Server> readTopology(StringRef text, StringRef file, DiagnosticEngine &diags);

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_NCCLTOPOLOGY_H
