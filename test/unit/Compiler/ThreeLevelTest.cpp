//===- ThreeLevelTest.cpp - allreduce_hierarchical_3level -----------------===//
//
// The tests T3 to T6 of KernBench's ADR-0029, on machines of several sizes.
//
//===----------------------------------------------------------------------===//

#include "Sim/Simulation.h"

#include <cstring>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr const char *program = "allreduce_hierarchical_3level";

struct Shape {
  uint32_t sips, cubesWide, cubesHigh, pes;
  uint32_t cubes() const { return cubesWide * cubesHigh; }
  uint32_t ranks() const { return sips * cubes() * pes; }
  std::vector<std::string> overrides() const {
    return {"sips.count=" + std::to_string(sips), "cubes.width=" + std::to_string(cubesWide),
            "cubes.height=" + std::to_string(cubesHigh), "cubes.pes=" + std::to_string(pes)};
  }
};

CompileRequest requestOn(const std::string &target, const std::vector<std::string> &overrides,
                         uint32_t pipeline = 1) {
  CompileRequest request;
  request.target = targetRequest(target, overrides);
  request.parameters = {{"pipeline", std::to_string(pipeline)}};
  return request;
}

ExecPlan planFor(const std::string &name, const CompileRequest &request) {
  DiagnosticEngine diags;
  FailureOr<Compiled> outcome = compile(bundled(name), request, diags);
  if (failed(outcome))
    FAIL(textOf(diags));
  return std::move(outcome->plan);
}

void checkData(const ExecPlan &plan, const Machine &machine, uint64_t bytes) {
  Simulation sim(plan, machine, bytes, DataType::I32);
  DataExecutor data(sim.placed, sim.sizing, ReduceOp::Sum, plan.info().placements.list().front(),
                    std::nullopt);
  sim.run(data);
  CHECK_FALSE(data.check());
}

/// The length of the longest chain of dependent messages.
uint32_t messagesOnPath(const InstrProgram &program) {
  std::vector<uint32_t> messages(program.size());
  uint32_t most = 0;
  for (uint32_t id = 0; id < program.size(); ++id) {
    for (DepEdge edge : program.dependences().preds(id))
      messages[id] = std::max(messages[id], messages[edge.node()]);
    if (OptionalId<InstrId> from = program.instrs()[id].from)
      messages[id] = std::max(messages[id], messages[(*from).index()] + 1);
    most = std::max(most, messages[id]);
  }
  return most;
}

/// The times at which each phase begins and ends.
class PhaseTimes : public SimListener {
public:
  explicit PhaseTimes(const ExecPlan &plan)
      : plan(plan), first(plan.info().phases.size(), SimTime::max()),
        last(plan.info().phases.size()) {}
  void stepBegins(const StepRun &step, SimTime now) override {
    SimTime &time = first[plan.steps()[step.step.index()].phase];
    time = std::min(time, now);
  }
  void stepEnds(const StepRun &step, SimTime now) override {
    SimTime &time = last[plan.steps()[step.step.index()].phase];
    time = std::max(time, now);
  }
  const ExecPlan &plan;
  std::vector<SimTime> first, last;
};
} // namespace

TEST_CASE("T1: 2 SIPs of 4 cubes of 4 PEs against values computed by hand", "[three-level]") {
  ExecPlan plan =
      planFor(program, requestOn("ahbm", {"cubes.width=2", "cubes.height=2", "cubes.pes=4"}));
  auto neighboursOf = [&](uint32_t rank) {
    std::string text;
    for (const Neighbour &n : plan.info().neighbours)
      if (n.rank == RankId(rank))
        text +=
            std::string(directionName(n.direction)) + "=" + std::to_string(n.peer.index()) + " ";
    return text;
  };
  CHECK(neighboursOf(0) == "intra_E=1 intra_W=3 N=12 S=4 global_E=16 global_W=16 ");
  CHECK(neighboursOf(1) == "intra_E=2 intra_W=0 ");
  CHECK(neighboursOf(3) == "intra_E=0 intra_W=2 ");
  CHECK(neighboursOf(4) == "intra_E=5 intra_W=7 N=0 S=8 ");
  CHECK(neighboursOf(12) == "intra_E=13 intra_W=15 N=8 S=0 ");
  CHECK(neighboursOf(16) == "intra_E=17 intra_W=19 N=28 S=20 global_E=0 global_W=0 ");
  CHECK(neighboursOf(31) == "intra_E=28 intra_W=30 ");
}

TEST_CASE("T1, T2: the neighbours of every PE", "[three-level]") {
  for (Shape shape : {Shape{2, 4, 4, 8}, {3, 3, 1, 5}, {1, 2, 2, 2}, {4, 1, 1, 1}, {1, 1, 1, 1}}) {
    INFO(shape.sips << " SIPs, " << shape.cubes() << " cubes, " << shape.pes << " PEs");
    ExecPlan plan = planFor(program, requestOn("ahbm", shape.overrides()));
    std::map<std::pair<uint32_t, Direction>, uint32_t> table;
    for (const Neighbour &n : plan.info().neighbours)
      CHECK(table.try_emplace({n.rank.index(), n.direction}, n.peer.index()).second);
    // Neighbours are symmetric, and every PE has those of its position.
    for (const auto &[key, peer] : table)
      CHECK(table.at({peer, opposite(key.second)}) == key.first);
    uint32_t expected = 0;
    for (uint32_t r = 0; r < shape.ranks(); ++r) {
      bool leads = r % shape.pes == 0, leadsSip = r % (shape.cubes() * shape.pes) == 0;
      auto check = [&](Direction direction, bool has) {
        CHECK(table.count({r, direction}) == has);
        CHECK(table.count({r, opposite(direction)}) == has);
        expected += has ? 2 : 0;
      };
      check(Direction::IntraE, shape.pes > 1);
      check(Direction::S, leads && shape.cubes() > 1);
      check(Direction::GlobalE, leadsSip && shape.sips > 1);
    }
    CHECK(table.size() == expected);
    // Messages are sent to neighbours only.
    for (const Threadblock &tb : plan.threadblocks())
      if (tb.sendPeer)
        CHECK(std::any_of(table.begin(), table.end(), [&](const auto &entry) {
          return entry.first.first == tb.rank.index() && entry.second == (*tb.sendPeer).index();
        }));
  }
}

TEST_CASE("lrab declares the neighbours in the mesh and between roots", "[three-level]") {
  auto count = [](const std::string &target, bool global) {
    ExecPlan plan = planFor("allreduce_lrab", [&] {
      CompileRequest request;
      request.target = targetRequest(target);
      return request;
    }());
    uint32_t result = 0;
    for (const Neighbour &n : plan.info().neighbours) {
      bool isGlobal = n.direction >= Direction::GlobalN && n.direction <= Direction::GlobalW;
      result += isGlobal == global;
      if (isGlobal)
        CHECK(n.rank.index() % 16 == 10); // the root cube
    }
    for (const Threadblock &tb : plan.threadblocks())
      if (tb.sendPeer)
        CHECK(std::any_of(
            plan.info().neighbours.begin(), plan.info().neighbours.end(),
            [&](const Neighbour &n) { return n.rank == tb.rank && n.peer == *tb.sendPeer; }));
    return result;
  };
  CHECK(count("ahbm-6sip-ring", true) == 12);  // 6 x E, W
  CHECK(count("ahbm-6sip-torus", true) == 24); // and N, S
  CHECK(count("ahbm-6sip-mesh", true) == 14);  // 3 rows of 1 edge, 2 columns of 2
  CHECK(count("ahbm-6sip-mesh", false) == 6 * 2 * 24);
}

TEST_CASE("T3, T4: tiles of r+1 add up to 136 on all 16 PEs", "[three-level]") {
  Shape shape{2, 2, 1, 4};
  Machine machine = test::machine("ahbm", shape.overrides());
  for (const char *buffers : {"in_place", "out_of_place"})
    for (uint32_t pipeline : {1, 4}) {
      CompileRequest request = requestOn("ahbm", shape.overrides(), pipeline);
      request.parameters.emplace_back("buffers", buffers);
      ExecPlan plan = planFor(program, request);
      REQUIRE(plan.ranks() == 16);
      constexpr uint32_t elements = 128;
      Simulation sim(plan, machine, elements * 4, DataType::F32);
      DataExecutor data(sim.placed, sim.sizing, ReduceOp::Sum,
                        plan.info().placements.list().front(), std::nullopt);
      REQUIRE(data.chunkBytes() == elements / pipeline * 4);
      auto forTile = [&](uint32_t rank, Buffer buffer, auto fn) {
        for (uint32_t c = 0; c < pipeline; ++c)
          for (uint32_t e = 0; e < elements / pipeline; ++e)
            fn(data.chunk(RankId(rank), Operand(buffer, c)) + 4 * e);
      };
      for (uint32_t r = 0; r < 16; ++r)
        forTile(r, Buffer::Input, [&](std::byte *place) {
          float value = r + 1;
          std::memcpy(place, &value, 4);
        });
      sim.run(data);
      uint32_t right = 0;
      for (uint32_t r = 0; r < 16; ++r)
        forTile(r, Buffer::Output, [&](const std::byte *place) {
          float value;
          std::memcpy(&value, place, 4);
          right += value == 136;
        });
      CHECK(right == 16 * elements);
    }
}

TEST_CASE("T4: every size of every level, including 1", "[three-level]") {
  for (Shape shape : {Shape{1, 1, 1, 1},
                      {1, 1, 1, 2},
                      {1, 1, 1, 7},
                      {1, 1, 1, 8},
                      {2, 1, 1, 1},
                      {5, 1, 1, 1},
                      {1, 3, 1, 1},
                      {1, 2, 2, 1},
                      {1, 3, 3, 5},
                      {2, 2, 2, 4},
                      {3, 3, 1, 3},
                      {4, 1, 2, 2}})
    for (uint32_t pipeline : {1, 3}) {
      INFO(shape.sips << " SIPs, " << shape.cubes() << " cubes, " << shape.pes << " PEs");
      CompileRequest request = requestOn("ahbm", shape.overrides(), pipeline);
      uint32_t path = 0;
      request.onInstrProgram = [&](const InstrProgram &instrs) { path = messagesOnPath(instrs); };
      ExecPlan plan = planFor(program, request);
      CHECK(plan.ranks() == shape.ranks());
      // ceil((N-1)/2) rounds of reduction and as many of broadcast; S-1 between the SIPs.
      CHECK(path == 2 * (shape.pes / 2) + 2 * (shape.cubes() / 2) + shape.sips - 1);
      checkData(plan, test::machine("ahbm", shape.overrides()), 3000);
    }
}

TEST_CASE("T4: every arrangement of six SIPs", "[three-level]") {
  for (const char *target : {"ahbm-6sip-ring", "ahbm-6sip-torus", "ahbm-6sip-mesh"}) {
    ExecPlan plan = planFor(program, requestOn(target, {}, 2));
    CHECK(plan.ranks() == 768);
    checkData(plan, test::machine(target), 4096);
  }
}

TEST_CASE("T5: other layouts and missing tiles are rejected", "[three-level]") {
  auto refusal = [](CompileRequest request) {
    DiagnosticEngine diags;
    CHECK(failed(compile(bundled(program), request, diags)));
    CHECK(diags.failure() == Failure::Unusable);
    return textOf(diags);
  };
  std::string needs = "tool: error: program 'allreduce_hierarchical_3level' needs layout "
                      "multi_pe_sip_local, one tile on every PE";
  CompileRequest request = requestOn("ahbm", {});
  request.parameters = {{"mapper", "leader_only"}};
  CHECK(refusal(request) ==
        needs + " (mapper=all_pes); mapper=leader_only is layout one_pe_per_sip, one tile in every "
                "SIP, on the first PE of its first cube\n");
  request.parameters = {{"mapper", "cube_leaders"}};
  CHECK(refusal(request) == needs + " (mapper=all_pes); mapper=cube_leaders is layout "
                                    "one_pe_per_cube, one tile in every cube, on its first PE\n");
  request.parameters = {};
  request.ranks = 2;
  CHECK(refusal(request) == needs + ": 256 tiles on target ahbm, but 2 ranks are requested\n");
  CHECK(StringRef(refusal({}))
            .ends_with("needs a machine with SIPs, cubes and PEs: try --target "
                       "ahbm\n"));
}

TEST_CASE("T6: the other all-reduces are unchanged", "[three-level]") {
  Shape shape{2, 2, 2, 4};
  Machine machine = test::machine("ahbm", shape.overrides());
  for (const char *other : {"allreduce_ring", "allreduce_recursive_doubling", "allreduce_lrab"}) {
    CompileRequest request;
    request.target = targetRequest("ahbm", shape.overrides());
    ExecPlan plan = planFor(other, request);
    CHECK(plan.ranks() == (std::string(other) == "allreduce_lrab" ? 8 : 32));
    checkData(plan, machine, 4096);
  }
}

TEST_CASE("pipelined chunks are active in all levels at the same time", "[three-level]") {
  // Tiles of 16 x 64 KiB, and slots that hold a whole tile, in a TCM without limit.
  std::vector<std::string> large = {"ipcq.slot_size=1048576", "memory.tcm_capacity=null"};
  Machine machine = test::machine("ahbm", large);
  auto run = [&](uint32_t pipeline, auto check) {
    ExecPlan plan = planFor(program, requestOn("ahbm", large, pipeline));
    PhaseTimes times(plan);
    SimResult result = Simulation(plan, machine, 1 << 20).run(times);
    REQUIRE(times.first.size() == 6); // the unnamed phase, reduce, reduce, exchange, spread, spread
    check(times);
    return result.time;
  };
  SimTime pipelined = run(16, [](const PhaseTimes &times) {
    CHECK(*std::max_element(times.first.begin() + 1, times.first.end()) <
          *std::min_element(times.last.begin() + 1, times.last.end()));
  });
  SimTime whole = run(1, [](const PhaseTimes &times) {
    // The levels run one after the other, as seen from SIP 0.
    CHECK(times.first[3] > times.last[1]);
    CHECK(times.first[5] > times.last[2]);
  });
  CHECK(pipelined * 6 < whole);
}
