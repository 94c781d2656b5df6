//===- Simulate.h - Discrete-event execution of an MSCCL++ plan -*- C++ -*-===//
//
// Executes the operations of every threadblock on the machine: their waits for signals, packets,
// semaphores and barriers, the loads and stores of their threads, and the transfers of proxies and
// switches, on the network models of other plans. The plan must be proved. docs/machine-model.md
// has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_MSCCLPP_SIMULATE_H
#define CCL_SIM_MSCCLPP_SIMULATE_H

#include "cclc/Sim/Engine.h"
#include "cclc/Sim/Mscclpp/PlacedPlan.h"
#include "cclc/Sim/Mscclpp/SizedPlan.h"

namespace cclc::mscclpp {

/// Moves data while a plan is executed.
class DataMover {
public:
  virtual ~DataMover() = default;
  /// Performs \p op of \p tb, of the plan for a size, on \p bytes bytes of its places from \p first
  /// on; of its pairs of places only \p pair, if set.
  virtual void move(const Threadblock &tb, const Operation &op, uint64_t first, uint64_t bytes,
                    uint32_t launch, std::optional<uint32_t> pair) = 0;
  /// All threadblocks of \p rank have ended a launch.
  virtual void endLaunch(RankId rank, uint32_t launch) = 0;
};

struct RunOptions {
  uint32_t repeat = 1; ///< launches; a rank begins the next one when its threadblocks have ended
  bool criticalPath = false;
  /// Ends the simulation of a plan that has not completed at this time.
  std::optional<SimTime> until = {};
  DataMover *data = nullptr;
  /// The steps of their events are operations of the file.
  std::vector<SimListener *> listeners = {};
};

/// \p placed is a binding of `sized.file`.
SimResult simulate(const PlacedPlan &placed, const SizedPlan &sized, NetworkModel &network,
                   const RunOptions &options);

} // namespace cclc::mscclpp

#endif // CCL_SIM_MSCCLPP_SIMULATE_H
