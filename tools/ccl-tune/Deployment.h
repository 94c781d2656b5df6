//===- Deployment.h - How a runtime gets its files --------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_TUNE_DEPLOYMENT_H
#define CCL_TOOLS_CCL_TUNE_DEPLOYMENT_H

#include "cclc/Target/Runtime.h"

namespace cclc {

/// The folder of \p runtime in that of a portfolio: "runtime/rccl".
std::string folderOf(const Runtime &runtime);
/// The path of the plan \p name in the folder of a portfolio.
std::string fileOf(const Runtime &runtime, StringRef name);

/// Writes the environment with which \p runtime loads the files of its folder, as assignments and
/// comments. DIR stands for the folder of the portfolio.
void writeDeployment(const Runtime &runtime, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_TUNE_DEPLOYMENT_H
