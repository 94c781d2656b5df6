//===- KnownRatesTest.cpp - Rates of all-gathers on well-known machines ---===//
//
// The rate of an all-gather is N x* for N ranks, where 1/x* is the largest ratio of the ranks in a
// set to the capacity that leaves it (Zhao et al., ForestColl, arXiv 2402.06787). The ratios were
// computed independently in exact arithmetic.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/LinkBound.h"

#include "cclc/IR/Collective.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace cclc;

namespace {
using Ratio = std::pair<uint64_t, uint64_t>;

/// Links in both directions, in units of 1 GB/s. Ranks come first, then switches.
struct Links {
  uint32_t ranks, nodes;
  std::vector<FlowArc> arcs;

  void add(uint32_t a, uint32_t b, uint64_t rate) {
    arcs.push_back({a, b, Bandwidth(rate), {}});
    arcs.push_back({b, a, Bandwidth(rate), {}});
  }
  RatioCut cut() const {
    FlowGraph graph = FlowGraph::of(nodes, ranks, arcs);
    Collective collective(CollectiveKind::AllGather, ranks, 1);
    return findLinkBound(graph, collective, nullptr, {}).cut;
  }
  Ratio ratio() const {
    RatioCut tightest = cut();
    REQUIRE(tightest.capacity);
    uint64_t g = std::gcd(tightest.weight, tightest.capacity->bytesPerSecond());
    return {tightest.weight / g, tightest.capacity->bytesPerSecond() / g};
  }
};

/// Nodes of 16 GPUs behind NVSwitch, and one NIC per pair of GPUs, whose rate both may use.
Links dgx2(uint32_t machines) {
  uint32_t ranks = machines * 16, nics = ranks + machines;
  Links links{ranks, machines == 1 ? nics : nics + ranks / 2 + 1, {}};
  for (uint32_t r = 0; r < ranks; ++r) {
    links.add(r, ranks + r / 16, 150);
    if (machines > 1)
      links.add(r, nics + r / 2, 25);
  }
  for (uint32_t nic = 0; machines > 1 && nic < ranks / 2; ++nic)
    links.add(nics + nic, links.nodes - 1, 25);
  return links;
}

struct Bundle {
  uint32_t a, b, links;
};
/// The links of 50 GB/s between the 16 GCDs of a machine with eight MI250.
constexpr Bundle mi250Links[] = {
    {0, 1, 4},   {0, 4, 2},   {0, 8, 1},   {1, 5, 1},   {1, 9, 1},   {1, 10, 1},  {2, 3, 4},
    {2, 6, 1},   {2, 9, 1},   {2, 10, 1},  {3, 7, 2},   {3, 11, 1},  {4, 5, 4},   {4, 6, 1},
    {5, 6, 1},   {5, 7, 1},   {6, 7, 4},   {8, 9, 4},   {8, 12, 2},  {9, 13, 1},  {10, 11, 4},
    {10, 14, 1}, {11, 15, 2}, {12, 13, 4}, {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}};

/// The first \p used GCDs of every machine; several machines have a link of 16 GB/s per GCD.
Links mi250(uint32_t machines, uint32_t used) {
  uint32_t ranks = machines * used;
  Links links{ranks, ranks + (machines > 1), {}};
  for (uint32_t m = 0; m < machines; ++m)
    for (const Bundle &bundle : mi250Links)
      if (bundle.a < used && bundle.b < used)
        links.add(m * used + bundle.a, m * used + bundle.b, bundle.links * 50);
  for (uint32_t r = 0; machines > 1 && r < ranks; ++r)
    links.add(r, ranks, 16);
  return links;
}

/// Square meshes of cubes with links of 4 units. The SIPs are a ring: each row has a link of 1 unit
/// to the same row of the next SIP.
Links sips(uint32_t count, uint32_t side) {
  uint32_t cubes = side * side;
  Links links{count * cubes, count * cubes, {}};
  for (uint32_t sip = 0; sip < count; ++sip)
    for (uint32_t y = 0; y < side; ++y) {
      uint32_t row = sip * cubes + y * side, next = (sip + 1) % count * cubes + y * side;
      for (uint32_t x = 0; x + 1 < side; ++x)
        links.add(row + x, row + x + 1, 4);
      for (uint32_t x = 0; y + 1 < side && x < side; ++x)
        links.add(row + x, row + x + side, 4);
      if (count > 2 || sip == 0)
        links.add(row + side - 1, next, 1);
    }
  return links;
}
} // namespace

TEST_CASE("all-gather rates of hypercubes, DGX-2, MI250 and SIPs of cubes", "[bound][golden]") {
  Links cube{8, 8, {}};
  for (uint32_t r = 0; r < 8; ++r)
    for (uint32_t bit : {1u, 2u, 4u})
      if (!(r & bit))
        cube.add(r, r | bit, 1);
  CHECK(cube.ratio() == Ratio(7, 3));
  CHECK(dgx2(1).ratio() == Ratio(1, 10));
  CHECK(dgx2(2).ratio() == Ratio(31, 175));
  CHECK(mi250(1, 16).ratio() == Ratio(7, 150));
  CHECK(mi250(1, 16).cut().weight == 14);
  CHECK(mi250(2, 16).ratio() == Ratio(15, 166));
  CHECK(mi250(2, 8).ratio() == Ratio(1, 13));
  CHECK(sips(2, 2).ratio() == Ratio(2, 1));
  CHECK(sips(2, 4).ratio() == Ratio(4, 1));
  CHECK(sips(4, 2).ratio() == Ratio(3, 1));
}
