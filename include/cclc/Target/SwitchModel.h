//===- SwitchModel.h - Switches that multicast and add ----------*- C++ -*-===//

#ifndef CCL_TARGET_SWITCHMODEL_H
#define CCL_TARGET_SWITCHMODEL_H

#include "cclc/Support/Units.h"

namespace cclc {

/// Switches that deliver one message to several endpoints, and add the messages of several. The
/// data pass each link of the group once, whatever the number of endpoints.
struct SwitchModel {
  bool multicasts = true, adds = true;
  SimTime latency;                 ///< of an operation, in addition to that of the links
  uint32_t efficiency = 1'000'000; ///< the payload per million bytes on the links

  Bytes onWire(Bytes payload) const {
    return Bytes(ceilDiv(payload.count() * 1'000'000, efficiency));
  }
};

} // namespace cclc

#endif // CCL_TARGET_SWITCHMODEL_H
