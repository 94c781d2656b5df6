//===- Health.h - Parts of servers that differ from their siblings -*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_HEALTH_H
#define CCL_LIB_TARGET_IMPORT_HEALTH_H

#include "NcclTopology.h"

namespace cclc::nccl {

/// A part that is probably broken, with the names and both numbers, and how to examine it.
struct Finding {
  std::string text, remedy;
};

/// Compares the GPUs and NICs of each host of \p server with each other.
std::vector<Finding> findUnhealthy(const Server &server);

} // namespace cclc::nccl

#endif // CCL_LIB_TARGET_IMPORT_HEALTH_H
