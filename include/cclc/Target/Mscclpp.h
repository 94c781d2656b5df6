//===- Mscclpp.h - The executor of MSCCL++ on a machine ---------*- C++ -*-===//

#ifndef CCL_TARGET_MSCCLPP_H
#define CCL_TARGET_MSCCLPP_H

#include "cclc/Support/Units.h"

#include <cstdint>
#include <optional>

namespace cclc {

/// The costs of the operations of an MSCCL++ plan, in addition to those of the links.
/// docs/machine-model.md has their rules.
struct MscclppModel {
  /// From the launch of a plan until its first operation; of every operation.
  SimTime launch, dispatch;
  /// Of a nop, of a barrier after the last arrival, and of a semaphore operation.
  SimTime nop, barrier, semaphore;
  /// Of a signal at its sender, and of a wait after the arrival of the signal.
  SimTime signal, wait;
  /// The largest part of a place that a threadblock moves at a time.
  Bytes slice = Bytes(65536);

  /// The movement of data by the threads of a threadblock, which load and store at this rate.
  struct Movement {
    SimTime latency;
    Bandwidth rate;
  };
  Movement memory, packets;

  /// The proxy of a rank, which executes transfers one after the other.
  struct Port {
    SimTime trigger;  ///< until the proxy has the transfer
    SimTime transfer; ///< of the proxy for each one
    SimTime signal;   ///< additional latency of a signal
  };
  std::optional<Port> port;
};

} // namespace cclc

#endif // CCL_TARGET_MSCCLPP_H
