//===- ProcessorCosts.cpp - The times of steps on processors --------------===//
//
// The data of a processor are the buffers of its PEs and the slots that they receive in. What does
// not fit into the cache takes the time of the memory: the share of the data that misses the cache
// is that of the data beyond its size.
//
// Implements rules 60 and 61; MessageSteps and MachineShare implement rule 59.
//
//===----------------------------------------------------------------------===//

#include "ProcessorCosts.h"

using namespace cclc;

/// The bytes of the buffers of a rank.
static uint64_t bufferBytes(const PlacedPlan &placed, const Sizing &sizing, uint32_t rank) {
  const ExecPlan &plan = placed.plan;
  const Collective &collective = plan.info().collective;
  uint64_t input = collective.inputChunks(), output = collective.outputChunks();
  uint64_t chunks =
      plan.info().placements.allowsOutOfPlace() ? input + output : std::max(input, output);
  return (chunks + plan.scratchChunks()[rank]) * sizing.chunkElements * sizeOf(sizing.type);
}

/// The bytes of the slots of a connection that are used at the same time.
uint64_t ProcessorCosts::slotBytes(const PlacedPlan &placed, const Sizing &sizing,
                                   uint32_t connection) const {
  uint64_t messages = uint64_t(placed.placedConnections[connection].messages) * sizing.pieces;
  uint64_t slots =
      placed.slots.isUnlimited() ? messages : std::min<uint64_t>(messages, placed.slots.limit());
  Bytes largest;
  forEachMessage(
      placed.plan, placed.connections.connections()[connection], [&](uint32_t send, uint32_t) {
        const Step &step = placed.plan.steps()[send];
        Bytes size = sizing.pieceBytes(0) * std::min(step.count, sizing.chunksPerTransmission);
        if (!isDirect(step.op, size))
          largest = std::max(largest, size);
      });
  return slots * largest.count();
}

ProcessorCosts::ProcessorCosts(const PlacedPlan &plan, const Sizing &sizing)
    : model(*plan.machine.processors), permille(plan.plan.ranks(), 1000) {
  if (!model.cache)
    return;
  const uint32_t ranks = plan.plan.ranks();
  std::vector<uint64_t> used(model.count); // by processor
  for (uint32_t r = 0; r < ranks; ++r)
    used[processorOf(model, r, ranks)] += bufferBytes(plan, sizing, r);
  for (uint32_t c = 0; c < plan.placedConnections.size(); ++c) {
    RankId receiver = plan.plan.threadblocks()[plan.placedConnections[c].receiverTb].rank;
    used[processorOf(model, receiver.index(), ranks)] += slotBytes(plan, sizing, c);
  }
  for (uint32_t r = 0; r < ranks; ++r) {
    uint64_t bytes = used[processorOf(model, r, ranks)], cached = model.cache->count();
    if (bytes > cached)
      permille[r] += Wide(model.memoryPermille - 1000) * (bytes - cached) / bytes;
  }
}
