//===- StepParts.h - Steps as messages and calculations ---------*- C++ -*-===//
//
// Other simulators execute messages and calculations instead of steps. A step becomes a chain of
// parts for each of its transmissions: receive, overhead, engines, send.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_VIEWS_EXPORT_STEPPARTS_H
#define CCL_LIB_VIEWS_EXPORT_STEPPARTS_H

#include "cclc/Sim/PlacedPlan.h"

namespace cclc {

/// The processor of a part: the threadblock itself, or an engine of its PE, which all threadblocks
/// share.
enum class PartEngine : uint8_t { Math, Copy, Read, Write, Threadblock };
constexpr uint32_t numSharedEngines = 4;

/// A part of the execution of a step, or of one of its transmissions.
struct StepPart {
  char letter; ///< r receive, w write to the slot, d dispatch, q read of the slot, m math, c copy,
               ///< s send, j join
  SimTime cost;
  PartEngine engine = PartEngine::Threadblock;

  bool isMessage() const { return letter == 'r' || letter == 's'; }
};

class StepParts {
public:
  StepParts(const PlacedPlan &placed, const Sizing &sizing) : placed(placed), sizing(sizing) {}

  /// The number of messages that a communicating step sends or receives in one trip. With a
  /// protocol it is 1, since transmissions and slices are not separate messages.
  uint32_t messagesOf(const Step &step) const {
    return placed.protocol ? 1 : sizing.parts(nullptr, step);
  }
  /// The payload of a message, or the size of a local step.
  Bytes sizeOf(uint32_t trip, const Step &step, uint32_t message) const;
  /// The bytes of a message on the wire: the sum over its slices.
  Bytes onWire(uint32_t trip, const Step &step, uint32_t message) const;
  /// The parts of a message of \p step, or of a local step, in the order of their execution. There
  /// is at least one, and one that follows the waits of the step.
  SmallVector<StepPart, 6> of(const Step &step, Bytes size, uint32_t message) const;
  /// The time from the start of a run to the first step.
  SimTime launch() const {
    return placed.protocol ? placed.protocol->launch : placed.machine.launch;
  }

private:
  SimTime overheadOf(const Step &step, const OpTraits &op, uint32_t message) const;

  const PlacedPlan &placed;
  const Sizing &sizing;
};

} // namespace cclc

#endif // CCL_LIB_VIEWS_EXPORT_STEPPARTS_H
