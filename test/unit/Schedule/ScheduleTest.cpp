//===- ScheduleTest.cpp - The shape of plans ------------------------------===//

#include "../../support/Lines.h"
#include "../../support/NaivePlan.h"
#include "../../support/RandomPlan.h"
#include "../../support/Text.h"

#include "cclc/Proof/PlanVerifier.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ExecPlan planOf(const std::string &text, ScheduleOptions how = {}, bool fused = true) {
  auto program = parsed<ChunkProgram>("ccl.version 3\nchunk.program @p coll " + text);
  DiagnosticEngine diags;
  PassContext context(diags);
  FailureOr<InstrProgram> instrs = optimised(std::move(program), fused, context);
  REQUIRE(succeeded(instrs));
  FailureOr<ExecPlan> plan = scheduleProgram(std::move(*instrs), how, context);
  if (failed(plan))
    FAIL(messages(diags));
  return std::move(*plan);
}
std::string body(const ExecPlan &plan) {
  std::string text = printed(plan);
  return text.substr(text.find("{\n") + 2);
}

std::vector<ExecPlan> somePlans(uint64_t seed) {
  RandomProgramOptions options;
  options.directives = seed % 4 == 0;
  std::vector<ExecPlan> plans;
  for (uint32_t slots : {1, 2, 8})
    for (bool fused : {true, false})
      plans.push_back(randomPlan(seed + 120000, Slots(slots), fused, options));
  return plans;
}
} // namespace

TEST_CASE("a ring all-reduce of three ranks") {
  CHECK(body(planOf(R"(
    allreduce ranks 3 chunks 1 inplace {
    %0 = reduce r1:i[0] += r0:i[0]
    %1 = reduce r2:i[0] += r1:i[0]
    %2 = copy r0:i[0] <- r2:i[0]
    %3 = copy r1:i[0] <- r0:i[0]
    }
    )"_lines)) == R"(
            rank 0 {
              tb 0 send r1 recv r2 ch 0 {
                0: s i[0]
                1: rcs -> i[0]
              }
            }
            rank 1 {
              tb 0 send r2 recv r0 ch 0 {
                0: rrs i[0]
                1: r -> i[0]
              }
            }
            rank 2 {
              tb 0 send r0 recv r1 ch 0 {
                0: rrcs i[0] -> i[0]
              }
            }
          }
          )"_lines);
}

TEST_CASE("several waits of one step are in nops before it") {
  // Three threadblocks receive operands of one reduce chain on tb0.
  ExecPlan plan = planOf(R"(
    custom ranks 4 outofplace {
    input 1
    output 4
    %0 = copy r0:o[0] <- r1:i[0] sendtb 0 recvtb 0
    %1 = copy r0:o[1] <- r2:i[0] sendtb 0 recvtb 1
    %2 = copy r0:o[2] <- r3:i[0] sendtb 0 recvtb 2
    %3 = copy r1:o[0:3] <- r0:o[0:3] sendtb 3
    }
    )"_lines);
  CHECK_THAT(body(plan), Catch::Contains(R"(
        tb 3 send r1 ch 0 {
          0: nop dep tb0:0
          1: nop dep tb1:0
          2: s o[0:3] dep tb2:0
        }
    )"_lines));
}

TEST_CASE("a wait that is implied by another one is omitted") {
  // The last operation overwrites the destination of tb0:0, but tb0:1 and tb1:0 are after that.
  ExecPlan plan = planOf(R"(
    allreduce ranks 1 chunks 4 inplace {
    %0 = copy r0:i[1] <- r0:i[0] sendtb 0
    %1 = copy r0:i[2] <- r0:i[1] sendtb 1
    %2 = reduce r0:i[3] += r0:i[1] sendtb 0
    %3 = reduce r0:i[1] += r0:i[2] sendtb 2
    }
    )"_lines,
                         {}, /*fused=*/false);
  CHECK(body(plan) == R"(
      rank 0 {
        tb 0 ch 0 {
          0: cpy i[0] -> i[1] pub
          1: re i[1] -> i[3] pub
        }
        tb 1 ch 0 {
          0: cpy i[1] -> i[2] dep tb0:0 pub
        }
        tb 2 ch 0 {
          0: nop dep tb1:0
          1: re i[2] -> i[1] dep tb0:1
        }
      }
    }
    )"_lines);
}

TEST_CASE("one channel is used if queue pairs are limited", "[property]") {
  uint32_t fewer = 0;
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    INFO("seed " << seed);
    DiagnosticEngine diags;
    PassContext context(diags);
    auto plan = [&](ScheduleOptions how) {
      FailureOr<InstrProgram> instrs = optimised(randomProgram(seed), true, context);
      REQUIRE(succeeded(instrs));
      FailureOr<ExecPlan> result = scheduleProgram(std::move(*instrs), how, context);
      REQUIRE(succeeded(result));
      return std::move(*result);
    };
    // The maximum over the ranks of peers, and of connections, in one direction.
    auto most = [](const ExecPlan &plan) {
      std::map<std::pair<RankId, bool>, std::set<RankId>> peers;
      std::map<std::pair<RankId, bool>, uint32_t> connections;
      auto count = [&](RankId rank, bool out, OptionalId<RankId> peer) {
        if (!peer)
          return;
        peers[{rank, out}].insert(*peer);
        ++connections[{rank, out}];
      };
      for (const Threadblock &tb : plan.threadblocks()) {
        count(tb.rank, true, tb.sendPeer);
        count(tb.rank, false, tb.recvPeer);
      }
      std::pair<uint32_t, uint32_t> result{0, 0};
      for (const auto &[key, set] : peers)
        result.first = std::max<uint32_t>(result.first, set.size());
      for (const auto &[key, n] : connections)
        result.second = std::max(result.second, n);
      return result;
    };
    ExecPlan open = plan({});
    auto [peers, connections] = most(open);
    std::optional<uint64_t> expected = verifyPlan(open, defaultSlots, diags).reductionHash;
    REQUIRE(expected);
    ScheduleOptions how;
    for (uint32_t limit = std::max(peers, 1u); limit <= connections; ++limit) {
      how.maxQueuePairs = limit;
      ExecPlan tight = plan(how);
      CHECK(most(tight).second <= limit);
      // The plan completes without races and computes the same.
      CHECK(verifyPlan(tight, how.slots, diags).reductionHash == expected);
      fewer += limit < connections;
      if (limit >= connections)
        CHECK(printed(tight) == printed(open));
    }
    // The number of queue pairs is at least that of peers; otherwise the plan is that of one
    // channel.
    if (peers > 1) {
      how.maxQueuePairs = peers - 1;
      CHECK(most(plan(how)) == std::pair(peers, peers));
    }
  }
  CHECK(fewer > 0);
}

TEST_CASE("connections belong to one threadblock on each side", "[property]") {
  for (uint64_t seed = 0; seed < scaled(150); ++seed)
    for (const ExecPlan &plan : somePlans(seed)) {
      INFO("seed " << seed);
      std::map<std::tuple<RankId, RankId, ChannelId>, std::set<uint32_t>> senders, receivers;
      for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
        const Threadblock &tb = plan.threadblocks()[t];
        REQUIRE(tb.numSteps > 0);
        bool sends = false, receives = false;
        for (const Step &step : plan.steps(tb)) {
          sends |= NaivePlan::doesSend(step.op);
          receives |= NaivePlan::doesReceive(step.op);
        }
        // Peers are set exactly if they are used.
        REQUIRE(sends == tb.sendPeer.has_value());
        REQUIRE(receives == tb.recvPeer.has_value());
        if (sends)
          senders[{tb.rank, *tb.sendPeer, tb.channel}].insert(t);
        if (receives)
          receivers[{*tb.recvPeer, tb.rank, tb.channel}].insert(t);
      }
      for (const auto &ends : {senders, receivers})
        for (const auto &[connection, tbs] : ends)
          REQUIRE(tbs.size() == 1);
    }
}

TEST_CASE("no wait is implied by the others, and every wait is necessary", "[property]") {
  uint32_t waits = 0, nops = 0, joins = 0;
  for (uint64_t seed = 0; seed < scaled(60); ++seed)
    for (const ExecPlan &plan : somePlans(seed)) {
      INFO("seed " << seed);
      NaivePlan naive(plan);
      auto localEdges = [&](std::optional<uint32_t> without) {
        NaivePlan::Edges local;
        for (auto edge : naive.edges(0, without))
          if (naive.rankOf(edge.first) == naive.rankOf(edge.second))
            local.push_back(edge);
        return local;
      };
      auto all = naive.closure(localEdges(std::nullopt));
      std::set<uint32_t> targets;
      for (uint32_t s = 0; s < plan.steps().size(); ++s) {
        const Step &step = plan.steps()[s];
        // A nop before a step contains a further wait of that step.
        if (step.op == OpKind::Nop) {
          ++nops;
          REQUIRE(step.waits());
          REQUIRE(plan.steps()[s + 1].waits());
          REQUIRE(naive.threadblockOf(s) == naive.threadblockOf(s + 1));
        }
        if (!step.waits())
          continue;
        ++waits;
        uint32_t target = *naive.waitTarget(s);
        targets.insert(target);
        // Assign waits to the step that they belong to.
        const Threadblock &other = plan.threadblocks(naive.rankOf(s))[step.wait()->tb.index()];
        REQUIRE(other.firstStep + step.wait()->step.index() == target);
        REQUIRE(&other != naive.threadblockOf(s));
        auto ordered = naive.closure(localEdges(s));
        if (ordered[target][s])
          FAIL("step " << s << " need not wait: " << printed(plan));
        // Without the wait a conflict would be unordered: between the step behind the nops and the
        // target, or a step that the target has waited for.
        uint32_t user = s;
        while (plan.steps()[user].op == OpKind::Nop)
          ++user;
        bool open = naive.conflict(target, user);
        joins += !open;
        for (uint32_t c = 0; c < plan.steps().size() && !open; ++c)
          open = all[c][target] && !ordered[c][user] && naive.conflict(c, user);
        REQUIRE(open);
      }
      for (uint32_t s = 0; s < plan.steps().size(); ++s)
        REQUIRE(plan.steps()[s].publishes == (targets.count(s) != 0));
    }
  CHECK(waits > 1000);
  CHECK(nops > 50);
  CHECK(joins > 3);
}

TEST_CASE("plans complete with the number of slots that they were compiled for", "[property]") {
  for (uint64_t seed = 0; seed < scaled(150); ++seed)
    for (const ExecPlan &plan : somePlans(seed)) {
      INFO("seed " << seed);
      REQUIRE(NaivePlan(plan).completes(plan.slots()->limit(), [](size_t) { return 0; }));
    }
}

TEST_CASE("two runs give the same text", "[property]") {
  for (uint64_t seed = 0; seed < scaled(100); ++seed) {
    std::vector<ExecPlan> first = somePlans(seed), second = somePlans(seed);
    for (size_t i = 0; i < first.size(); ++i)
      REQUIRE(printed(first[i], {true, false}) == printed(second[i], {true, false}));
  }
}

TEST_CASE("few threadblocks on targets with few threadblocks") {
  // A rank that receives from one neighbour and sends to another one, unrelated.
  const std::string text = R"(
    allreduce ranks 3 chunks 4 inplace {
    %0 = copy r1:i[0] <- r0:i[0]
    %1 = copy r2:i[1] <- r1:i[1]
    }
    )"_lines;
  ScheduleOptions how;
  CHECK(planOf(text, how).numThreadblocks(RankId(1)) == 2);
  how.maxThreadblocks = 1;
  CHECK(planOf(text, how).numThreadblocks(RankId(1)) == 1);
}

// The first messages then go to different ranks, instead of all to the lowest one.
TEST_CASE("ranks that send to many begin with the next higher rank") {
  std::string text = "alltoall ranks 4 chunks 1 outofplace {\n";
  uint32_t op = 0;
  for (uint32_t src = 0; src < 4; ++src)
    for (uint32_t dst = 0; dst < 4; ++dst)
      text += "%" + std::to_string(op++) + " = copy r" + std::to_string(dst) + ":o[" +
              std::to_string(src) + "] <- r" + std::to_string(src) + ":i[" + std::to_string(dst) +
              "]\n";
  ExecPlan plan = planOf(text + "}\n");
  for (uint32_t r = 0; r < 4; ++r) {
    std::vector<uint32_t> peers;
    for (const Threadblock &tb : plan.threadblocks(RankId(r)))
      if (tb.sendPeer)
        peers.push_back((*tb.sendPeer).index());
    CHECK(peers == std::vector<uint32_t>{(r + 1) % 4, (r + 2) % 4, (r + 3) % 4});
  }
}

TEST_CASE("an empty program is an empty plan") {
  ExecPlan plan = planOf("allreduce ranks 3 inplace {\n}\n");
  CHECK(plan.steps().empty());
  CHECK(plan.threadblocks().empty());
  CHECK(body(plan) == R"(
      rank 0 {
      }
      rank 1 {
      }
      rank 2 {
      }
    }
    )"_lines);
}
