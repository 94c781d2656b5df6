//===- Simulator.h - A plan of MSCCL++, simulated for sizes -----*- C++ -*-===//

#ifndef CCL_SIM_MSCCLPP_SIMULATOR_H
#define CCL_SIM_MSCCLPP_SIMULATOR_H

#include "cclc/Sim/Mscclpp/Simulate.h"
#include "cclc/Sim/Simulator.h"

namespace cclc::mscclpp {

/// Reports an operator or an element type that the executor does not have.
LogicalResult checkElements(ReduceOp op, DataType type, DiagnosticEngine &diags);

/// The plan must be proved. Its lower bounds are those of the links alone: those of engines,
/// memories and messages are bounds of the executor of steps.
std::unique_ptr<Simulator> createSimulator(const PlacedPlan &plan, SimulatorSettings settings);

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_SIMULATOR_H
