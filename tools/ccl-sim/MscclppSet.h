//===- MscclppSet.h - Simulating a set of MSCCL++ plans ---------*- C++ -*-===//
//
// Plans of one collective for different sizes, such as those of a portfolio. Each size is simulated
// with the plan whose range contains it, as a runtime chooses one.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_MSCCLPPSET_H
#define CCL_TOOLS_CCL_SIM_MSCCLPPSET_H

#include "MscclppCommand.h"

namespace cclc {

/// Whether \p files are several plans of MSCCL++, or a folder of them.
bool isMscclppSet(ArrayRef<std::string> files);

/// Simulates the sizes of \p request, of which text and name are unused, with the plans of its
/// files and folders.
ExitCode runMscclppSet(const MscclppRequest &request, Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_MSCCLPPSET_H
