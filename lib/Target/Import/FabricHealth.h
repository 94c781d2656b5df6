//===- FabricHealth.h - Missing and slow cables of a fabric -----*- C++ -*-===//

#ifndef CCL_LIB_TARGET_IMPORT_FABRICHEALTH_H
#define CCL_LIB_TARGET_IMPORT_FABRICHEALTH_H

#include "Fabric.h"
#include "Health.h"

namespace cclc {

/// Compares the cables of \p target, which has been imported from a fabric; none for others.
std::vector<FindingIn<nlohmann::ordered_json>>
findUnhealthyCables(const nlohmann::ordered_json &target);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_FABRICHEALTH_H
