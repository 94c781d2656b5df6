//===- Models.h - The parameters of a machine's parts -----------*- C++ -*-===//
//
// What a step, a message and a transmission cost on a PE, in its queues, under a protocol and in
// its memory. The values come from targets/*.json; docs/machine-model.md has the rules that use
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_MODELS_H
#define CCL_TARGET_MODELS_H

#include "cclc/Support/Units.h"

#include <cstdint>
#include <optional>

namespace cclc {

/// An engine that serves one request after the other, in whole cycles: \p size
/// bytes take the latency and ceil(size / bytesPerCycle) cycles. Zero bytes per
/// cycle: none.
struct CycleEngine {
  SimTime cycle;
  uint64_t bytesPerCycle = 0;
  /// Fixed part of every request.
  SimTime latency;
  SimTime duration(Bytes size) const;
};

/// The engines of a PE and what a step costs on them.
struct PeModel {
  /// Threadblocks that may execute at the same time; unset: all of them.
  std::optional<uint32_t> streams;
  /// Of every step, on the stream: of those that send or receive, and of others.
  SimTime dispatch, localDispatch;
  /// Of a step that waits for another threadblock: looking at its flag until it
  /// is up. A `nop`, which only waits, has a cost of its own.
  SimTime wait, nop;
  /// Reductions; one engine a PE.
  CycleEngine math;
  /// Operands of one cycle of a threadblock that reduces on its own (with
  /// protocols): reductions into one place that follow each other are one.
  uint32_t mathOperands = 2;
  /// Local copies.
  CycleEngine copy;
  /// Rate at which one threadblock moves what it sends; unlimited: the send is
  /// handed over and the threadblock goes on.
  Bandwidth threadblockRate;
  /// Rate of the engine that puts messages of a PE into the network, one after
  /// the other.
  Bandwidth dmaRate;

  SimTime dispatchOf(bool communicates) const { return communicates ? dispatch : localDispatch; }
};

/// Cost of one access to a slot: latency plus size over rate, once or, where two
/// stations are passed one after the other, over two rates.
struct SlotAccess {
  SimTime latency;
  Bandwidth rate;
  Bandwidth secondRate;
  SimTime duration(Bytes size) const {
    return latency + transferTime(size, rate) + transferTime(size, secondRate);
  }
};

/// The queues between PEs: one for each connection.
struct QueueModel {
  uint32_t slots = 8;
  Bytes slotSize;
  /// From a send until its message is at the DMA engine; the send does not wait.
  SimTime sendOverhead;
  /// What a receive takes before it reads its slot.
  SimTime receiveOverhead;
  /// Cost of the write at the receiver and of the read by the receive.
  SlotAccess write, read;
  /// Size of the message that returns a slot; it travels back outside the queues
  /// of the network.
  Bytes creditSize;
  /// Whether the receive goes on only when the credit has been delivered.
  bool creditBlocksReceiver = false;
};

/// How the runtime of a GPU moves the chunks of a step under one protocol: in
/// transmissions of at most a slot, each in slices, and those in trips of the
/// threads of a threadblock. A buffer of chunks that are larger than a slot is a
/// loop over the step list.
struct ProtocolModel {
  /// From the launch of a plan until its first step.
  SimTime launch;
  /// Of every step that sends or receives, before it looks for message or slot.
  SimTime stepLatency;
  /// Transmissions that a connection holds, and the payload of each.
  uint32_t slots = 8;
  Bytes slotSize;
  /// Chunks of a transmission, at most.
  uint32_t maxChunks = ~uint32_t(0);
  /// Number of slices of a transmission; none but the last is smaller than \c minSlice.
  uint32_t slices = 1;
  Bytes minSlice;
  /// Whether a receive begins when the first trip is there; else, when the
  /// slice is.
  bool streaming = false;
  /// A trip, in which a threadblock moves a number of bytes of payload.
  CycleEngine trip;
  /// Payload in a million bytes on the wire.
  uint32_t efficiency = 1'000'000;

  Bytes onWire(Bytes payload) const {
    return Bytes(ceilDiv(payload.count() * 1'000'000, efficiency));
  }
};

/// The memory that each PE has outside itself, where inputs and results live.
struct MemoryModel {
  /// Whether a plan loads its inputs and stores its results (Sim/LocalMemory.h).
  bool loadStore = false;
  /// Of every load and store, before its request leaves the PE.
  SimTime dmaOverhead;
  /// From the end of the last request of a PE until the processor of its cube knows.
  SimTime completion;
  /// Channels of one memory and the burst after which the next channel comes;
  /// each has its share of the rate of the link to the memory.
  uint32_t channels = 1;
  Bytes burst = Bytes(256);
};

/// What a plan may use at most; unset: no limit.
struct TargetLimits {
  std::optional<uint32_t> channels;
  std::optional<uint32_t> threadblocks;
  std::optional<uint32_t> stepsPerThreadblock;
  std::optional<uint32_t> count;
  /// Connections of a PE in each direction.
  std::optional<uint32_t> queuePairs;
};

} // namespace cclc

#endif // CCL_TARGET_MODELS_H
