//===- Models.h - The parameters of a machine's parts -----------*- C++ -*-===//
//
// The costs of steps, messages and transmissions on a PE, in its queues, under a protocol and in
// its memory. The values come from targets/*.json; docs/machine-model.md has their rules.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_MODELS_H
#define CCL_TARGET_MODELS_H

#include "cclc/Support/Units.h"
#include "cclc/Target/DirectionQueues.h"
#include "cclc/Target/SwitchModel.h"

#include "llvm/Support/Compiler.h"

#include <array>
#include <cstdint>
#include <optional>

namespace cclc {

/// An engine that serves requests sequentially, in whole cycles: \p size bytes take the latency
/// plus ceil(size / bytesPerCycle) cycles. If bytesPerCycle is zero, there is no engine.
struct CycleEngine {
  SimTime cycle;
  uint64_t bytesPerCycle = 0;
  SimTime latency; ///< of every request
  SimTime duration(Bytes size) const {
    if (bytesPerCycle == 0)
      return SimTime();
    return latency + cycle * static_cast<int64_t>(ceilDiv(size.count(), bytesPerCycle));
  }
};

/// The engines of a PE and the costs of a step on them.
struct PeModel {
  /// The number of threadblocks that may execute concurrently; unset: all of them.
  std::optional<uint32_t> streams;
  /// The time of every step on the stream, for communicating and for local steps.
  SimTime dispatch, localDispatch;
  /// The time of a wait for another threadblock, which polls its flag, and of a `nop` that waits.
  SimTime wait, nop;
  /// The engine for reductions, one per PE.
  CycleEngine math;
  /// The operands per cycle of a threadblock that reduces without the engine (with protocols):
  /// successive reductions into the same place are merged.
  uint32_t mathOperands = 2;
  /// The engine for local copies.
  CycleEngine copy;
  /// The rate at which a threadblock sends data; if unlimited, the threadblock continues as soon as
  /// the send is issued.
  Bandwidth threadblockRate;
  /// The rate of the engine that injects the messages of a PE into the network sequentially.
  Bandwidth dmaRate;

  SimTime dispatchOf(bool communicates) const { return communicates ? dispatch : localDispatch; }
};

/// The cost of one access to a slot: latency plus size over rate, or plus the times for two rates
/// if the access passes two stations in sequence.
struct SlotAccess {
  SimTime latency;
  Bandwidth rate;
  Bandwidth secondRate;
  /// The simulation computes it for every step.
  LLVM_ATTRIBUTE_ALWAYS_INLINE SimTime duration(Bytes size) const {
    return latency + transferTime(size, rate) + transferTime(size, secondRate);
  }
};

/// The queues between PEs, one per connection.
struct QueueModel {
  uint32_t slots = 8;
  Bytes slotSize;
  /// The time from a send until its message is at the DMA engine. The send does not wait for it.
  SimTime sendOverhead;
  /// The time of a receive before it reads its slot.
  SimTime receiveOverhead;
  /// The costs of the write at the receiver and of the read by the receive.
  SlotAccess write, read;
  /// The size of the credit message that returns a slot; it bypasses the queues of the network.
  Bytes creditSize;
  /// Whether the receive completes only when the credit has been delivered.
  bool creditBlocksReceiver = false;
  OneSidedReads reads = OneSidedReads::Off;
};

/// The transfer of the chunks of a step by a GPU runtime under one protocol: in transmissions of at
/// most a slot, each divided into slices, and those into trips of the threads of a threadblock. If
/// chunks are larger than a slot, the step list is executed in a loop over pieces.
struct ProtocolModel {
  /// From the launch of a plan until its first step.
  SimTime launch;
  /// The time of every communicating step before it polls for the message or slot, and of every
  /// slice before its trips, in which the threads are synchronised.
  SimTime stepLatency, sliceLatency;
  /// The number of transmissions that a connection buffers, the payload of each, and its chunks.
  uint32_t slots = 8;
  Bytes slotSize;
  uint32_t maxChunks = ~uint32_t(0);
  /// The number of slices of a transmission; only the last may be smaller than \c minSlice.
  uint32_t slices = 1;
  Bytes minSlice;
  /// Whether a receive begins when the first trip has arrived; otherwise it waits for the slice.
  bool streaming = false;
  /// The engine for trips, each of which moves a number of bytes of payload.
  CycleEngine trip;
  /// The payload per million bytes on the wire.
  uint32_t efficiency = 1'000'000;

  Bytes onWire(Bytes payload) const {
    return Bytes(ceilDiv(payload.count() * 1'000'000, efficiency));
  }
};

/// The memories of a PE. Machines of families without several memories have only the last one.
enum class PeMemory : uint8_t { Tcm, Sram, Hbm, Only };
inline constexpr size_t numPeMemories = 4;

/// The memories of a PE: which of them contains what, and the one with inputs and results, from
/// which a plan loads and in which it stores.
struct MemoryModel {
  /// The bytes of each memory that belong to one PE, by PeMemory; unset: unlimited.
  std::array<std::optional<Bytes>, numPeMemories> capacity;
  /// The memories of the slots of queues, of scratch, and of the input and output buffers.
  PeMemory slots = PeMemory::Only, scratch = PeMemory::Only, buffers = PeMemory::Only;

  std::optional<Bytes> capacityOf(PeMemory memory) const {
    return capacity[static_cast<size_t>(memory)];
  }

  /// Whether a plan loads its inputs and stores its results (Sim/LocalMemory.h).
  bool loadStore = false;
  /// The time of every load and store before its request leaves the PE.
  SimTime dmaOverhead;
  /// The time from the end of the last request of a PE until the processor of its cube is notified.
  SimTime completion;
  /// The channels of one memory, each with an equal share of the rate of the link to the memory,
  /// and the burst size by which they are interleaved.
  uint32_t channels = 1;
  Bytes burst = Bytes(256);
};

/// The limits on a plan; unset: unlimited.
struct TargetLimits {
  std::optional<uint32_t> channels;
  std::optional<uint32_t> threadblocks;
  std::optional<uint32_t> stepsPerThreadblock;
  std::optional<uint32_t> count;
  /// The number of connections of a PE in each direction.
  std::optional<uint32_t> queuePairs;
};

} // namespace cclc

#endif // CCL_TARGET_MODELS_H
