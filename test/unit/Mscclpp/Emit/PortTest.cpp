//===- PortTest.cpp - Plans of MSCCL++ over several nodes -----------------===//

#include "../../../support/MscclppMachine.h"
#include "Mscclpp/Files.h"

#include "cclc/Mscclpp/Emit/Compact.h"
#include "cclc/Mscclpp/Emit/Lower.h"

using namespace cclc;
using namespace cclc::test;

namespace {
mscclpp::NodeMap nodesOf(const ExecPlan &plan, uint32_t ranksPerNode) {
  std::vector<uint32_t> nodes;
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    nodes.push_back(r / ranksPerNode);
  return mscclpp::NodeMap(nodes);
}

/// Whether memory channels connect ranks of a node, and port channels those of different nodes.
bool keepsNodes(const mscclpp::Plan &plan, uint32_t ranksPerNode) {
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    const mscclpp::Rank &rank = plan.ranks()[r];
    for (auto kind : {mscclpp::ChannelKind::Memory, mscclpp::ChannelKind::Port})
      for (RankId peer : plan.channels(rank, kind))
        if ((peer.index() / ranksPerNode == r / ranksPerNode) !=
            (kind == mscclpp::ChannelKind::Memory))
          return false;
    for (const mscclpp::RemoteBuffer &buffer : plan.remotes(rank))
      if (buffer.byMemory == buffer.byPort ||
          (buffer.rank.index() / ranksPerNode == r / ranksPerNode) != buffer.byMemory)
        return false;
  }
  return true;
}
} // namespace

TEST_CASE("values are one operation in each kind of channel", "[mscclpp]") {
  for (auto [protocol, emit] : {std::pair(Protocol::LL, &mscclpp::emitPackets),
                                std::pair(Protocol::Simple, &mscclpp::emitDirect)}) {
    size_t compact = 0, tried = 0;
    for (const Recipe &recipe : allRecipes()) {
      ExecPlan plan = compiledAs(recipe, protocol);
      uint32_t ranksPerNode = 1 + tried++ % 3;
      INFO(nameOf(recipe) << " " << protocolName(protocol).str() << " " << ranksPerNode);
      mscclpp::NodeMap nodes = nodesOf(plan, ranksPerNode);
      std::optional<mscclpp::Plan> emitted = emit(plan, nodes);
      if (!emitted)
        continue;
      ++compact;
      CHECK(keepsNodes(*emitted, ranksPerNode));
      CHECK(judge(textOf(*emitted)) == "ok");
      for (uint64_t seed = 1; seed <= 2; ++seed)
        CHECK(runMscclpp(*emitted, {seed}) == "");
    }
    WARN(compact << " of " << tried << " programs");
    CHECK(2 * compact > tried);
  }
}

TEST_CASE("an all-reduce of two nodes of 8 ranks", "[mscclpp]") {
  Recipe recipe{"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "8"}}};
  for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
    ExecPlan plan = compiledAs(recipe, protocol);
    std::optional<mscclpp::Plan> emitted = protocol == Protocol::LL
                                               ? mscclpp::emitPackets(plan, nodesOf(plan, 8))
                                               : mscclpp::emitDirect(plan, nodesOf(plan, 8));
    REQUIRE(emitted);
    CHECK(keepsNodes(*emitted, 8));
    CHECK(judge(textOf(*emitted)) == "ok");
    CHECK(runMscclpp(*emitted, {}) == "");
    size_t ops = 0;
    for (const mscclpp::Threadblock &tb : emitted->threadblocks(emitted->ranks().front()))
      ops += tb.ops.count;
    CHECK(ops == (protocol == Protocol::LL ? 48 : 152));
  }
}

TEST_CASE("plans over nodes are proved and run right", "[mscclpp]") {
  size_t tried = 0;
  for (const Recipe &recipe : allRecipes())
    for (Protocol protocol : {Protocol::Simple, Protocol::LL}) {
      ExecPlan plan = compiledAs(recipe, protocol);
      if (!plan.info().calls.empty())
        continue;
      uint32_t ranksPerNode = 1 + tried++ % 3;
      INFO(nameOf(recipe) << " " << protocolName(protocol).str() << " " << ranksPerNode);
      mscclpp::NodeMap nodes = nodesOf(plan, ranksPerNode);
      DiagnosticEngine diags;
      FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags, nodes);
      REQUIRE(succeeded(lowered));
      CHECK(keepsNodes(*lowered, ranksPerNode));
      CHECK(judge(textOf(*lowered)) == "ok");
      for (uint64_t seed = 1; seed <= 2; ++seed)
        CHECK(runMscclpp(*lowered, {seed}) == "");
    }
  CHECK(tried > 40);
}
