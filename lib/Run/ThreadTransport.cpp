//===- ThreadTransport.cpp - Slots in the memory of a process -------------===//
//
// All slots are one block of memory, which is not initialised.
//
//===----------------------------------------------------------------------===//

#include "ThreadTransport.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::run;

/// Ranks without an output, or an input, do not show the placement.
static Placement placementOf(const PreparedPlan &plan, ArrayRef<RankBuffers> memory) {
  bool inPlace = llvm::any_of(memory, [&](const RankBuffers &buffers) {
    return plan.placementOf(buffers) == Placement::InPlace;
  });
  return inPlace ? Placement::InPlace : Placement::OutOfPlace;
}

ThreadTransport::ThreadTransport(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                 bool exactSlots)
    : plan(plan), senders(plan.connections.size()), receivers(plan.connections.size()) {
  if (!exactSlots)
    direct = DirectMessages(plan, placementOf(plan, memory));
  RingLayout layout(plan, [](RankId, RankId) { return true; });
  block = std::unique_ptr<std::byte[]>(new std::byte[layout.bytes() + cacheLines]);
  auto address = reinterpret_cast<uintptr_t>(block.get());
  std::byte *begin = block.get() + (-address % cacheLines);
  layout.initialize(begin);
  for (uint32_t c = 0; c < senders.size(); ++c) {
    const SlotRing ring = layout.ring(begin, ConnectionId(c));
    const Connection &connection = plan.connections.connections()[c];
    senders[c].transport = this;
    senders[c].memory = memory[plan.plan.threadblocks()[connection.senderTb].rank.index()];
    senders[c].ring = RingSender(ring);
    receivers[c].ring = RingReceiver(ring);
    forEachMessage(plan.plan, connection, [&](uint32_t send, uint32_t) {
      receivers[c].isDirect.push_back(direct.of(StepId(send)));
    });
  }
}
