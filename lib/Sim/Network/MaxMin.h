//===- MaxMin.h - Messages as flows -----------------------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_NETWORK_MAXMIN_H
#define CCL_LIB_SIM_NETWORK_MAXMIN_H

#include "cclc/Sim/Network/Network.h"

namespace cclc {

std::unique_ptr<NetworkModel> createMaxMinNetwork(const RouteTable &routes);
/// The same with rates within a tolerance.
std::unique_ptr<NetworkModel> createMaxMinFastNetwork(const RouteTable &routes);

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_MAXMIN_H
