//===- EngineData.h - The data of a simulation ------------------*- C++ -*-===//
//
// The inputs of a simulation, the state of the machine and of the plan that runs on it, and the
// result so far, with the values that follow from them. EngineCore and the strategies change them.
//
// Rule numbers refer to docs/machine-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_ENGINEDATA_H
#define CCL_LIB_SIM_ENGINEDATA_H

#include "EngineState.h"
#include "GateKeeper.h"
#include "LocalMemory.h"
#include "MachineShare.h"
#include "RunKeeper.h"
#include "cclc/Sim/Network/EventQueue.h"

namespace cclc {

struct EngineData {
  EngineData(const BoundPlan &bound, const Sizing &sizing, NetworkModel &network,
             const SimOptions &options, MachineShare share)
      : bound(bound), plan(bound.plan), machine(bound.machine), sizing(sizing), network(network),
        executions(sizing.numberExecutions(bound)), memory(bound, sizing), gates(plan),
        runs(plan, options.repeat), listeners(options.listeners), share(std::move(share)),
        pes(this->share.pes), memories(plan.ranks()),
        launch(this->share.start + (bound.protocol ? bound.protocol->launch : machine.launch)),
        trips(uint64_t(sizing.pieces) * options.repeat), fullPiece(sizing.pieceBytes(0)),
        lastPiece(sizing.pieceBytes(sizing.pieces - 1)) {}

  Bytes pieceSize(const ThreadblockState &thread) const {
    return thread.piece + 1 == sizing.pieces ? lastPiece : fullPiece;
  }
  Bytes sizeOfStep(const ThreadblockState &thread, const Step &step) const {
    return pieceSize(thread) * step.count;
  }
  /// The number of the current execution of \p thread.
  uint64_t execution(const ThreadblockState &thread) const {
    return executions.number(thread.trip, thread.next, thread.part);
  }
  /// The connections of the current step.
  Fifo &sendFifo(const ThreadblockState &self) { return fifos[(*self.send).index()]; }
  Fifo &recvFifo(const ThreadblockState &self) { return fifos[(*self.recv).index()]; }
  /// The messages, or the signals of messages that are read, that a receive waits for.
  Ring<Arrival> &incoming(const ThreadblockState &self) {
    Fifo &fifo = recvFifo(self);
    bool isSignal = fifo.isRead && !self.awaitsData;
    return isSignal ? reads[(*self.recv).index()].signals : fifo.arrived;
  }
  /// The current step of \p t, for listeners.
  StepRun current(uint32_t t) const {
    return {PlanThreadblockId(t), StepId(states[t].next), states[t].piece};
  }

  uint32_t numberOf(const ThreadblockState &self) const { return &self - states.data(); }
  /// The connections of the current step; the first is that of sendFifo(), recvFifo().
  ArrayRef<ConnectionId> sends(const ThreadblockState &self) const {
    return bound.connections.sendsOf(numberOf(self));
  }
  ArrayRef<ConnectionId> receives(const ThreadblockState &self) const {
    return bound.connections.recvsOf(numberOf(self));
  }
  Pe &peOf(uint32_t rank) const { return pes[share.peOf[rank]]; }
  /// The start of a rank (rule 10).
  SimTime startOf(const Pe &pe) const { return launch + pe.skew.start; }

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  NetworkModel &network;
  const Executions executions;
  LocalMemory memory;
  GateKeeper gates;
  RunKeeper runs;
  ArrayRef<SimListener *> listeners;

  SimTime now;
  EventQueue<Event> queue;
  std::vector<ThreadblockState> states;
  std::vector<uint32_t> woken; ///< threadblocks that run after the current event
  std::vector<Fifo> fifos;     ///< by connection
  std::vector<ReadFifo> reads; ///< by connection; empty if no messages are read
  /// By connection, then by message modulo a power of two: when its slot becomes free. Empty if
  /// slots are unlimited.
  std::vector<SimTime> credits;
  std::vector<Reader> readers; ///< with the same index, if the critical path is recorded
  MachineShare share;
  MutableArrayRef<Pe> pes;          ///< of all plans
  std::vector<RankMemory> memories; ///< by rank
  std::optional<PathRecorder> recorder;
  SimResult result;

  SimTime launch; ///< when the ranks without a delay are ready
  uint64_t trips; ///< trips through the step list
  Bytes fullPiece, lastPiece;
};

} // namespace cclc

#endif // CCL_LIB_SIM_ENGINEDATA_H
