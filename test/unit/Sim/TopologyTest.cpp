//===- TopologyTest.cpp - Messages on topologies, with closed forms -------===//
//
// Times of single messages, of two messages on a link and of rings, on tori and between SIPs, in
// integer picoseconds.
//
//===----------------------------------------------------------------------===//

#include "../../support/Placed.h"

#include "Simulation.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t torusRate = 100'000'000'000, flit = 256;
constexpr int64_t torusPropagation = 30'000, flitTime = 2'560;

/// A torus of 5 x 4 ranks without costs except those of its links.
const char *torusText = R"({"name": "torus", "family": "graph", "shape": "torus",
  "network": "per-flit", "flit_size": 256, "dimensions": [{"size": 5}, {"size": 4}],
  "link": {"bandwidth": 100e9, "propagation": 30e-9}})";

/// One message over \p hops links: the first flit crosses them, the others follow it. The last one
/// may be smaller.
int64_t over(int64_t hops, uint64_t bytes) {
  int64_t flits = (bytes + flit - 1) / flit;
  int64_t last = transferPs(bytes - (flits - 1) * flit, torusRate);
  return hops * torusPropagation + (flits == 1 ? hops * last : (hops + flits - 2) * flitTime + last);
}

/// Ranks 0 to \p senders - 1 send their input to the last rank.
ExecPlan gather(uint32_t senders) {
  ProgramInfo info(Collective(senders + 1, CustomSpec{1, senders, {}}));
  info.name = "gather";
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  for (uint32_t r = 0; r < senders; ++r) {
    builder.beginThreadblock(RankId(r), RankId(senders), {}, ChannelId(0));
    builder.addStep(Step(OpKind::Send, Operand(Buffer::Input, 0), {}, 1, loc, loc));
  }
  for (uint32_t r = 0; r < senders; ++r) {
    builder.beginThreadblock(RankId(senders), {}, RankId(r), ChannelId(0));
    builder.addStep(Step(OpKind::Recv, {}, Operand(Buffer::Output, r), 1, loc, loc));
  }
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}
} // namespace

TEST_CASE("flits of a message follow each other over a torus", "[sim][flit][torus][rule-38]") {
  TemporaryFile file(torusText);
  Machine m = machine(file.name());
  struct Case {
    uint32_t to;
    int64_t hops;
  };
  // Rank x + 5 y. Coordinates 3 and 4 of a ring of 5 are nearer over the wrap link.
  for (Case c : {Case{1, 1}, Case{2, 2}, Case{3, 2}, Case{4, 1}, Case{5, 1}, Case{10, 2},
                 Case{15, 1}, Case{6, 2}, Case{12, 4}, Case{19, 2}, Case{13, 4}})
    for (uint64_t bytes : {1u, 255u, 256u, 257u, 4096u, 100'000u}) {
      INFO("to " << c.to << ", " << bytes << " bytes");
      CHECK(Simulation(placed(stream(1), {0, c.to}, "torus"), m, bytes, DataType::U8).time() ==
            over(c.hops, bytes));
    }
}

TEST_CASE("the flits of two messages share a link of a torus", "[sim][flit][torus][rule-38]") {
  TemporaryFile file(torusText);
  Machine m = machine(file.name());
  // Both messages cross the link from 1 to 2, which has all flits of the one from 1 in its queue
  // before the first flit of the one from 0 arrives.
  ExecPlan plan = placed(gather(2), {0, 1, 2}, "torus");
  for (int64_t flits : {20, 100, 1000}) {
    int64_t bytes = flits * int64_t(flit);
    CHECK(Simulation(plan, m, bytes, DataType::U8).time() == 2 * flits * flitTime + torusPropagation);
  }
  // The second message has left before the first arrives.
  for (int64_t flits : {1, 5, 12})
    CHECK(Simulation(plan, m, flits * flit, DataType::U8).time() == over(2, flits * flit));
  // Over the wrap link from 4 to 0, from the other side, a message does not share it.
  ExecPlan apart = placed(gather(2), {1, 4, 0}, "torus");
  CHECK(Simulation(apart, m, 100'000, DataType::U8).time() == over(1, 100'000));
}

TEST_CASE("a ring on a row of a torus uses each link once", "[sim][flit][torus]") {
  TemporaryFile file(torusText);
  Machine m = machine(file.name());
  for (std::vector<uint32_t> line :
       {std::vector<uint32_t>{5, 6, 7, 8, 9}, {3, 8, 13, 18}, {2, 1, 0, 4, 3}}) {
    uint32_t ranks = line.size();
    ExecPlan plan = placed(compiled({"allgather_ring", {}, ranks}), line, "torus");
    // The size is that of the output, of which each rank has one chunk.
    for (uint64_t chunk : {100u, 256u, 5'000u})
      CHECK(Simulation(plan, m, chunk * ranks, DataType::U8).time() ==
            (ranks - 1) * over(1, chunk));
  }
}

TEST_CASE("a message between SIPs crosses the SIPs between them", "[sim][ahbm]") {
  constexpr uint64_t bytes = 4096;
  // From PE 0 of the first cube: two ports to the IO chiplet and two into the other SIP's cube,
  // with 1 mm at 10 ps per millimetre between them, and the PCIe endpoint of the own SIP.
  constexpr int64_t inside = 4 * 8'000 + 2 * 10 + 5'000;
  // A direct link of 10 mm and the next PCIe endpoint.
  constexpr int64_t hop = 100 + 5'000;
  int64_t memory = 3'350 + transferPs(bytes, 256'000'000'000);
  int64_t slot = transferPs(bytes, 512'000'000'000);
  auto expected = [&](int64_t latency) {
    return 2 * memory + 17'408 + latency + transferPs(bytes, 128'000'000'000) + 2 * slot + 1'150 +
           latency + transferPs(16, 128'000'000'000); // the credit
  };
  struct Case {
    const char *target;
    uint32_t sip;
    int64_t hops;
  };
  for (Case c :
       {Case{"ahbm-6sip-ring", 1, 1}, Case{"ahbm-6sip-ring", 2, 2}, Case{"ahbm-6sip-ring", 3, 3},
        Case{"ahbm-6sip-ring", 4, 2}, Case{"ahbm-6sip-ring", 5, 1}, Case{"ahbm-6sip-torus", 1, 1},
        Case{"ahbm-6sip-torus", 5, 2}, Case{"ahbm-6sip-mesh", 5, 3}}) {
    INFO(c.target << ", SIP " << c.sip);
    ExecPlan plan = placed(stream(1), {0, c.sip * 128}, c.target);
    std::vector<std::string> keys = {"ipcq.slot_size=4096"};
    CHECK(Simulation(plan, machine(c.target, keys), bytes, DataType::U8).time() ==
          expected(inside + 2 * 100 + 5'000 + 5'000)); // the switch and the other PCIe endpoint
    keys.push_back("sips.links=direct");
    Machine m = machine(c.target, keys);
    Simulation direct(plan, m, bytes, DataType::U8);
    CHECK(direct.time() == expected(inside + c.hops * hop));
    // In flits, every PCIe endpoint waits for the whole message.
    ExecPlan next = placed(stream(1), {0, 128}, c.target);
    CHECK(direct.time("per-flit") ==
          Simulation(next, m, bytes, DataType::U8).time("per-flit") +
              (c.hops - 1) * (2 * hop + transferPs(bytes, 512'000'000'000)));
  }
}
