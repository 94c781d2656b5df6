//===- PerFlit.h - Messages in flits ----------------------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_NETWORK_PERFLIT_H
#define CCL_LIB_SIM_NETWORK_PERFLIT_H

#include "cclc/Sim/Network/Network.h"

namespace cclc {
std::unique_ptr<NetworkModel> createPerFlitNetwork(const RouteTable &routes);
} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_PERFLIT_H
