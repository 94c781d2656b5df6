//===- HostOrder.h - The order of the hosts of a fabric ---------*- C++ -*-===//

#ifndef CCL_LIB_TOOLS_HOSTORDER_H
#define CCL_LIB_TOOLS_HOSTORDER_H

#include "cclc/Target/Import/Import.h"

namespace cclc {

/// Imports \p file with the hosts in the order given and sorted by rack, and returns the target
/// whose ring of ranks has the lower bound; of equal ones, the order given. A note of the result
/// has both bounds, and that of an all-to-all, which no order changes.
FailureOr<std::string> importInBestOrder(const ForeignFile &file, ImportOptions options,
                                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TOOLS_HOSTORDER_H
