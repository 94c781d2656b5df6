//===- CompactTest.cpp - Compact plans of MSCCL++ -------------------------===//

#include "../../../support/MscclppMachine.h"
#include "Mscclpp/Files.h"

#include "cclc/Mscclpp/Emit/Compact.h"

using namespace cclc;
using namespace cclc::test;

namespace {
std::optional<mscclpp::Plan> emitted(const Recipe &recipe, Protocol protocol = Protocol::LL) {
  ExecPlan plan = compiledAs(recipe, protocol);
  return protocol == Protocol::LL ? mscclpp::emitPackets(plan) : mscclpp::emitDirect(plan);
}

/// The operations of the first rank.
struct Counts {
  size_t ops = 0, synchronisations = 0, mostSources = 0;
  uint64_t read = 0, written = 0; ///< chunks
};
Counts countsOf(const mscclpp::Plan &plan) {
  Counts counts;
  for (const mscclpp::Threadblock &tb : plan.threadblocks(plan.ranks().front()))
    for (const mscclpp::Operation &op : plan.ops(tb)) {
      ++counts.ops;
      counts.synchronisations += !mscclpp::traits(op.op).movesData();
      counts.mostSources = std::max<size_t>(counts.mostSources, op.src.count);
      for (const mscclpp::Place &place : plan.sources(op))
        counts.read += place.count;
      for (const mscclpp::Place &place : plan.destinations(op))
        counts.written += place.count;
    }
  return counts;
}

/// The plan is proved, and right in the emulation with each of some seeds.
void checkRight(const mscclpp::Plan &plan, uint64_t seeds) {
  DiagnosticEngine diags;
  CHECK(mscclpp::verify(plan, diags).verdict == Verdict::Ok);
  CHECK(textOf(diags) == "");
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    CHECK(runMscclpp(plan, {seed}) == "");
}
} // namespace

TEST_CASE("a value is one operation", "[mscclpp]") {
  // Every rank sends 7 chunks, adds 7 to its own and sends the sum to 7 ranks, and receives 7.
  std::optional<mscclpp::Plan> plan = emitted({"allreduce_allpairs", {}, 8});
  REQUIRE(plan);
  Counts counts = countsOf(*plan);
  CHECK(counts.ops == 7 + 1 + 7);
  CHECK(counts.synchronisations == 0);
  CHECK(counts.mostSources == 8);
  // Of 8 chunks: 7 are sent, 8 added, 7 received; a sum is written 8 times.
  CHECK(counts.read == 7 + 8 + 7);
  CHECK(counts.written == 7 + 8 + 7);
  CHECK(plan->ranks().front().scratchChunks == 14);
}

TEST_CASE("a reduction reads from the memory of the others", "[mscclpp]") {
  // One operation reads a chunk of every rank and writes the sum to all, in the frame of signals
  // with which the ranks announce begin and end.
  std::optional<mscclpp::Plan> plan = emitted({"allreduce_allpairs", {}, 8}, Protocol::Simple);
  REQUIRE(plan);
  ArrayRef<mscclpp::Threadblock> threadblocks = plan->threadblocks(plan->ranks().front());
  REQUIRE(threadblocks.size() == 1);
  std::string names;
  for (const mscclpp::Operation &op : plan->ops(threadblocks.front()))
    names += std::string(mscclpp::traits(op.op).mnemonic) + " ";
  CHECK(names == "rlxsignal rlxwait nop rres nop signal wait ");
  Counts counts = countsOf(*plan);
  CHECK(counts.read == 8);
  CHECK(counts.written == 8);
  CHECK(plan->ranks().front().scratchChunks == 0);
}

TEST_CASE("operations of switches use switch channels", "[mscclpp]") {
  // Rank j lets the switch add chunk j of all ranks and write the sum to all: one operation in the
  // frame of signals. Upstream's plan of 8 ranks has 88 operations, 48 of which are nops.
  for (uint32_t ranks : {4u, 8u}) {
    Recipe recipe{"allreduce_nvls", {{"buffers", "in_place"}}, ranks, 1, {}, "dgx-h100"};
    std::optional<mscclpp::Plan> plan = emitted(recipe, Protocol::Simple);
    REQUIRE(plan);
    size_t ops = 0, nops = 0, switched = 0;
    for (const mscclpp::Threadblock &tb : plan->threadblocks())
      for (const mscclpp::Operation &op : plan->ops(tb)) {
        ++ops;
        nops += op.op == mscclpp::OpKind::Nop;
        switched += op.op == mscclpp::OpKind::SwitchReduceStore;
      }
    CHECK(switched == ranks);
    CHECK(ops == 7 * ranks);
    CHECK(nops == 2 * ranks);
    checkRight(*plan, 10);
  }
}

TEST_CASE("every placement of operations of switches is proved and runs right", "[mscclpp]") {
  for (const char *program : {"allreduce_nvls", "allgather_nvls", "broadcast_nvls"})
    for (const char *buffers : {"in_place", "out_of_place"})
      for (uint32_t ranks : {2u, 3u, 8u}) {
        INFO(program << " " << buffers << " " << ranks);
        Recipe recipe{program, {{"buffers", buffers}}, ranks, 1, {}, "dgx-h100"};
        std::optional<mscclpp::Plan> plan = emitted(recipe, Protocol::Simple);
        REQUIRE(plan);
        checkRight(*plan, 5);
      }
}

TEST_CASE("messages are put where they are received", "[mscclpp]") {
  std::optional<mscclpp::Plan> plan = emitted({"alltoall_direct", {}, 4}, Protocol::Simple);
  REQUIRE(plan);
  Counts counts = countsOf(*plan);
  CHECK(counts.read == 4);
  CHECK(counts.written == 4);
  CHECK(plan->ranks().front().scratchChunks == 0);
}

TEST_CASE("values with many messages become several operations", "[mscclpp]") {
  for (Protocol protocol : {Protocol::LL, Protocol::Simple})
    for (uint32_t ranks : {11u, 20u, 40u}) {
      INFO(protocolName(protocol).str() << " " << ranks);
      std::optional<mscclpp::Plan> plan = emitted({"allreduce_allpairs", {}, ranks}, protocol);
      if (protocol == Protocol::LL)
        REQUIRE(plan);
      if (!plan)
        continue;
      DiagnosticEngine diags;
      CHECK(succeeded(mscclpp::checkExecutor(*plan, diags)));
      CHECK(mscclpp::verify(*plan, diags).verdict == Verdict::Ok);
      CHECK(textOf(diags) == "");
      CHECK(countsOf(*plan).mostSources == 10);
    }
}

TEST_CASE("compact plans of every program are proved and run right", "[mscclpp]") {
  for (Protocol protocol : {Protocol::LL, Protocol::Simple}) {
    size_t compact = 0;
    for (const Recipe &recipe : allRecipes()) {
      std::optional<mscclpp::Plan> plan = emitted(recipe, protocol);
      if (!plan)
        continue;
      ++compact;
      INFO(nameOf(recipe) << " " << protocolName(protocol).str());
      DiagnosticEngine diags;
      CHECK(mscclpp::verify(*plan, diags).verdict == Verdict::Ok);
      CHECK(textOf(diags) == "");
      for (uint64_t seed = 1; seed <= 10; ++seed)
        CHECK(runMscclpp(*plan, {seed}) == "");
    }
    WARN(compact << " of " << allRecipes().size() << " programs");
    CHECK(compact > allRecipes().size() / 2);
  }
  CHECK_FALSE(mscclpp::emitPackets(compiled({"allreduce_allpairs", {}, 4})));
}
