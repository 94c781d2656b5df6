//===- ThreadTransport.cpp - Slots in shared memory -----------------------===//
//
// All slots are one block of memory, which is not initialised: its pages are placed where the
// sender first writes them.
//
//===----------------------------------------------------------------------===//

#include "ThreadTransport.h"

#include "cclc/Support/Units.h"

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

static uint64_t padded(uint64_t bytes) { return ceilDiv(bytes, cacheLines) * cacheLines; }

ThreadTransport::ThreadTransport(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                 bool exactSlots)
    : plan(plan), senders(plan.connections.size()), receivers(plan.connections.size()) {
  if (!exactSlots)
    direct = DirectMessages(plan, placementOf(plan, memory));
  size_t total = cacheLines;
  for (uint32_t c = 0; c < senders.size(); ++c)
    total += plan.settings.slots * padded(plan.slotBytes(ConnectionId(c)));
  slots = std::unique_ptr<std::byte[]>(new std::byte[total]);
  auto address = reinterpret_cast<uintptr_t>(slots.get());
  std::byte *next = slots.get() + (padded(address) - address);
  for (uint32_t c = 0; c < senders.size(); ++c) {
    Ring &ring = rings.emplace_back();
    ring.slots = next;
    ring.slotBytes = padded(plan.slotBytes(ConnectionId(c)));
    ring.numSlots = plan.settings.slots;
    next += ring.numSlots * ring.slotBytes;
    const Connection &connection = plan.connections.connections()[c];
    senders[c].transport = this;
    senders[c].memory = memory[plan.plan.threadblocks()[connection.senderTb].rank.index()];
    senders[c].ring = receivers[c].ring = &ring;
    senders[c].slot = receivers[c].slot = ring.slots;
    forEachMessage(plan.plan, connection, [&](uint32_t send, uint32_t) {
      receivers[c].isDirect.push_back(direct.of(StepId(send)));
    });
  }
}
