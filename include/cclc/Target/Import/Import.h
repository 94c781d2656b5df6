//===- Import.h - Targets from descriptions of other tools ------*- C++ -*-===//

#ifndef CCL_TARGET_IMPORT_IMPORT_H
#define CCL_TARGET_IMPORT_IMPORT_H

#include "cclc/Support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// A file of another tool; \p name names it in messages.
struct ForeignFile {
  std::string name;
  StringRef text;
};

/// Values that files of other tools lack. An option that the format of the file does not use is an
/// error.
struct ImportOptions {
  std::string name;                  ///< of the target
  std::optional<ForeignFile> system; ///< a system file of ASTRA-sim
  std::optional<ForeignFile> fabric; ///< the network between servers
  std::optional<uint32_t> nodes;     ///< servers, or hosts of a fabric
  std::vector<std::string> hosts;    ///< hosts of a fabric in the order of their ranks; empty: all
  /// Sorts hosts so that those of the same rack follow each other.
  bool byRack = false;
  std::optional<uint32_t> gpusPerHost;
  std::optional<std::string> gpu; ///< the type of the GPUs, such as "H100"
  /// Rates in each direction, in bytes per second: of a NIC, of a host of a fabric, and of all
  /// links of a switch to the switches above it.
  std::optional<uint64_t> nicRate, nodeRate, uplinkRate;
};

/// Converts \p file, whose text shows its format, to the text of a target. Values that the file
/// does not have are listed in the target as assumptions, under the comment key "// assumptions".
/// What a target cannot express is ignored with a warning.
FailureOr<std::string> importMachine(const ForeignFile &file, const ImportOptions &options,
                                     DiagnosticEngine &diags);

/// Sets the number of nodes or the hosts of \p options from \p text, "4" or "n[1-3,07-09],m".
LogicalResult parseNodes(StringRef text, ImportOptions &options, DiagnosticEngine &diags);

/// The formats that importMachine() knows: "a topology file of NCCL or RCCL (XML)".
std::vector<std::string> importFormats();

} // namespace cclc

#endif // CCL_TARGET_IMPORT_IMPORT_H
