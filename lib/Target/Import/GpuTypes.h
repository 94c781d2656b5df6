//===- GpuTypes.h - Rates of the links of GPUs ------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_GPUTYPES_H
#define CCL_LIB_TARGET_IMPORT_GPUTYPES_H

#include "cclc/Support/Diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cclc {

/// A type of GPUs, for files that have links but no rates.
struct GpuType {
  const char *name;
  bool isAmd;          ///< its links to other GPUs are xGMI, not NVLink
  uint32_t capability; ///< 90 for 9.0; 0 for AMD
  uint32_t links;      ///< the most links to other GPUs; 0: none
  uint64_t linkRate;   ///< of such a link in each direction, in bytes per second
  uint64_t pcieRate;   ///< of its link of PCIe, x16
};

/// The type of AMD or NVIDIA with the name \p name, in any case, which --gpu states; reports
/// errors. Without a name it is \p assumed, with a warning that names it and \p file.
FailureOr<GpuType> gpuTypeOf(const std::optional<std::string> &name, StringRef assumed, bool isAmd,
                             StringRef file, DiagnosticEngine &diags);

/// "an NVLink of an A100 has 25.000 GB/s in each direction".
std::string assumptionOfLinks(const GpuType &type);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_GPUTYPES_H
