//===- SlotRing.cpp - The slots of a connection ---------------------------===//
//
// Slots are not initialised: their pages are placed where the sender first writes them, unless they
// exist before.
//
//===----------------------------------------------------------------------===//

#include "SlotRing.h"

#include "cclc/Support/Units.h"

#include <new>

using namespace cclc;
using namespace cclc::run;

static uint64_t padded(uint64_t bytes) { return ceilDiv(bytes, cacheLines) * cacheLines; }

RingLayout::RingLayout(const PreparedPlan &plan, llvm::function_ref<bool(RankId, RankId)> includes)
    : numSlots(plan.settings.slots), numbers(plan.connections.size(), none) {
  auto rankOf = [&](uint32_t threadblock) { return plan.plan.threadblocks()[threadblock].rank; };
  for (uint32_t c = 0; c < numbers.size(); ++c) {
    const Connection &connection = plan.connections.connections()[c];
    if (!includes(rankOf(connection.senderTb), rankOf(connection.receiverTb)))
      continue;
    numbers[c] = uint32_t(places.size());
    places.push_back({end, padded(plan.slotBytes(ConnectionId(c)))});
    end += numSlots * places.back().slotBytes;
  }
  const uint64_t counters = places.size() * sizeof(RingCounters);
  for (Place &place : places)
    place.slots += counters;
  end += counters;
}

SlotRing RingLayout::ring(std::byte *memory, ConnectionId connection) const {
  const uint32_t number = numberOf(connection);
  return {reinterpret_cast<RingCounters *>(memory) + number, memory + places[number].slots,
          places[number].slotBytes, numSlots};
}

void RingLayout::initialize(std::byte *memory) const {
  for (size_t ring = 0; ring < places.size(); ++ring)
    new (memory + ring * sizeof(RingCounters)) RingCounters;
}
