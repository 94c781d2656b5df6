//===- PerFlitNetwork.h - Messages in flits ---------------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_PERFLITNETWORK_H
#define CCL_LIB_SIM_PERFLITNETWORK_H

#include "cclc/Sim/Network.h"

namespace cclc {
std::unique_ptr<NetworkModel> createPerFlitNetwork(const BoundPlan &plan);
} // namespace cclc

#endif // CCL_LIB_SIM_PERFLITNETWORK_H
