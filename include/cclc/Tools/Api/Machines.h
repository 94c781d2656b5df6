//===- Machines.h - Machines: import, describe, check -----------*- C++ -*-===//

#ifndef CCLC_API_MACHINES_H
#define CCLC_API_MACHINES_H

#include "cclc/Tools/Api/Report.h"
#include "cclc/Tools/Api/Result.h"

#include <cstdint>

namespace cclc::api {

/// Values that files of other tools lack, as the options of `cclc targets import`. Bandwidths are
/// 10^9 bytes per second in each direction.
struct ImportOptions {
  std::optional<std::string> system = {}; ///< the path of a system file of ASTRA-sim
  std::optional<std::string> fabric = {}; ///< the path of a description of the network of servers
  std::optional<std::string> nodes = {};  ///< a number of servers, or a list of hosts of the fabric
  std::string order = "given";            ///< of the hosts of a fabric: "given", "rack" or "best"
  std::optional<uint32_t> gpusPerHost = {};
  std::optional<std::string> gpu = {}; ///< the type of the GPUs, such as "H100"
  std::optional<double> nicBandwidth = {}, nodeBandwidth = {}, uplinkBandwidth = {};
};

/// Converts a file of another tool to the text of a target, as `cclc targets import` does.
Result<std::string> importTarget(const std::string &path, const ImportOptions &options = {});

/// A machine, as `cclc targets describe` shows it.
struct Description {
  std::string name;
  uint32_t endpoints = 0; ///< the largest number of ranks
  std::string dot;        ///< its picture, a graph of Graphviz
  Report report;
};

/// The lower bound of a collective, on the machine with a finding and on the one without it.
struct FindingCost {
  std::string collective;
  uint64_t bytes = 0;
  /// Picoseconds; unset: there is no path.
  std::optional<int64_t> with, without;
};

/// Parts of a machine that differ in the same way from others of their kind.
struct Finding {
  std::string text;
  std::vector<std::string> parts, details;
  std::string remedy;
  std::vector<FindingCost> costs; ///< empty if it is not known what the parts would have
};

struct TargetCheck {
  std::string examined; ///< what was compared
  std::vector<Finding> findings;
  Report report; ///< of `cclc targets check`

  bool healthy() const { return findings.empty(); }
};

} // namespace cclc::api

#endif // CCLC_API_MACHINES_H
