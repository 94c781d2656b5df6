//===- MaxMinNetwork.h - Messages as flows ----------------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_MAXMINNETWORK_H
#define CCL_LIB_SIM_MAXMINNETWORK_H

#include "cclc/Sim/Network.h"

namespace cclc {

std::unique_ptr<NetworkModel> createMaxMinNetwork(const BoundPlan &plan);

} // namespace cclc

#endif // CCL_LIB_SIM_MAXMINNETWORK_H
