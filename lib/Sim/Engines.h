//===- Engines.h - Creating the engine of a plan ----------------*- C++ -*-===//

#ifndef CCL_LIB_SIM_ENGINES_H
#define CCL_LIB_SIM_ENGINES_H

#include "EngineCore.h"

namespace cclc {

/// Creates the engine of a plan without protocol: a step is one message.
std::unique_ptr<EngineCore> createMessageEngine(const BoundPlan &plan, const Sizing &sizing,
                                                NetworkModel &network, const SimOptions &options,
                                                MachineShare share);
/// Creates that of a plan whose protocol divides a step into transmissions and slices.
std::unique_ptr<EngineCore> createSliceEngine(const BoundPlan &plan, const Sizing &sizing,
                                              NetworkModel &network, const SimOptions &options,
                                              MachineShare share);
/// Creates the engine for the protocol of the plan.
std::unique_ptr<EngineCore> createEngine(const BoundPlan &plan, const Sizing &sizing,
                                         NetworkModel &network, const SimOptions &options,
                                         MachineShare share);

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINES_H
