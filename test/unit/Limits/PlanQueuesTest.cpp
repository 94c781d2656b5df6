//===- PlanQueuesTest.cpp - Queues of PEs, counted and at their limits ----===//
//
// The needs of a small plan are counted by hand. Those of plans with random connections are
// compared with an oracle that knows only the names of the PEs ("sip0.cube1.pe2") and builds a
// table of queues, one entry at a time.
//
//===----------------------------------------------------------------------===//

#include "Plans.h"

#include "cclc/Limits/EndpointCheck.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/QueueSharing.h"

#include <random>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
struct Sent {
  uint32_t src, dst, channel;
  friend auto operator<=>(const Sent &, const Sent &) = default;
};

/// A plan of \p ranks ranks in which every connection carries one message.
ExecPlan planOf(uint32_t ranks, const std::set<Sent> &sent, const std::string &neighbours = "") {
  std::string text = "ccl.version 3\nexec.program @p coll custom ranks " + std::to_string(ranks) +
                     " outofplace {\n  input 1\n  output " + std::to_string(sent.size()) + "\n" +
                     neighbours;
  for (uint32_t r = 0; r < ranks; ++r) {
    text += "  rank " + std::to_string(r) + " {\n";
    uint32_t tb = 0, cell = 0;
    for (const Sent &s : sent) {
      auto add = [&](const char *verb, uint32_t peer, const std::string &step) {
        text += "    tb " + std::to_string(tb++) + ' ' + verb + " r" + std::to_string(peer) +
                " ch " + std::to_string(s.channel) + " {\n      0: " + step + "\n    }\n";
      };
      if (s.src == r)
        add("send", s.dst, "s i[0]");
      if (s.dst == r)
        add("recv", s.src, "r -> o[" + std::to_string(cell) + "]");
      ++cell;
    }
    text += "  }\n";
  }
  return readGood(text + "}\n");
}

Machine ahbm(std::vector<std::string> sets = {}) { return machine("ahbm", std::move(sets)); }

std::string verdict(const ExecPlan &plan, const Machine &machine) {
  DiagnosticEngine diags;
  LogicalResult result = checkPlan(plan, machine, Slots(4), diags);
  CHECK(succeeded(result) == !diags.hasErrors());
  return textOf(diags);
}

/// "intra r0 3, cube r1 2".
std::string needs(const ExecPlan &plan, const Machine &machine) {
  std::string text;
  for (const QueueNeed &need : PlanQueues(plan, machine).busiest())
    text += (text.empty() ? "" : ", ") + queueGroupName(need.group).str() + " r" +
            std::to_string(need.rank.index()) + ' ' + std::to_string(need.total);
  return text;
}

/// r0 sends to r1 on two channels and receives on three; it also exchanges with r2 and r8.
const std::set<Sent> example = {{0, 1, 0}, {0, 1, 1}, {1, 0, 0}, {1, 0, 1},
                                {1, 0, 2}, {0, 2, 0}, {2, 0, 0}, {0, 8, 0}};
} // namespace

TEST_CASE("a queue has one peer and a connection each way", "[queues][rule-47]") {
  // r0: three queues to r1, one to r2; r8 is in the next cube.
  CHECK(needs(planOf(9, example), ahbm()) == "intra r0 4, cube r0 1");
  CHECK(needs(planOf(9, {{0, 1, 0}, {1, 0, 1}}), ahbm()) == "intra r0 1");
  CHECK(needs(planOf(9, {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}}), ahbm()) == "intra r0 2");
  // r128 is in the other SIP.
  CHECK(needs(planOf(129, {{0, 128, 0}, {128, 7, 0}}), ahbm()) == "global r128 2");
  // Only limited groups are counted, and no other family has any.
  CHECK(needs(planOf(9, example), ahbm({"ipcq.queues.intra=null"})) == "cube r0 1");
  CHECK(needs(planOf(9, example), machine("ring", {}, 9)) == "");
}

TEST_CASE("neighbours use the queues of their direction", "[queues][rule-47]") {
  auto group = [](const std::string &direction, const std::string &back) {
    return needs(planOf(2, {{0, 1, 0}},
                        "  neighbour r0 " + direction + " r1\n  neighbour r1 " + back + " r0\n"),
                 ahbm());
  };
  CHECK(group("intra_E", "intra_W") == "intra r0 1");
  CHECK(group("E", "W") == "cube r0 1");
  CHECK(group("global_S", "global_N") == "global r0 1");
  // These have no queue of their own: the place of the PEs decides.
  CHECK(group("child", "parent") == "intra r0 1");
}

TEST_CASE("a plan that needs more queues than a PE has is rejected", "[queues][rule-47]") {
  ExecPlan plan = planOf(9, example);
  CHECK(verdict(plan, ahbm()) == "");
  CHECK(verdict(plan, ahbm({"ipcq.queues.intra=3", "ipcq.queues.cube=1"})) ==
        "tool: error: illegal for target ahbm: 4 intra queues of r0 at sip0.cube0.pe0 for 2 peers, "
        "the limit is 3; 2 channels fit (cclc --max-channels 2), or connections share queues "
        "(--multiplex-queues)\n");
  CHECK(verdict(plan, ahbm({"ipcq.queues.intra=1"})) ==
        "tool: error: illegal for target ahbm: 4 intra queues of r0 at sip0.cube0.pe0 for 2 peers, "
        "the limit is 1; 1 peer fits, or connections share queues (--multiplex-queues)\n");
  CHECK(verdict(plan, ahbm({"ipcq.queues.intra=1", "ipcq.multiplex=on"})) == "");
  ExecPlan star = planOf(97, {{0, 8, 0}, {0, 16, 0}, {0, 32, 0}, {0, 64, 0}, {96, 0, 0}});
  CHECK(verdict(star, ahbm()) ==
        "tool: error: illegal for target ahbm: 5 cube queues of r0 at sip0.cube0.pe0 for 5 peers, "
        "the limit is 4; 4 peers fit, or connections share queues (--multiplex-queues)\n");
  CHECK(verdict(star, ahbm({"ipcq.queues.cube=5"})) == "");
  ExecPlan far = planOf(130, {{0, 128, 0}, {0, 129, 0}, {1, 129, 0}, {1, 129, 1}, {1, 129, 2}});
  CHECK(verdict(far, ahbm({"ipcq.queues.global=2"})) ==
        "tool: error: illegal for target ahbm: 3 global queues of r1 at sip0.cube0.pe1 for 1 peer, "
        "the limit is 2; 2 channels fit (cclc --max-channels 2), or connections share queues "
        "(--multiplex-queues)\n");
}

TEST_CASE("needs of random plans equal those of tables that an oracle fills", "[queues][rule-47]") {
  std::mt19937 random(47);
  const std::vector<uint32_t> used = {0, 1, 2, 9, 17, 63, 128, 130, 255};
  for (int round = 0; round < 20; ++round) {
    std::set<Sent> sent;
    for (int i = 0; i < 40; ++i) {
      uint32_t src = used[random() % used.size()], dst = used[random() % used.size()];
      if (src != dst)
        sent.insert({src, dst, uint32_t(random() % 3)});
    }
    Machine m = ahbm({"ipcq.queues.intra=1", "ipcq.queues.cube=1", "ipcq.queues.global=1"});
    // A row of the table: its peer, and whether a connection each way has it.
    struct Row {
      uint32_t peer;
      bool out, in;
    };
    std::map<std::pair<std::string, uint32_t>, std::vector<Row>> tables; // by group and rank
    auto groupOf = [&](uint32_t a, uint32_t b) -> std::string {
      std::string x = endpointName(m, EndpointId(a)), y = endpointName(m, EndpointId(b));
      if (x.substr(0, x.find('.')) != y.substr(0, y.find('.')))
        return "global";
      return x.substr(0, x.rfind('.')) != y.substr(0, y.rfind('.')) ? "cube" : "intra";
    };
    auto enter = [&](uint32_t rank, uint32_t peer, bool Row::*way) {
      std::vector<Row> &rows = tables[{groupOf(rank, peer), rank}];
      for (Row &row : rows)
        if (row.peer == peer && !(row.*way)) {
          row.*way = true;
          return;
        }
      rows.push_back({peer, false, false});
      rows.back().*way = true;
    };
    for (const Sent &s : sent) {
      enter(s.src, s.dst, &Row::out);
      enter(s.dst, s.src, &Row::in);
    }
    std::string expected;
    for (std::string group : {"intra", "cube", "global"}) {
      std::optional<uint32_t> rank;
      for (const auto &[key, rows] : tables)
        if (key.first == group && (!rank || rows.size() > tables[{group, *rank}].size()))
          rank = key.second;
      if (rank)
        expected += (expected.empty() ? "" : ", ") + group + " r" + std::to_string(*rank) + ' ' +
                    std::to_string(tables[{group, *rank}].size());
    }
    CHECK(needs(planOf(256, sent), m) == expected);
  }
}

TEST_CASE("pairs of connections are distributed over the queues in turn", "[queues][rule-48]") {
  // Five pairs in the cube of r0: channels 0, 1 and 2 of r1, r2, r3; three queues.
  ExecPlan plan =
      planOf(4, {{0, 1, 0}, {0, 1, 2}, {1, 0, 0}, {1, 0, 1}, {1, 0, 2}, {0, 2, 0}, {3, 0, 5}});
  QueueSharing sharing(&plan, ahbm({"ipcq.queues.intra=3", "ipcq.multiplex=on"}));
  const QueueSharing::PlanUses &uses = sharing.of(0);
  auto text = [](const std::optional<QueueSharing::Use> &use) {
    return use ? std::to_string(use->queue) + ":" + std::to_string(use->context) : "own";
  };
  // The threadblocks of r0: send to r1 on 0 and 2, receive from r1 on 0, 1, 2, send to r2, receive
  // from r3, in the order of the set.
  CHECK(text(uses.sends[0]) == "0:0");
  CHECK(text(uses.sends[1]) == "1:1"); // to r1, channel 2
  CHECK(text(uses.sends[2]) == "0:3"); // to r2
  CHECK(text(uses.receives[3]) == "0:0");
  CHECK(text(uses.receives[4]) == "1:1");
  CHECK(text(uses.receives[5]) == "own"); // the third queue has no other pair
  CHECK(text(uses.receives[6]) == "1:4");
  CHECK(sharing.queues() == ArrayRef<uint32_t>({0, 1}));
  CHECK(QueueSharing(&plan, ahbm({"ipcq.queues.intra=3"})).queues().empty());
  // r1 has three pairs, one for each queue.
  CHECK(text(uses.sends[9]) == "own");
}

TEST_CASE("the queues of an endpoint are those of all its plans", "[queues][rule-48][rule-51]") {
  // On r0, three pairs to r1 and one to r2; in the other plan, one to r3.
  ExecPlan first = planOf(9, example), second = planOf(4, {{3, 0, 0}});
  std::vector<EndpointId> endpoints;
  for (uint32_t e = 0; e < 9; ++e)
    endpoints.push_back(EndpointId(e));
  auto together = [&](std::vector<std::string> sets, ArrayRef<EndpointId> ofSecond) {
    DiagnosticEngine diags;
    const PlanOnEndpoints plans[] = {{"a", first, endpoints, Slots(4), Bytes(64)},
                                     {"b", second, ofSecond, Slots(4), Bytes(64)}};
    LogicalResult result = checkSharedEndpoints(plans, ahbm(std::move(sets)), diags);
    CHECK(succeeded(result) == !diags.hasErrors());
    return textOf(diags);
  };
  ArrayRef<EndpointId> all = endpoints;
  CHECK(together({}, all.take_front(4)) ==
        "tool: error: illegal for target ahbm: 5 intra queues of endpoint 0 (4 for r0 of a, 1 for "
        "r0 of b), the limit is 4; run the plans on different endpoints, or one after the other, "
        "or let connections share queues (--multiplex-queues)\n");
  CHECK(together({"ipcq.queues.intra=5"}, all.take_front(4)) == "");
  CHECK(together({"ipcq.multiplex=on"}, all.take_front(4)) == "");
  CHECK(together({}, all.slice(4, 4)) == ""); // r0 of the second plan is on endpoint 4

  // The pair of the second plan follows those of the first one.
  const ExecPlan *plans[] = {&first, &second};
  QueueSharing sharing(plans, ahbm({"ipcq.multiplex=on"}));
  CHECK(sharing.queues() == ArrayRef<uint32_t>({0}));
  REQUIRE(sharing.of(1).receives[0]);
  CHECK(sharing.of(1).receives[0]->queue == 0);
  CHECK(sharing.of(1).receives[0]->context == 4);
  REQUIRE(sharing.of(0).sends[0]);
  CHECK(sharing.of(0).sends[0]->queue == 0);
  CHECK(QueueSharing(&first, ahbm({"ipcq.multiplex=on"})).queues().empty());
}
