//===- TreeProgramTest.cpp - The channels of programs of trees ------------===//

#include "Plans.h"
#include "Synth/Endpoints.h"
#include "cclc/DSL/Trace.h"
#include "cclc/Synth/TreeAlgorithm.h"

#include <algorithm>
#include <set>

using namespace cclc;
using namespace cclc::synth;
using namespace cclc::test;

namespace {
constexpr uint32_t ranks = 4, treesPerRoot = 4;

ChunkProgram traced(CollectiveKind kind, const char *channels, uint32_t chunks = 1) {
  TransferGraph graph(machine("ring", {}, ranks), firstEndpoints(ranks));
  std::optional<TreeAlgorithm> found = findTrees(graph, {kind, RankId(0), treesPerRoot, 1e-12});
  REQUIRE(found);
  found = divideTrees(graph, *found, chunks);
  dsl::TraceOptions options;
  options.ranks = ranks;
  options.parameters =
      dsl::ParamValues(std::vector<std::pair<std::string, std::string>>{{"channels", channels}});
  DiagnosticEngine diags;
  dsl::TraceResult result = dsl::trace(declare(*found, "trees", "Trees."), options, diags);
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
