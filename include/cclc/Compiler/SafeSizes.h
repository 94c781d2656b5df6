//===- SafeSizes.h - Sizes at which a destination completes a plan -*- C++ -*-===//
//
// A runtime, and a target with protocols, splits a step whose chunks do not fit into a slot into
// several transmissions. Above some size a plan may then need more slots than a connection has, and
// it hangs. The range of sizes of a plan ends at the largest safe size, whatever its form.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_COMPILER_SAFESIZES_H
#define CCL_COMPILER_SAFESIZES_H

#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/IR/ExecPlan.h"
#include "cclc/Sim/SizeVerifier.h"

namespace cclc {

/// How a destination moves the chunks of a step.
struct Transmissions {
  std::string owner;    ///< for which a plan is illegal: "msccl", "target ndv4"
  std::string executor; ///< "microsoft/msccl", "target ndv4"
  Slots slots;
  TransmissionSize size;
};

Transmissions transmissionsOf(const MscclDialect &dialect, const ProgramInfo &plan);
/// Those of \p plan on its target. Unset if the target does not split steps: without protocols it
/// divides chunks instead.
std::optional<Transmissions> transmissionsOf(const Machine &machine, const ProgramInfo &plan);

/// The largest buffer, in bytes of the whole buffer, at which \p plan completes with elements of
/// any type; unset if it does so at every size. \p slotsNeeded is the number of slots that the plan
/// needs without splitting.
std::optional<uint64_t> largestSafe(const ExecPlan &plan, const Transmissions &moves,
                                    std::optional<uint32_t> slotsNeeded);

/// "steps of up to 3 chunks take more transmissions than a connection holds (2)".
std::string whyUnsafe(const ExecPlan &plan, const Transmissions &moves);

/// The treatment of sizes at which a plan does not complete.
enum class UnsafeSizes {
  Refuse, ///< an error, because the user requested them
  Cut,    ///< removed, because they are from another form of the plan
};

/// Restricts \p plan to the sizes at which it completes, with a warning. Fails if no size is left,
/// or if \p unsafe is Refuse and there are unsafe sizes.
LogicalResult restrictSizes(ExecPlan &plan, const Transmissions &moves,
                            std::optional<uint32_t> slotsNeeded, UnsafeSizes unsafe,
                            DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_COMPILER_SAFESIZES_H
