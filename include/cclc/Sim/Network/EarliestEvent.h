//===- EarliestEvent.h - Simulations that share a network -------*- C++ -*-===//
//
// Plans that share a network have simulations of their own, each with a queue of events, which take
// turns in the order of their events (docs/machine-model.md, rules 49 and M11).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_EARLIESTEVENT_H
#define CCL_SIM_NETWORK_EARLIESTEVENT_H

#include "cclc/Support/Units.h"

#include <memory>
#include <optional>
#include <vector>

namespace cclc {

/// The simulation with the next event, of several the first one, and \p now is then the time of the
/// event; null if there are no events. A simulation has next(), the time of its next event if there
/// is one.
template <class Simulation>
Simulation *earliest(const std::vector<std::unique_ptr<Simulation>> &simulations, SimTime &now) {
  Simulation *first = nullptr;
  for (const std::unique_ptr<Simulation> &simulation : simulations)
    if (std::optional<SimTime> next = simulation->next(); next && (!first || *next < now)) {
      first = simulation.get();
      now = *next;
    }
  return first;
}

} // namespace cclc

#endif // CCL_SIM_NETWORK_EARLIESTEVENT_H
