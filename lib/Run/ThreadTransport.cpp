//===- ThreadTransport.cpp - Slots in the memory of a process -------------===//
//
// All slots are one block of memory, which is not initialised.
//
//===----------------------------------------------------------------------===//

#include "ThreadTransport.h"

using namespace cclc;
using namespace cclc::run;

ThreadTransport::ThreadTransport(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                                 bool exactSlots) {
  const DirectMessages direct =
      exactSlots ? DirectMessages() : DirectMessages(plan, plan.placementOf(memory));
  RingLayout layout(plan, [](RankId, RankId) { return true; });
  block = std::unique_ptr<std::byte[]>(new std::byte[layout.bytes() + cacheLines]);
  auto address = reinterpret_cast<uintptr_t>(block.get());
  std::byte *begin = block.get() + (-address % cacheLines);
  layout.initialize(begin);
  for (uint32_t c = 0; c < plan.connections.size(); ++c) {
    const ConnectionId id(c);
    const MessagePlaces places(plan, id, direct, memory);
    senders.emplace_back(layout.ring(begin, id), places);
    receivers.emplace_back(layout.ring(begin, id), places);
  }
}
