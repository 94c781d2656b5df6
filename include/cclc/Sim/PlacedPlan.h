//===- PlacedPlan.h - A plan on a machine and a size ------------*- C++ -*-===//
//
// The values that follow from plan, machine and size before the first event: the endpoint of each
// rank, the route of every connection, the size of a chunk and the pieces that it is divided into.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_PLACEDPLAN_H
#define CCL_SIM_PLACEDPLAN_H

#include "cclc/IR/Connections.h"
#include "cclc/Sim/CriticalPath.h"
#include "cclc/Sim/Data/BufferLayout.h"
#include "cclc/Sim/Data/DataType.h"
#include "cclc/Sim/Network/SwitchRoutes.h"
#include "cclc/Sim/ShownPlan.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

/// A connection placed on the machine.
struct PlacedConnection {
  uint32_t senderTb, receiverTb;
  /// The time from the read of a slot until its credit reaches the sender.
  SimTime creditLatency;
  uint32_t messages; ///< messages in one trip through the step list
};

class PlacedPlan;

/// What results show of a plan of either kind on a machine: a PlacedPlan or one of MSCCL++.
class PlanOnMachine {
public:
  ShownPlan shown;
  const Machine &machine;
  /// The model of the plan's protocol; null: a step is one message.
  const ProtocolModel *protocol;
  Slots slots;                                     ///< unlimited for MSCCL++
  std::vector<PlacedConnection> placedConnections; ///< none of MSCCL++
  std::vector<EndpointId> endpointOf;              ///< by rank

  /// Null: the plan is of MSCCL++.
  const PlacedPlan *steps() const;

protected:
  PlanOnMachine(ShownPlan shown, const Machine &machine, Slots slots)
      : shown(shown), machine(machine), protocol(machine.find(shown.info().protocol)),
        slots(slots) {}
};

/// The part that does not depend on the message size.
class PlacedPlan : public PlanOnMachine {
public:
  const ExecPlan &plan;
  Bytes slotSize; ///< zero: a slot holds any message
  ConnectionTable connections;
  RouteTable routes;
  SwitchRoutes switchRoutes;                  ///< among the routes, after those of the connections
  std::vector<OptionalId<StepId>> publishers; ///< empty if the plan has no waits
  uint32_t maxCount;

  /// Ranks run on the endpoints that the plan names, or on the first ones if it names none. If the
  /// machine does not have these endpoints, the first ones are used as well, with a warning. Fails
  /// if the machine has too few endpoints, or no path between two ranks that communicate. \p
  /// routing has the routes of connections in place of the machine; null: the machine has them.
  static FailureOr<PlacedPlan> create(const ExecPlan &plan, const Machine &machine, Slots slots,
                                      DiagnosticEngine &diags, const Routing *routing = nullptr);

  /// The number of routes whose numbers flights have: those between which messages choose follow.
  uint32_t numRoutes() const {
    return routes.hasChoices() ? placedConnections.size() : routes.size();
  }

private:
  LogicalResult placeRanks(DiagnosticEngine &diags);
  /// For rules that select a route for every message.
  void addRouteChoices(const Routing &routing);
  PlacedPlan(const ExecPlan &plan, const Machine &machine, Slots slots)
      : PlanOnMachine(plan, machine, slots), plan(plan), slotSize(machine.slotSizeFor(plan.info())),
        connections(plan), routes(machine), maxCount(plan.maxCount()) {}
};

inline const PlacedPlan *PlanOnMachine::steps() const {
  return shown.ofSteps() ? static_cast<const PlacedPlan *>(this) : nullptr;
}

/// Warns of equal routes between ranks that communicate (Target/EqualRoutes.h).
void warnOfEqualRoutes(const PlacedPlan &plan, DiagnosticEngine &diags);

/// The division of a buffer of a given size: the step list is executed once for every piece of a
/// chunk. All chunks have equal size; the end of the last one is padding.
struct Sizing {
  Bytes requested;
  DataType type = DataType::F32;
  uint64_t chunkElements = 0;
  uint64_t pieceElements = 0; ///< of every piece, except possibly the last
  uint32_t pieces = 0;
  /// The capacity of one transmission; a step with a larger count takes several.
  uint32_t chunksPerTransmission = ~uint32_t(0);

  uint32_t transmissions(uint32_t count) const { return ceilDiv(count, chunksPerTransmission); }
  /// The chunks of transmission \p number of a step that moves \p count chunks.
  uint32_t chunksOf(uint32_t number, uint32_t count) const {
    uint64_t begin = uint64_t(number) * chunksPerTransmission;
    return std::min<uint64_t>(chunksPerTransmission, count - begin);
  }
  /// The number of parts of a step: its transmissions; with a protocol, its preparation and slices.
  uint64_t parts(const ProtocolModel *protocol, const Step &step) const {
    bool communicates = traits(step.op).communicates();
    if (!protocol)
      return communicates ? transmissions(step.count) : 1;
    return 1 + (communicates ? uint64_t(transmissions(step.count)) * protocol->slices : 0);
  }
  /// The executions of steps, or of their parts, for one piece.
  Executions numberExecutions(const PlacedPlan &plan) const;
  /// Their number in one run.
  uint64_t executions(const PlanOnMachine &plan) const {
    return (plan.steps() ? numberExecutions(*plan.steps()).perTrip() : plan.shown.numSteps()) *
           pieces;
  }

  Bytes pieceBytes(uint32_t piece) const {
    uint64_t begin = uint64_t(piece) * pieceElements;
    return Bytes(std::min(pieceElements, chunkElements - begin) * sizeOf(type));
  }

  /// Pieces are chosen such that a slot holds a piece of one chunk, and a transmission has as many
  /// whole chunks as fit. Without a protocol, they are smaller if the plan would deadlock
  /// otherwise: a slot then holds a piece of several chunks. Fails if not even one element fits.
  static FailureOr<Sizing> create(const PlacedPlan &plan, Bytes requested, DataType type,
                                  DiagnosticEngine &diags);
};

} // namespace cclc

#endif // CCL_SIM_PLACEDPLAN_H
