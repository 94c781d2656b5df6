//===- TargetImport.h - Targets from files of other tools -------*- C++ -*-===//
//
// The work of `cclc targets import`.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_TARGETIMPORT_H
#define CCL_TOOLS_TARGETIMPORT_H

#include "cclc/Target/Import/Import.h"

namespace cclc {

struct TargetImport {
  std::string file;                          ///< "-": standard input
  std::optional<std::string> system, fabric; ///< files of ImportOptions
  std::optional<std::string> nodes;          ///< of parseNodes()
  /// The order of the hosts of a fabric: "given", "rack", or "best", the one of both in which a
  /// ring is faster.
  std::string order = "given";
  ImportOptions options; ///< without a name, files and hosts
};

/// The text of the target. Reports files that cannot be read or imported.
FailureOr<std::string> importTarget(const TargetImport &request, DiagnosticEngine &diags);

/// The bytes per second of \p gigabytes, 10^9 bytes per second: 0.000001 to 1000000.
std::optional<uint64_t> rateOf(double gigabytes);

} // namespace cclc

#endif // CCL_TOOLS_TARGETIMPORT_H
