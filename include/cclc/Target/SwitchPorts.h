//===- SwitchPorts.h - The ports of a common switch -------------*- C++ -*-===//

#ifndef CCL_TARGET_SWITCHPORTS_H
#define CCL_TARGET_SWITCHPORTS_H

#include "cclc/Target/Machine.h"

#include <optional>
#include <vector>

namespace cclc {

/// The links between an endpoint and a switch.
struct SwitchPort {
  LinkId up, down;
};

/// The ports of \p members, at least two, at the switch that they have in common: the first link of
/// every route between them leads to it, and the last one from it. None if there is no such switch.
std::optional<std::vector<SwitchPort>> portsOfSwitch(const Machine &machine,
                                                     ArrayRef<EndpointId> members);

} // namespace cclc

#endif // CCL_TARGET_SWITCHPORTS_H
