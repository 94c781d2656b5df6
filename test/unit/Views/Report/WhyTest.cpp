//===- WhyTest.cpp - Provenance against symbolic execution ----------------===//

#include "Plans.h"
#include "WhyJson.h"

#include "cclc/Proof/PlanExecution.h"

using namespace cclc;
using namespace cclc::test;

namespace {

/// The expression of a node, computed from the JSON alone.
std::string expressionOf(const nlohmann::ordered_json &nodes, uint32_t n) {
  const auto &node = nodes[n];
  if (node.contains("initial"))
    return node["initial"].is_null() ? "undefined" : node["initial"].get<std::string>();
  const auto &from = node["from"];
  std::string lhs = expressionOf(nodes, from[0].get<uint32_t>());
  if (from.size() == 1)
    return lhs;
  return "(" + lhs + " + " + expressionOf(nodes, from[1].get<uint32_t>()) + ")";
}

/// Checks that a node describes its step as the plan does, and that the messages it uses were sent
/// to it.
void checkNode(const ExecPlan &plan, const nlohmann::ordered_json &nodes,
               const nlohmann::ordered_json &node) {
  RankId rank(node["rank"].get<uint32_t>());
  const Threadblock &tb = plan.threadblocks(rank)[node["threadblock"].get<uint32_t>()];
  const Step &step = plan.steps(tb)[node["step"].get<uint32_t>()];
  const OpTraits &op = traits(step.op);
  CHECK(node["op"] == op.mnemonic);
  Peers peers = plan.recvPeers(tb);
  bool inSwitch = op.receives && peers.size() > 1;
  CHECK((node["from"].size() == 2) == (op.reduces() || inSwitch));
  for (size_t i = 0; i < node["from"].size(); ++i) {
    const auto &source = nodes[node["from"][i].get<uint32_t>()];
    if (source.contains("initial"))
      continue;
    if (inSwitch) { // a message of some peer, or a sum so far
      RankId from(source["rank"].get<uint32_t>());
      CHECK((from == rank || llvm::is_contained(peers.group(), from)));
      continue;
    }
    bool isMessage = op.receives && i + 1 == node["from"].size();
    CHECK(RankId(source["rank"].get<uint32_t>()) == (isMessage ? *tb.recvPeer : rank));
    if (isMessage)
      CHECK(traits(*parseOpKind(source["op"].get<std::string>())).sends);
  }
}

void checkPlan(const ExecPlan &plan) {
  for (Placement placement : plan.info().placements.list()) {
    ConnectionTable connections(plan);
    PlanControlFlow runner(plan, connections);
    PlanExecution execution(plan, connections, runner, placement);
    std::optional<Provenance> provenance = Provenance::trace(plan, placement);
    REQUIRE(provenance);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < plan.info().collective.outputChunks(); ++c) {
        CellName cell{RankId(r), Operand(Buffer::Output, c)};
        Why why(plan, *provenance, cell, placement);
        std::string expected = execution.reductionOrder(RankId(r), c);
        CHECK(why.expression() == expected);
        if (c > 1)
          continue;
        nlohmann::ordered_json out = WhyJson::of(why);
        if (!plan.usesSwitches()) // whose sums have no order
          CHECK(expressionOf(out["nodes"], 0) == why.expression(~size_t(0)));
        for (const auto &node : out["nodes"])
          if (node.contains("op"))
            checkNode(plan, out["nodes"], node);
      }
  }
}
} // namespace

TEST_CASE("provenance agrees with symbolic execution", "[why]") {
  for (const Recipe &recipe : allRecipes()) {
    INFO(nameOf(recipe));
    checkPlan(compiled(recipe));
  }
  for (const Recipe &recipe : switchRecipes()) {
    INFO(nameOf(recipe));
    checkPlan(compiled(recipe));
  }
  for (uint64_t seed = 0; seed < scaled(60); ++seed) {
    INFO("seed " << seed);
    checkPlan(randomPlan(seed));
  }
}

TEST_CASE("cells can be named in three ways", "[why]") {
  DiagnosticEngine diags;
  CellName expected{RankId(3), Operand(Buffer::Output, 2)};
  for (const char *text : {"3:o:2", "3:output:2", "r3:o[2]"}) {
    INFO(text);
    CHECK(parseCellName("--why", text, diags) == expected);
  }
  for (const char *text : {"", "3", "3:o", "3:o:", "3:x:2", "o:3:2", "3:o[2", "3:o:2]", "-1:o:0",
                           "3:o:1073741824", "3:o:2:1"}) {
    INFO(text);
    CHECK_FALSE(parseCellName("--why", text, diags));
  }
}

TEST_CASE("a deep provenance is truncated, a wide one keeps its depth", "[why]") {
  ExecPlan ring = compiled({"allreduce_ring", {}, 64});
  std::optional<Provenance> provenance = Provenance::trace(ring, Placement::InPlace);
  Why why(ring, *provenance, {RankId(0), Operand(Buffer::Output, 0)}, Placement::InPlace);
  std::string text;
  llvm::raw_string_ostream os(text);
  why.print(os, 10);
  CHECK(llvm::count(text, '\n') == 13);
  CHECK(StringRef(text).ends_with("  ... and more; --json has all of it\n"));
  text.clear();
  why.print(os, 1000);
  // 64 chunks, 63 rrs, rrcs or s, and some steps that forward.
  CHECK(StringRef(text).count("initial chunk\n") == 64);
  CHECK_FALSE(StringRef(text).contains("| | "));
}
