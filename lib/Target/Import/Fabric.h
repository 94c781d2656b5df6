//===- Fabric.h - Networks between hosts ------------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_FABRIC_H
#define CCL_LIB_TARGET_IMPORT_FABRIC_H

#include "JsonText.h"

#include "cclc/Target/Import/Import.h"

#include <set>

namespace cclc {

/// Hosts, switches and the cables between them, as described by a file.
struct Fabric {
  struct Node {
    std::string name; ///< different from all others
    bool isHost = false;
    uint32_t ports = 0; ///< of a switch; 0: not in the file
  };
  struct End {
    uint32_t node = 0;
    uint32_t port = 0;   ///< 0: not in the file
    std::string adapter; ///< of a host; may be empty
  };
  struct Cable {
    End a, b;
    uint64_t rate = 0; ///< in each direction, in bytes per second
  };
  std::string source; ///< the kind of file: "the output of ibnetdiscover"
  std::vector<Node> nodes;
  std::vector<Cable> cables;
  /// Values that are not in the file, as sentences.
  std::set<std::string> assumptions;
};

/// The propagation of a cable between switches, in seconds: 10 m of fibre.
inline constexpr double switchCable = 50e-9;

/// Times of switches and cables, which no file has, as a sentence.
extern const char *const fabricTimes;

/// The hosts, in the order of the ranks, that \p options select.
FailureOr<std::vector<uint32_t>> selectHosts(const Fabric &fabric, const ForeignFile &file,
                                             const ImportOptions &options, DiagnosticEngine &diags);

/// The number of successive \p hosts at the same switch, if it is that of all racks, and more than
/// 1; unset for one rack.
std::optional<size_t> hostsPerRack(const Fabric &fabric, ArrayRef<uint32_t> hosts);

/// The numbers of the hosts of \p fabric.
std::vector<uint32_t> hostsOf(const Fabric &fabric);
/// The distance of every node from the nearest of \p hosts; unset without a path. Hosts do not
/// forward messages.
std::vector<std::optional<uint32_t>> tiersFrom(const Fabric &fabric, ArrayRef<uint32_t> hosts);

/// The cables of \p host, in the order of the file.
std::vector<Fabric::Cable> cablesOf(const Fabric &fabric, uint32_t host);

/// Warns of switches with fewer links to other switches than most of their tier, with their ports
/// that have no cable.
void warnOfMissingCables(const Fabric &fabric, const ForeignFile &file, DiagnosticEngine &diags);

/// Adds the switches that \p hosts reach, and the cables between them, to the nodes and links of a
/// target.
void addSwitches(const Fabric &fabric, ArrayRef<uint32_t> hosts, nlohmann::ordered_json &target);

/// Adds \p cable, longer by \p extra seconds, as a link between two nodes of a target.
void addCable(const Fabric &fabric, const Fabric::Cable &cable, StringRef from, StringRef to,
              nlohmann::ordered_json &target, double extra = 0);

/// The target whose ranks are the hosts, or the GPUs of the hosts.
FailureOr<std::string> targetOf(Fabric fabric, const ForeignFile &file,
                                const ImportOptions &options, DiagnosticEngine &diags);

/// The names of a list of hosts as SLURM writes it: "a[1-3,07-09],b".
FailureOr<std::vector<std::string>> hostsOfList(StringRef list, const Location &at,
                                                DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_FABRIC_H
