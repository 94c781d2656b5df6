//===- BoundPlan.h - A plan on a machine, for one message size --*- C++ -*-===//
//
// Everything that follows from plan, machine and size before the first event:
// where each rank runs, the route of every connection, the size of a chunk and
// the pieces that it is cut into.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_BOUNDPLAN_H
#define CCL_SIM_BOUNDPLAN_H

#include "cclc/IR/Connections.h"
#include "cclc/Network/RouteTable.h"
#include "cclc/Sim/DataType.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// A connection on the machine.
struct BoundConnection {
  uint32_t senderTb, receiverTb;
  /// From the read of a slot until its sender knows.
  SimTime creditLatency;
  uint32_t messages; ///< of one run of the step list
};

/// The part of it that does not depend on the message size.
class BoundPlan {
public:
  const ExecPlan &plan;
  const Machine &machine;
  /// How the plan's protocol moves data; null: a step is one message.
  const ProtocolModel *protocol;
  Slots slots;
  ConnectionTable connections;
  std::vector<BoundConnection> bound;
  RouteTable routes;
  std::vector<OptionalId<StepId>> publishers; ///< empty when nothing waits
  std::vector<uint32_t> endpointOf;           ///< by rank
  uint32_t maxCount;

  /// Ranks run where the plan was placed, on the first endpoints if it was not; if the
  /// machine does not have these endpoints, also there, with a warning. Fails when the machine has
  /// too few of them or no path between two that communicate.
  static FailureOr<BoundPlan> create(const ExecPlan &plan, const Machine &machine, Slots slots,
                                     DiagnosticEngine &diags);

private:
  LogicalResult placeRanks(DiagnosticEngine &diags);
  BoundPlan(const ExecPlan &plan, const Machine &machine, Slots slots)
      : plan(plan), machine(machine), protocol(machine.find(plan.info().protocol)), slots(slots),
        connections(plan), routes(machine), maxCount(plan.maxCount()) {}
};

/// Warns where messages could take another route that is as short as theirs, with two
/// examples: what the machine does there is a matter of the order of its links.
void warnOfEqualRoutes(const BoundPlan &plan, DiagnosticEngine &diags);

/// How a buffer of a given size is moved: the step list runs once for every piece
/// of a chunk. All chunks have equal size; the tail of the last one is padding.
struct Sizing {
  Bytes requested;
  DataType type = DataType::F32;
  uint64_t chunkElements = 0;
  uint64_t pieceElements = 0; ///< of every piece but perhaps the last
  uint32_t pieces = 0;
  /// What one transmission holds; a step of a larger count takes several.
  uint32_t chunksPerTransmission = ~uint32_t(0);

  uint32_t transmissions(uint32_t count) const { return ceilDiv(count, chunksPerTransmission); }
  /// With a protocol: what a step is executed in, its preparation and slices.
  uint64_t parts(const ProtocolModel &protocol, const Step &step) const {
    const OpTraits &op = traits(step.op);
    return 1 +
           (op.sends || op.receives ? uint64_t(transmissions(step.count)) * protocol.slices : 0);
  }
  /// Executions of steps, or of their parts, in one run.
  uint64_t executions(const BoundPlan &plan) const;

  Bytes pieceBytes(uint32_t piece) const {
    uint64_t begin = uint64_t(piece) * pieceElements;
    return Bytes(std::min(pieceElements, chunkElements - begin) * sizeOf(type));
  }

  /// Chunks of the buffer whose size is given: the input, or of some collectives the
  /// output.
  static uint64_t chunksOfBuffer(const Collective &collective);

  /// With a protocol a piece of one chunk fits into a slot, and a transmission
  /// takes as many whole chunks as do. Otherwise a piece times the largest count
  /// of a step fits. Fails where even one element does not.
  static FailureOr<Sizing> create(const BoundPlan &plan, Bytes requested, DataType type,
                                  DiagnosticEngine &diags);
};

} // namespace cclc

#endif // CCL_SIM_BOUNDPLAN_H
