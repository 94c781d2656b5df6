//===- GoalTest.cpp - GOAL schedules, read and timed separately -----------===//
//
// A reader of the text and a LogGP machine (o = g = 0) that depend on the format
// only, not on plans. Their times must match the simulator if there is no
// contention and there are enough slots.
//
//===----------------------------------------------------------------------===//

#include "Sim/Simulation.h"

#include "cclc/Views/Export/Goal.h"

#include <map>
#include <queue>
#include <set>
#include <sstream>

using namespace cclc;
using namespace cclc::test;

namespace {

std::string goalOf(const Simulation &sim) {
  DiagnosticEngine diags;
  REQUIRE(succeeded(checkGoal(sim.placed, sim.sizing, diags)));
  CHECK(textOf(diags) == "");
  std::string text;
  llvm::raw_string_ostream os(text);
  writeGoal(sim.placed, sim.sizing, os);
  return os.str();
}

struct GoalOp {
  enum Kind { Send, Recv, Calc } kind;
  uint64_t amount; ///< bytes or nanoseconds
  uint32_t rank, peer = 0, tag = 0, cpu = 0, nic = 0;
  std::vector<uint32_t> unlocks = {};
  uint32_t missing = 0; ///< unsatisfied requirements
};

/// Parses every line by the grammar; labels precede their use.
std::vector<GoalOp> parseGoal(const std::string &text, uint32_t ranks) {
  std::vector<GoalOp> ops;
  std::map<std::string, uint32_t> labels;
  std::optional<uint32_t> rank;
  uint32_t blocks = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    std::istringstream words(line);
    std::vector<std::string> word{std::istream_iterator<std::string>(words), {}};
    if (word.empty() || word[0] == "//")
      continue;
    if (word[0] == "num_ranks") {
      REQUIRE(word == std::vector<std::string>{"num_ranks", std::to_string(ranks)});
    } else if (word[0] == "rank") {
      REQUIRE_FALSE(rank);
      REQUIRE(word == std::vector<std::string>{"rank", std::to_string(blocks), "{"});
      rank = blocks++;
      labels.clear();
    } else if (word[0] == "}") {
      REQUIRE(word.size() == 1);
      rank.reset();
    } else if (word[1] == "requires") {
      REQUIRE((word.size() == 3 && labels.count(word[0]) && labels.count(word[2])));
      ops[labels[word[2]]].unlocks.push_back(labels[word[0]]);
      ++ops[labels[word[0]]].missing;
    } else {
      REQUIRE((rank && word[0].back() == ':' && std::isalpha(word[0][0])));
      REQUIRE(labels.emplace(word[0].substr(0, word[0].size() - 1), ops.size()).second);
      GoalOp op{word[1] == "send"   ? GoalOp::Send
                : word[1] == "recv" ? GoalOp::Recv
                                    : GoalOp::Calc,
                std::stoull(word[2]), *rank};
      size_t at = 3;
      if (op.kind == GoalOp::Calc) {
        REQUIRE(word[1] == "calc");
      } else {
        REQUIRE(word[2] == std::to_string(op.amount) + "b");
        REQUIRE(word[at] == (op.kind == GoalOp::Send ? "to" : "from"));
        op.peer = std::stoul(word[at + 1]);
        at += 2;
      }
      for (; at < word.size(); at += 2)
        (word[at] == "tag"   ? op.tag
         : word[at] == "cpu" ? op.cpu
                             : op.nic) = std::stoul(word[at + 1]);
      REQUIRE((op.peer < ranks && op.cpu < 256 && op.nic < 256));
      ops.push_back(op);
    }
  }
  REQUIRE((!rank && blocks == ranks));
  return ops;
}

struct LogGp {
  int64_t latency;
  uint64_t rate;
  /// True if a message waits until the previous one has left its interface.
  bool gaps = false;
};

/// The end of the last operation, in picoseconds.
int64_t timeOf(std::vector<GoalOp> ops, const LogGp &machine) {
  struct Event {
    int64_t time;
    uint64_t number;
    uint32_t op;
    enum Kind { Ready, Done, Arrived } kind;
    bool operator<(const Event &other) const {
      return std::pair(time, number) > std::pair(other.time, other.number);
    }
  };
  std::priority_queue<Event> queue;
  uint64_t numEvents = 0;
  auto push = [&](int64_t time, uint32_t op, Event::Kind kind) {
    queue.push({time, numEvents++, op, kind});
  };
  using Message = std::tuple<uint32_t, uint32_t, uint32_t>; // from, to, tag
  std::map<Message, uint32_t> receives;
  std::set<Message> sends, arrived, posted;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> cpuFree, nicFree;
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const GoalOp &op = ops[i];
    if (op.kind == GoalOp::Recv)
      REQUIRE(receives.emplace(Message{op.peer, op.rank, op.tag}, i).second);
    if (op.kind == GoalOp::Send)
      REQUIRE(sends.insert({op.rank, op.peer, op.tag}).second);
    if (op.missing == 0)
      push(0, i, Event::Ready);
  }
  REQUIRE(sends.size() == receives.size());
  int64_t end = 0;
  size_t done = 0;
  while (!queue.empty()) {
    Event event = queue.top();
    queue.pop();
    const GoalOp &op = ops[event.op];
    Message message{op.rank, op.peer, op.tag};
    if (event.kind == Event::Done) {
      ++done;
      end = std::max(end, event.time);
      for (uint32_t next : op.unlocks)
        if (--ops[next].missing == 0)
          push(event.time, next, Event::Ready);
    } else if (event.kind == Event::Arrived) {
      REQUIRE(receives.count(message));
      REQUIRE(ops[receives[message]].amount == op.amount);
      arrived.insert(message);
      if (posted.count(message))
        push(event.time, receives[message], Event::Done);
    } else if (op.kind == GoalOp::Calc) {
      int64_t &free = cpuFree[{op.rank, op.cpu}];
      free = std::max(free, event.time) + int64_t(op.amount) * 1000;
      push(free, event.op, Event::Done);
    } else if (op.kind == GoalOp::Send) {
      int64_t out = transferPs(op.amount, machine.rate), start = event.time;
      if (machine.gaps) {
        int64_t &free = nicFree[{op.rank, op.nic}];
        start = std::max(free, start);
        free = start + out;
      }
      push(start, event.op, Event::Done);
      push(start + machine.latency + out, event.op, Event::Arrived);
    } else {
      Message mine{op.peer, op.rank, op.tag};
      posted.insert(mine);
      if (arrived.count(mine))
        push(event.time, event.op, Event::Done);
    }
  }
  CHECK(done == ops.size());
  return end;
}

constexpr LogGp plain{1'000'000, 100'000'000'000};

int64_t goalTime(const Simulation &sim, LogGp machine = plain) {
  return timeOf(parseGoal(goalOf(sim), sim.placed.plan.ranks()), machine);
}

const Recipe recipes[] = {
    {"allreduce_ring", {}, 2},
    {"allreduce_ring", {}, 7},
    {"allreduce_ring", {{"buffers", "out_of_place"}}, 4, 2},
    {"allgather_ring", {{"channels", "2"}}, 4},
    {"reducescatter_ring", {{"channels", "4"}}, 8},
    {"broadcast_binomial", {}, 13},
    {"broadcast_binomial", {{"root", "2"}, {"chunks", "4"}}, 7},
    {"allreduce_recursive_doubling", {}, 8},
    {"allreduce_recursive_doubling", {{"chunks", "3"}}, 6},
    {"allreduce_hierarchical", {{"nodes", "2"}, {"ranks_per_node", "3"}}},
    {"alltoall_direct", {}, 8},
    {"alltoall_direct", {{"buffers", "in_place"}}, 4},
};
} // namespace

TEST_CASE("a GOAL schedule takes the time of its plan", "[goal]") {
  for (const Recipe &recipe : recipes) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (uint64_t bytes : {1ull, 5000ull, 300000ull})
      for (const char *slotSize : {"queue.slot_size=0", "queue.slot_size=4096"}) {
        INFO(bytes << " bytes, " << slotSize);
        // Several pieces are in flight on a connection, as in the ideal network.
        Machine m = machine("ideal", {slotSize}, plan.ranks());
        Simulation sim(plan, m, bytes, DataType::U8, Slots::unlimited());
        CHECK(goalTime(sim) == sim.time());
      }
  }
}

TEST_CASE("GOAL contains the costs of steps, to the nanosecond", "[goal]") {
  for (const Recipe &recipe : recipes) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    for (const std::vector<std::string> &costs : std::vector<std::vector<std::string>>{
             {"launch=6.6e-6"},
             {"pe.dispatch=40e-9"},
             {"pe.math.cycle=2e-9", "pe.math.bytes_per_cycle=64"},
             {"pe.copy.cycle=3e-9", "pe.copy.bytes_per_cycle=64"},
             {"queue.access.tcm.latency=70e-9"},
             {"queue.receive_overhead=70e-9"},
             {"queue.access.tcm.latency=70e-9", "pe.dispatch=40e-9", "launch=6.6e-6",
              "pe.math.cycle=2e-9", "pe.math.bytes_per_cycle=64", "pe.copy.cycle=3e-9",
              "pe.copy.bytes_per_cycle=64", "queue.slot_size=2048"}}) {
      INFO(costs.back());
      Machine m = machine("ideal", costs, plan.ranks());
      Simulation sim(plan, m, 20000, DataType::U8, Slots::unlimited());
      // A step reserves all its engines when it begins, a GOAL operation only when it is ready:
      // with several costs, threadblocks of a rank may use an engine in another order. The same
      // applies to messages that reach the write port of a rank at the same time: the difference is
      // at most one access.
      bool shared = false, ports = StringRef(costs.front()).contains("access");
      for (uint32_t r = 0; r < plan.ranks(); ++r)
        shared |= (costs.size() > 4 || ports) && plan.numThreadblocks(RankId(r)) > 1;
      constexpr int64_t oneAccess = 70'000;
      int64_t difference = std::abs(goalTime(sim) - sim.time());
      CHECK(difference <= (shared ? std::max(sim.time() / 100, oneAccess) : 0));
    }
  }
}

TEST_CASE("per-message delays are part of the latency", "[goal]") {
  ExecPlan plan = compiled({"allreduce_recursive_doubling", {}, 8});
  Machine m = machine("ideal", {"queue.send_overhead=17.408e-9"}, 8);
  Simulation sim(plan, m, 1000, DataType::U8, Slots::unlimited());
  LogGp slower = plain;
  slower.latency += 17408;
  CHECK(goalTime(sim, slower) == sim.time());
  CHECK(StringRef(goalOf(sim)).contains("// L 1017.408 ns, G 0.010000 ns a byte"));
}

TEST_CASE("calculations are rounded to nanoseconds", "[goal]") {
  // Three dispatches (a send, a receive that forwards, a receive): those of 1.4 ns become 1 ns
  // each, those of 1.5 ns 2 ns.
  ExecPlan plan = compiled({"broadcast_binomial", {}, 4});
  for (auto [dispatch, written] : {std::pair(1400, 1000), std::pair(1500, 2000)}) {
    Machine m = machine("ideal", {"pe.dispatch=" + std::to_string(dispatch) + "e-12"}, 4);
    Simulation sim(plan, m, 1000, DataType::U8, Slots::unlimited());
    int64_t way = 2 * (plain.latency + transferPs(1000, plain.rate));
    int64_t steps = (sim.time() - way) / dispatch;
    CHECK(sim.time() == way + steps * dispatch);
    CHECK(goalTime(sim) == way + steps * written);
  }
}

TEST_CASE("interfaces separate messages as links do", "[goal]") {
  LogGp gaps = plain;
  gaps.gaps = true;
  for (bool ownChannels : {false, true}) {
    ExecPlan plan = stream(5, ownChannels);
    Machine m = machine("ring", {}, 2);
    Simulation sim(plan, m, 5 * 123457, DataType::U8, Slots::unlimited());
    int64_t link = transferPs(123457, plain.rate);
    // Channels have separate interfaces, but share links.
    CHECK(goalTime(sim, gaps) == plain.latency + (ownChannels ? 1 : 5) * link);
    CHECK(sim.time() == plain.latency + 5 * link);
  }
  for (const Recipe &recipe : {Recipe{"alltoall_direct", {}, 8}, Recipe{"allgather_ring", {}, 4},
                               Recipe{"broadcast_binomial", {}, 8}}) {
    INFO(nameOf(recipe));
    ExecPlan plan = compiled(recipe);
    Machine m = machine("fully-connected", {"queue.slot_size=4096"}, plan.ranks());
    Simulation sim(plan, m, 100000, DataType::U8, Slots::unlimited());
    CHECK(goalTime(sim, gaps) == sim.time());
  }
}

TEST_CASE("random plans run as GOAL schedules", "[goal]") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    ExecPlan plan = randomPlan(seed);
    for (const char *slotSize : {"queue.slot_size=0", "queue.slot_size=64"}) {
      Machine m = machine("ideal", {slotSize}, plan.ranks());
      Simulation sim(plan, m, 1000, DataType::F32, Slots::unlimited());
      CHECK(goalTime(sim) == sim.time());
    }
  }
}

TEST_CASE("exceeded limits of GOAL are reported", "[goal]") {
  DiagnosticEngine diags;
  ExecPlan many = compiled({"alltoall_direct", {}, 260});
  Machine m = machine("fully-connected", {}, 260);
  Simulation sim(many, m, 260);
  CHECK(succeeded(checkGoal(sim.placed, sim.sizing, diags)));
  CHECK(textOf(diags) == "tool: warning: a rank needs 259 interfaces to separate its connections, "
                         "but GOAL has 256: some share one\n"
                         "tool: warning: a rank has 518 threadblocks, but GOAL has 252 processors "
                         "for them: some share one\n");
  ExecPlan two = stream(2);
  Machine bytewise = machine("ideal", {"queue.slot_size=1"}, 2);
  Simulation pieces(two, bytewise, 2 * 0x80000000ull, DataType::U8);
  DiagnosticEngine tags;
  CHECK(failed(checkGoal(pieces.placed, pieces.sizing, tags)));
  CHECK(textOf(tags) == "tool: error: 4294967296 messages are more than the tags of GOAL\n");
}
