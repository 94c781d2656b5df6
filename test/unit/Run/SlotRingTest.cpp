//===- SlotRingTest.cpp - Tests of slots in shared memory -----------------===//
//
// Both sides have the slots at addresses of their own, as processes have them.
//
//===----------------------------------------------------------------------===//

#include "SlotRing.h"

#include "Plans.h"
#include "SharedFile.h"

#include <cstring>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

TEST_CASE("a layout has the rings of its connections alone, side by side", "[run]") {
  const ExecPlan plan = compiled({"alltoall_direct", {}, 4});
  const PreparedPlan run(plan, 1000, {DataType::F32, ReduceOp::Sum, 3});
  const RingLayout all(run, [](RankId, RankId) { return true; });
  // Ranks 0 and 1: 2 of 12 connections.
  const RingLayout some(run, [](RankId a, RankId b) { return a.index() < 2 && b.index() < 2; });
  CHECK(some.bytes() * 6 == all.bytes());
  alignas(cacheLines) static std::byte memory[1 << 16];
  REQUIRE(some.bytes() <= sizeof(memory));
  std::vector<std::pair<std::byte *, std::byte *>> ranges;
  for (uint32_t c = 0; c < run.connections.size(); ++c) {
    const Connection &connection = run.connections.connections()[c];
    auto isIn = [&](uint32_t tb) { return plan.threadblocks()[tb].rank.index() < 2; };
    REQUIRE(some.has(ConnectionId(c)) ==
            (isIn(connection.senderTb) && isIn(connection.receiverTb)));
    if (!some.has(ConnectionId(c)))
      continue;
    const SlotRing ring = some.ring(memory, ConnectionId(c));
    CHECK(ring.slotBytes >= run.slotBytes(ConnectionId(c)));
    auto *counters = reinterpret_cast<std::byte *>(ring.counters);
    ranges.push_back({counters, counters + sizeof(RingCounters)});
    ranges.push_back({ring.slots, ring.slots + ring.numSlots * ring.slotBytes});
  }
  llvm::sort(ranges);
  CHECK(ranges.front().first == memory);
  for (size_t i = 0; i + 1 < ranges.size(); ++i)
    CHECK(ranges[i].second <= ranges[i + 1].first);
  CHECK(ranges.back().second == memory + some.bytes());
}

TEST_CASE("each side of a ring may be made again between messages", "[run]") {
  const ExecPlan plan = compiled({"alltoall_direct", {}, 2});
  const PreparedPlan run(plan, 64, {DataType::F32, ReduceOp::Sum, 2});
  const RingLayout layout(run, [](RankId, RankId) { return true; });
  SharedFile file(layout.bytes());
  std::byte *here = file.map(), *there = file.map();
  const ConnectionId first(0);
  auto send = [&](int value) {
    RingSender sender(layout.ring(here, first));
    std::byte *slot = sender.reserve();
    if (!slot)
      return false;
    std::memcpy(slot, &value, sizeof(value));
    sender.commit();
    return true;
  };
  auto receive = [&] {
    RingReceiver receiver(layout.ring(there, first));
    int value = -1;
    if (const std::byte *slot = receiver.peek()) {
      std::memcpy(&value, slot, sizeof(value));
      receiver.release();
    }
    return value;
  };
  CHECK(receive() == -1);
  for (int round = 0; round < 5; ++round) {
    CHECK(send(10 * round));
    CHECK(send(10 * round + 1));
    CHECK_FALSE(send(99)); // both slots are in use
    CHECK(receive() == 10 * round);
    CHECK(send(10 * round + 2));
    CHECK(receive() == 10 * round + 1);
    CHECK(receive() == 10 * round + 2);
    CHECK(receive() == -1);
  }
}
