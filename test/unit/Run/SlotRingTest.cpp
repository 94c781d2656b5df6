//===- SlotRingTest.cpp - Tests of slots in shared memory -----------------===//
//
// Ranks are threads that stand for processes: each has the rings at addresses of its own, or all at
// the same ones, so that ThreadSanitizer sees both sides of a message.
//
//===----------------------------------------------------------------------===//

#include "SlotRing.h"

#include "Execution.h"
#include "Observers.h"

#include "cclc/Run/RankExecutor.h"

#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
/// Memory of zeros that can be mapped several times.
class SharedFile {
public:
  explicit SharedFile(size_t bytes) : bytes(bytes), file(memfd_create("test", 0)) {
    REQUIRE(ftruncate(file, off_t(bytes)) == 0);
  }
  ~SharedFile() {
    for (void *mapping : mappings)
      munmap(mapping, bytes);
    close(file);
  }
  std::byte *map() {
    void *mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    REQUIRE(mapping != MAP_FAILED);
    mappings.push_back(mapping);
    return static_cast<std::byte *>(mapping);
  }

private:
  size_t bytes;
  int file;
  std::vector<void *> mappings;
};

/// The connections of a rank by rings alone.
class RingTransport {
public:
  struct Sender {
    RingSender ring;
    std::byte *reserve(const Step &, uint32_t) { return ring.reserve(); }
    void commit(size_t) { ring.commit(); }
  };
  using Receiver = RingReceiver;

  RingTransport(const PreparedPlan &plan, const RingLayout &layout, std::byte *memory) {
    for (uint32_t c = 0; c < plan.connections.size(); ++c) {
      senders.push_back({RingSender(layout.ring(memory, ConnectionId(c)))});
      receivers.emplace_back(layout.ring(memory, ConnectionId(c)));
    }
  }
  Sender &sender(ConnectionId connection) { return senders[connection.index()]; }
  Receiver &receiver(ConnectionId connection) { return receivers[connection.index()]; }
  static constexpr std::optional<uint32_t> unsent(size_t, uint32_t, uint32_t) { return {}; }
  static constexpr void executed(size_t) {}
  static constexpr void poll(bool) {}

private:
  std::vector<Sender> senders;
  std::vector<Receiver> receivers;
};

/// Executes the plan once, with delays. Transports begin with the state that the rings have.
/// Returns whether all ranks end within the time limit.
bool executeOnce(const PreparedPlan &plan, const RingLayout &layout, ArrayRef<std::byte *> mappings,
                 const RunData &data, uint64_t seed) {
  std::atomic<uint32_t> done = 0;
  std::vector<std::jthread> threads;
  for (uint32_t r = 0; r < plan.plan.ranks(); ++r)
    threads.emplace_back([&, r] {
      RingTransport transport(plan, layout, mappings[r % mappings.size()]);
      RankExecutor<RingTransport, Witness> executor(plan, RankId(r), transport,
                                                    Witness(seed, r, nullptr));
      executor.start(data.buffers()[r]);
      const Clock::time_point limit = Clock::now() + std::chrono::seconds(60);
      for (uint32_t idle = 0; !executor.done() && Clock::now() < limit;) {
        idle = executor.progress() ? 0 : idle + 1;
        if (idle > 1000)
          std::this_thread::yield();
      }
      done += executor.done();
    });
  threads.clear();
  return done == plan.plan.ranks();
}

void checkOnRings(const Recipe &recipe, bool areApart) {
  const ExecPlan plan = compiled(recipe);
  const PreparedPlan run(plan, 259, {DataType::F32, ReduceOp::Sum, 3, 64});
  const Collective &collective = plan.info().collective;
  const Placement placement = plan.info().placements.list().front();
  INFO(recipe.program << ", " << run.pieces() << " pieces");
  const RingLayout layout(run, [](RankId, RankId) { return true; });
  SharedFile file(layout.bytes());
  std::vector<std::byte *> mappings;
  for (uint32_t r = 0; r < (areApart ? plan.ranks() : 1); ++r)
    mappings.push_back(file.map());
  InputData inputs(collective, DataType::F32, ReduceOp::Sum, std::nullopt);
  ExpectedData expected(collective, inputs, DataType::F32, ReduceOp::Sum,
                        run.layout.chunkElements());
  RunData data(run, placement, *createThreadGroup());
  for (uint32_t execution = 0; execution < 3; ++execution) {
    data.fill(inputs, execution);
    REQUIRE(executeOnce(run, layout, mappings, data, execution));
    std::optional<DataMismatch> mismatch;
    data.compare([&](RankId r, uint32_t c, uint32_t n) { return expected.chunk(r, c, n); },
                 execution, mismatch);
    if (mismatch)
      FAIL(mismatchText(*mismatch, placement, Bytes(0), 1));
  }
}
} // namespace

TEST_CASE("ranks exchange messages in memory that each has at other addresses", "[run]") {
  const bool areApart = GENERATE(true, false);
  for (const Recipe &recipe :
       {Recipe{"allreduce_ring", {{"buffers", "both"}}, 5}, Recipe{"alltoall_direct", {}, 4},
        Recipe{"broadcast_binomial", {}, 7}, Recipe{"allreduce_recursive_doubling", {}, 4}})
    checkOnRings(recipe, areApart);
}

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
