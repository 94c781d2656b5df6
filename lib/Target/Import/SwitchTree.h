//===- SwitchTree.h - Fabrics as trees without rates ------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_SWITCHTREE_H
#define CCL_LIB_TARGET_IMPORT_SWITCHTREE_H

#include "Fabric.h"

namespace cclc {

/// A switch with what is below it, by name. A description of a scheduler has no more.
struct TreeSwitch {
  std::string name;
  std::vector<std::string> hosts, switches;
  Location at;
};

/// Reads the lists of names of a file. The total of their lengths is limited, as a short list may
/// have many names.
class TreeNames {
public:
  FailureOr<std::vector<std::string>> of(StringRef list, const Location &at,
                                         DiagnosticEngine &diags);

private:
  size_t bytes = 0;
};

/// \p blocks, which a further switch connects.
std::vector<TreeSwitch> withFabric(std::vector<TreeSwitch> blocks);

/// The fabric of \p switches, which a file of the kind \p source has. The rate of a host, and those
/// of the links between switches, are options, or assumed with a warning.
FailureOr<Fabric> fabricOf(ArrayRef<TreeSwitch> switches, StringRef source, const ForeignFile &file,
                           const ImportOptions &options, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_SWITCHTREE_H
