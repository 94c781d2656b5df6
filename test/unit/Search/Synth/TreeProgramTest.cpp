//===- TreeProgramTest.cpp - The channels of programs of trees ------------===//

#include "Plans.h"
#include "Search/Synth/Endpoints.h"
#include "cclc/DSL/Trace.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"

#include <algorithm>
#include <map>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
constexpr uint32_t ranks = 4, treesPerRoot = 4;

const Machine &ringMachine() {
  static const Machine ring = machine("ring", {}, ranks);
  return ring;
}

const TransferGraph &ring() {
  static const TransferGraph graph(ringMachine(), firstEndpoints(ranks));
  return graph;
}

/// The trees of a collective, which take seconds to find.
const TreeAlgorithm &treesOf(CollectiveKind kind) {
  static std::map<CollectiveKind, TreeAlgorithm> known;
  auto found = known.find(kind);
  if (found == known.end()) {
    std::optional<TreeAlgorithm> trees =
        TreeSearch(ringMachine(), ring(), {kind, RankId(0), std::nullopt, 1e-12})
            .find(treesPerRoot);
    REQUIRE(trees);
    found = known.emplace(kind, std::move(*trees)).first;
  }
  return found->second;
}

ChunkProgram traced(CollectiveKind kind, const char *channels, uint32_t chunks = 1,
                    const char *ordered = "no", const char *rounds = "1") {
  TreeAlgorithm found = divideTrees(ring(), treesOf(kind), chunks);
  scheduleRounds(ring(), found);
  dsl::TraceOptions options;
  options.ranks = ranks;
  std::vector<std::pair<std::string, std::string>> values{{"channels", channels},
                                                          {"ordered", ordered}};
  if (kind == CollectiveKind::AllReduce)
    values.emplace_back("rounds", rounds);
  options.parameters = dsl::ParamValues(values);
  DiagnosticEngine diags;
  dsl::TraceResult result = dsl::trace(declare(found, "trees", "Trees."), options, diags);
  REQUIRE(result.program);
  return std::move(*result.program);
}

std::optional<uint32_t> channelOf(const ChunkProgram &program, const ChunkOp &op) {
  return program.info().directives[op.directive].channel;
}

/// The channels of the operations between ranks whose tree has the number \p tree, and which are
/// copies or not.
std::set<std::optional<uint32_t>> channelsOf(const ChunkProgram &program, uint32_t tree,
                                             bool copies) {
  std::set<std::optional<uint32_t>> channels;
  for (const ChunkOp &op : program.ops())
    if (!op.isLocal() && op.srcIndex == tree && (op.kind == ChunkOpKind::Copy) == copies)
      channels.insert(channelOf(program, op));
  return channels;
}
} // namespace

TEST_CASE("the compiler chooses the channels of trees unless there are several") {
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                              CollectiveKind::Broadcast, CollectiveKind::Reduce}) {
    ChunkProgram program = traced(kind, "1");
    for (const ChunkOp &op : program.ops())
      CHECK_FALSE(channelOf(program, op));
  }
}

TEST_CASE("trees of a root have different channels as far as there are enough") {
  for (auto [text, channelOf] : {std::pair<const char *, uint32_t (*)(uint32_t)>{
                                     "3", [](uint32_t tree) { return tree % 4 % 3; }},
                                 {"6", [](uint32_t tree) { return tree % 4; }},
                                 {"8", [](uint32_t tree) { return tree % 8; }}})
    for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                                CollectiveKind::Broadcast, CollectiveKind::Reduce}) {
      ChunkProgram program = traced(kind, text);
      const bool isRooted = kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
      const bool copies = kind == CollectiveKind::AllGather || kind == CollectiveKind::Broadcast;
      for (uint32_t tree = 0; tree < (isRooted ? 1 : ranks) * treesPerRoot; ++tree)
        CHECK(channelsOf(program, tree, copies) ==
              std::set<std::optional<uint32_t>>{channelOf(tree)});
    }
}

TEST_CASE("different trees have different channels before equal ones have") {
  for (auto [text, used] : {std::pair("3", 3u), {"6", 4u}, {"8", 8u}, {"15", 8u}}) {
    ChunkProgram program = traced(CollectiveKind::AllGather, text, /*chunks=*/2);
    for (uint32_t tree = 0; tree < ranks * treesPerRoot * 2; ++tree)
      CHECK(channelsOf(program, tree, true) ==
            std::set<std::optional<uint32_t>>{tree % (treesPerRoot * 2) % used});
  }
}

TEST_CASE("the sums of an all-reduce are distributed on channels of their own") {
  for (auto [text, channels] : {std::pair("1", 1u), {"2", 2u}}) {
    ChunkProgram program = traced(CollectiveKind::AllReduce, text);
    for (uint32_t tree = 0; tree < ranks * treesPerRoot; ++tree) {
      CHECK(channelsOf(program, tree, false) == std::set<std::optional<uint32_t>>{tree % channels});
      CHECK(channelsOf(program, tree, true) ==
            std::set<std::optional<uint32_t>>{channels + tree % channels});
    }
  }
}

TEST_CASE("ordered transfers have a threadblock for each peer and direction, and their turn") {
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
                              CollectiveKind::AllReduce, CollectiveKind::Broadcast}) {
    ChunkProgram program = traced(kind, "1", 1, "yes");
    // By rank, peer, channel and direction; the last priority of the data of a chunk at a rank.
    std::map<std::tuple<RankId, RankId, uint32_t, bool>, uint32_t> threadblocks;
    std::map<std::tuple<ChunkOpKind, uint32_t, RankId>, uint32_t> arrived;
    for (const ChunkOp &op : program.ops()) {
      if (op.isLocal())
        continue;
      const Directive &directive = program.info().directives[op.directive];
      CHECK_FALSE(directive.fuse);
      for (bool sends : {true, false}) {
        RankId rank = sends ? op.srcRank : op.dstRank, peer = sends ? op.dstRank : op.srcRank;
        uint32_t tb = *(sends ? directive.sendTb : directive.recvTb);
        CHECK(threadblocks.try_emplace({rank, peer, *directive.channel, sends}, tb).first->second ==
              tb);
      }
      // What arrives later is passed on later.
      if (auto at = arrived.find({op.kind, op.srcIndex, op.srcRank});
          at != arrived.end() && op.kind == ChunkOpKind::Copy)
        CHECK(directive.priority < at->second);
      arrived[{op.kind, op.dstIndex, op.dstRank}] = directive.priority;
    }
    std::set<std::pair<RankId, uint32_t>> different;
    for (const auto &[key, tb] : threadblocks)
      CHECK(different.emplace(std::get<0>(key), tb).second);
  }
}

TEST_CASE("the transfers of a reduce-scatter are those of an all-gather in reversed time") {
  // On a symmetric graph both directions of the trees are busy for the same time.
  std::set<uint32_t> up, down;
  for (auto [kind, priorities] :
       {std::pair(CollectiveKind::ReduceScatter, &up), {CollectiveKind::AllGather, &down}}) {
    ChunkProgram program = traced(kind, "1", 1, "yes");
    for (const ChunkOp &op : program.ops())
      if (!op.isLocal())
        priorities->insert(program.info().directives[op.directive].priority);
  }
  CHECK(up == down);
}

TEST_CASE("several rounds of an all-reduce overlap") {
  constexpr uint32_t rounds = 5, chunks = ranks * treesPerRoot;
  ChunkProgram program = traced(CollectiveKind::AllReduce, "1", 1, "no", "5");
  CHECK(program.info().collective.chunks() == rounds * chunks);
  // By round, the priorities of its transfers.
  std::map<uint32_t, std::vector<uint32_t>> reductions, copies;
  for (const ChunkOp &op : program.ops())
    if (!op.isLocal())
      (op.kind == ChunkOpKind::Copy ? copies : reductions)[op.srcIndex / chunks].push_back(
          program.info().directives[op.directive].priority);
  for (uint32_t round = 0; round < rounds; ++round) {
    CHECK(reductions[round].size() == chunks * (ranks - 1));
    CHECK(copies[round].size() == chunks * (ranks - 1));
    if (round + 1 == rounds)
      break;
    // Sums are distributed while those of the next round are formed, and rounds follow each other.
    const uint32_t lastCopy = *llvm::min_element(copies[round]);
    const uint32_t nextReduction = *llvm::max_element(reductions[round + 1]);
    CHECK(lastCopy < nextReduction);
    CHECK(nextReduction < *llvm::max_element(reductions[round]));
    CHECK(*llvm::max_element(copies[round + 1]) < *llvm::max_element(copies[round]));
  }
}

TEST_CASE("searches for several numbers of trees find those of each alone") {
  const Machine mesh = machine("mesh2d", {}, 6);
  const TransferGraph graph(mesh, firstEndpoints(6));
  auto sourceOf = [](const std::optional<TreeAlgorithm> &trees) {
    REQUIRE(trees);
    std::string text;
    llvm::raw_string_ostream os(text);
    writeSource(*trees, "trees", "Trees.", os);
    return text;
  };
  // The load is below the bound of the first request, and far above that of the second.
  for (auto [kind, least] :
       {std::pair(CollectiveKind::AllReduce, 1.0), {CollectiveKind::Broadcast, 1e-12}}) {
    const TreeRequest request{kind, RankId(0), std::nullopt, least};
    TreeSearch search(mesh, graph, request);
    for (uint32_t trees : {2, 1, 2})
      CHECK(sourceOf(search.find(trees)) == sourceOf(TreeSearch(mesh, graph, request).find(trees)));
  }
}
