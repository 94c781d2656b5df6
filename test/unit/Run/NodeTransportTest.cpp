//===- NodeTransportTest.cpp - Tests of messages inside a node ------------===//
//
// Threads stand for processes: each has the rings and the buffers of all ranks at addresses of its
// own, or all at the same ones, so that ThreadSanitizer sees both sides of a message. MPI is not
// initialised: no message needs it.
//
//===----------------------------------------------------------------------===//

#include "ArenaPart.h"

#include "Execution.h"
#include "Observers.h"
#include "SharedFile.h"

#include "cclc/Run/RankExecutor.h"

#include <barrier>
#include <thread>

using namespace cclc;
using namespace cclc::test;
using namespace cclc::run;

namespace {
/// Ranks of one node. What a rank shares is in one file: the rings, then all buffers.
class NodeGroup : public Group {
public:
  NodeGroup(const PreparedPlan &plan, bool areApart)
      : layout(plan, [](RankId, RankId) { return true; }), areApart(areApart) {}

  std::string name() const override { return "node"; }
  std::optional<uint32_t> size() const override { return std::nullopt; }
  std::vector<RankId> localRanks(const ExecPlan &plan) const override {
    return createThreadGroup()->localRanks(plan);
  }
  bool leads() const override { return true; }
  std::vector<std::string> gather(const std::string &text) override { return {text}; }
  bool agree(uint64_t) override { return true; }
  bool hasNative(const PreparedPlan &) const override { return false; }
  std::vector<std::chrono::nanoseconds> executeNative(const PreparedPlan &, ArrayRef<RankBuffers>,
                                                      uint32_t, const RunOptions &) override {
    return {};
  }

  std::shared_ptr<std::byte> allocate(uint64_t bytes) override {
    file.emplace(layout.bytes() + bytes);
    first = file->map();
    layout.initialize(first);
    return {std::shared_ptr<void>(), first + layout.bytes()};
  }

  /// Fails after a minute.
  FailureOr<RunResult> execute(const PreparedPlan &plan, ArrayRef<RankBuffers> memory,
                               uint32_t executions, const RunOptions &options,
                               DiagnosticEngine &) override {
    const uint32_t ranks = plan.plan.ranks();
    const DirectMessages direct = DirectMessages(plan, plan.placementOf(memory));
    std::atomic<bool> isLate = false;
    std::barrier<> barrier(ranks);
    std::vector<std::jthread> threads;
    for (uint32_t r = 0; r < ranks; ++r)
      threads.emplace_back([&, r, base = areApart ? file->map() : first] {
        SharedPlan node{base, layout, direct, memory.vec()};
        for (RankBuffers &buffers : node.buffers)
          for (std::byte *&buffer : buffers)
            buffer += base - first;
        NodeTransport transport(plan, RankId(r), 0, false, MPI_COMM_NULL, node);
        RankExecutor<NodeTransport, Witness> executor(plan, RankId(r), transport,
                                                      Witness(options.jitter, r, nullptr));
        auto until = [&, limit = Clock::now() + std::chrono::minutes(1)](auto condition) {
          for (uint32_t idle = 0; !condition() && !isLate; ++idle)
            if (idle > 1000) {
              isLate = isLate || Clock::now() > limit;
              std::this_thread::yield();
            }
        };
        for (uint32_t e = 0; e < executions; ++e) {
          executor.start(node.buffers[r]);
          transport.begin(node.buffers[r], /*mayCallLibrary=*/false);
          barrier.arrive_and_wait();
          until([&] { return executor.progress(), executor.done(); });
          until([&] { return transport.isRead(); });
          reuse(plan, node.buffers[r], barrier);
        }
      });
    threads.clear();
    return isLate ? FailureOr<RunResult>(failure()) : RunResult();
  }

private:
  /// Uses the memory of a rank for something else, until no rank executes the plan.
  void reuse(const PreparedPlan &plan, const RankBuffers &buffers, std::barrier<> &barrier) {
    std::array<std::vector<std::byte>, 2> kept;
    for (Buffer buffer : {Buffer::Input, Buffer::Output}) {
      std::byte *begin = buffers[size_t(buffer)];
      kept[size_t(buffer)].assign(begin, begin + plan.layout.elements(buffer) * plan.elementSize());
    }
    for (Buffer buffer : {Buffer::Input, Buffer::Output})
      std::memset(buffers[size_t(buffer)], 0xff, kept[size_t(buffer)].size());
    barrier.arrive_and_wait();
    for (Buffer buffer : {Buffer::Input, Buffer::Output})
      llvm::copy(kept[size_t(buffer)], buffers[size_t(buffer)]);
  }

  RingLayout layout;
  bool areApart;
  std::optional<SharedFile> file;
  std::byte *first = nullptr;
};

/// Executes three times on the same rings, each time with new transports that execute the plan
/// twice. A maximum in place is the same then.
void checkOnNode(const Recipe &recipe, uint64_t directBytes, bool areApart) {
  const ExecPlan plan = compiled(recipe);
  const PreparedPlan run(plan, 259, {DataType::F32, ReduceOp::Max, 3, 64, directBytes});
  const Collective &collective = plan.info().collective;
  const Placement placement = plan.info().placements.list().front();
  INFO(recipe.program << ", " << run.pieces() << " pieces, direct from " << directBytes);
  NodeGroup group(run, areApart);
  RunData data(run, placement, group);
  InputData inputs(collective, DataType::F32, ReduceOp::Max, std::nullopt);
  ExpectedData expected(collective, inputs, DataType::F32, ReduceOp::Max,
                        run.layout.chunkElements());
  RunOptions options;
  for (uint32_t round = 0; round < 3; ++round) {
    options.jitter = round;
    data.fill(inputs, round);
    DiagnosticEngine diags;
    REQUIRE(succeeded(group.execute(run, data.buffers(), 2, options, diags)));
    std::optional<DataMismatch> mismatch;
    data.compare([&](RankId r, uint32_t c, uint32_t n) { return expected.chunk(r, c, n); }, round,
                 mismatch);
    if (mismatch)
      FAIL(mismatchText(*mismatch, placement, Bytes(0), 1));
  }
}
} // namespace

TEST_CASE("ranks of a node exchange messages in memory that they share", "[run]") {
  const bool areApart = GENERATE(true, false);
  const uint64_t directBytes = GENERATE(0, UINT64_MAX);
  for (const Recipe &recipe :
       {Recipe{"allreduce_ring", {{"buffers", "both"}}, 5},
        Recipe{"allreduce_ring", {{"buffers", "in_place"}}, 3}, Recipe{"alltoall_direct", {}, 4},
        Recipe{"reducescatter_halving", {}, 4}, Recipe{"broadcast_binomial", {}, 7},
        Recipe{"allreduce_recursive_doubling", {}, 4}})
    checkOnNode(recipe, directBytes, areApart);
}

TEST_CASE("only the ranks of a node have their scratch in common", "[run]") {
  const ExecPlan plan = compiled({"reducescatter_halving", {}, 4});
  const PreparedPlan run(plan, 4 * 1024, {DataType::F32, ReduceOp::Sum, 2});
  const Nodes nodes = Nodes::simulated(4, 2);
  // Rank r is the process (r + 2) mod 4: ranks 2 and 3 are on the first node.
  constexpr uint32_t shift = 2;
  std::vector<std::byte> memory(ArenaPart::mostBytes(run, nodes, shift));
  const ArenaPart part(run, nodes, shift, /*process=*/0, memory.data(), 0);
  const uint64_t bytes = plan.scratchChunks()[2] * run.layout.chunkElements() * sizeof(float);
  REQUIRE(bytes > 0);
  uint64_t last = part.node.layout.bytes();
  for (uint32_t r = 0; r < 4; ++r) {
    const auto &[input, output, scratch] = part.node.buffers[r];
    CHECK((!input && !output));
    REQUIRE((scratch != nullptr) == (r >= 2));
    if (!scratch)
      continue;
    CHECK(uint64_t(scratch - memory.data()) >= last);
    last = uint64_t(scratch - memory.data()) + bytes;
  }
  CHECK(last <= memory.size());
  // Messages in the input, and those of other nodes, need slots.
  uint32_t direct = 0;
  for (const Connection &connection : run.connections.connections())
    forEachMessage(plan, connection, [&](uint32_t send, uint32_t) {
      const uint32_t sender = plan.threadblocks()[connection.senderTb].rank.index();
      const bool isInScratch = sentOperand(plan.steps()[send])->buffer() == Buffer::Scratch;
      CHECK(part.node.direct.of(StepId(send)) == (isInScratch && sender >= 2));
      direct += part.node.direct.of(StepId(send));
    });
  CHECK(direct > 0);
  CHECK_FALSE(ArenaPart(run, nodes, shift, 0, nullptr, 0).node.rings);
}
