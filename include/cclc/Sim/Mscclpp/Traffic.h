//===- Traffic.h - The data that an MSCCL++ plan moves ----------*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_TRAFFIC_H
#define CCL_SIM_MSCCLPP_TRAFFIC_H

#include "cclc/Sim/Mscclpp/PlacedPlan.h"

namespace cclc::mscclpp {

/// By route of \p placed: the chunks of the plan that one launch moves over it, with any size,
/// rounded down. A chunk counts twice in packets, which are half flags. Headers of messages through
/// switches are not counted.
std::vector<uint64_t> chunksOnRoutes(const PlacedPlan &placed);

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_TRAFFIC_H
