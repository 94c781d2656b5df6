//===- Sizes.h - The sizes that --bytes and --sweep ask for -----*- C++ -*-===//

#ifndef CCL_LIB_DRIVER_SIZES_H
#define CCL_LIB_DRIVER_SIZES_H

#include "cclc/Support/Diagnostics.h"

#include <optional>

namespace cclc {

/// Of a run: one size, 1 MiB where nothing is said, or several, ascending. Reports what is wrong.
LogicalResult parseSizes(const std::optional<std::string> &bytes,
                         const std::optional<std::string> &sweep, std::vector<uint64_t> &sizes,
                         DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_DRIVER_SIZES_H
