//===- LinkBoundTest.cpp - Cuts against enumeration and known values ------===//
//
// On random graphs the oracle enumerates all sets of nodes. The values of bundled targets were
// computed independently in exact arithmetic.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/CollectiveBound.h"

#include "Plans.h"

#include <bit>
#include <random>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t quarterGigabyte = 256 << 20;

/// A set of nodes as bits.
uint64_t capacityOut(const FlowGraph &graph, uint32_t set) {
  uint64_t sum = 0;
  for (const FlowArc &arc : graph.arcs())
    if ((set >> arc.from & 1) && !(set >> arc.to & 1))
      sum += arc.capacity.bytesPerSecond();
  return sum;
}

/// The largest ratio of weight to capacity over all sets, as {weight, capacity}.
std::pair<uint64_t, uint64_t> enumerate(const FlowGraph &graph, ArrayRef<uint64_t> weights,
                                        ArrayRef<uint32_t> sinks) {
  uint32_t allSinks = 0;
  for (uint32_t sink : sinks)
    allSinks |= 1u << sink;
  std::pair<uint64_t, uint64_t> best = {0, 1};
  for (uint32_t set = 0; set < 1u << graph.numNodes(); ++set) {
    if ((set & allSinks) == allSinks)
      continue;
    uint64_t weight = 0, capacity = capacityOut(graph, set);
    for (uint32_t rank = 0; rank < weights.size(); ++rank)
      weight += (set >> rank & 1) ? weights[rank] : 0;
    if (weight * best.second > best.first * capacity)
      best = {weight, capacity};
  }
  return best;
}

struct RandomGraph {
  FlowGraph graph;
  std::vector<uint64_t> weights;
  std::vector<uint32_t> sinks;
};

RandomGraph randomGraph(std::mt19937_64 &random) {
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  uint32_t nodes = 2 + below(8), ranks = 1 + below(nodes);
  uint64_t unit = below(2) ? 1 : 25'000'000'000;
  std::vector<FlowArc> arcs;
  for (uint32_t from = 0; from < nodes; ++from)
    for (uint32_t to = 0; to < nodes; ++to)
      if (from != to && below(100) < 55)
        arcs.push_back({from, to, Bandwidth((1 + below(12)) * unit), {}});
  RandomGraph result{FlowGraph::of(nodes, ranks, arcs), {}, {}};
  bool equal = below(2);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    result.weights.push_back(equal ? 1 : below(4));
    if (equal || below(2))
      result.sinks.push_back(rank);
  }
  return result;
}

void checkCut(const FlowGraph &graph, const RatioCut &cut, ArrayRef<uint64_t> weights,
              ArrayRef<uint32_t> sinks) {
  auto [weight, capacity] = enumerate(graph, weights, sinks);
  CHECK(cut.exact);
  if (weight == 0) {
    CHECK(cut.time(1) == SimTime());
    return;
  }
  REQUIRE(cut.capacity.has_value() == (capacity != 0));
  if (capacity == 0)
    return;
  CHECK(Wide(cut.weight) * capacity == Wide(weight) * cut.capacity->bytesPerSecond());
  // The set itself is the certificate.
  uint32_t set = 0;
  uint64_t inside = 0;
  for (uint32_t node = 0; node < graph.numNodes(); ++node)
    set |= uint32_t(cut.inside.test(node)) << node;
  for (uint32_t rank = 0; rank < weights.size(); ++rank)
    inside += (set >> rank & 1) ? weights[rank] : 0;
  CHECK(capacityOut(graph, set) == cut.capacity->bytesPerSecond());
  CHECK(inside == cut.weight);
}

LinkBound boundOf(const Machine &m, CollectiveKind kind, Mapper who = Mapper::AllPes,
                  uint32_t root = 0) {
  std::vector<EndpointId> endpoints;
  for (uint32_t endpoint : m.select(who).endpoints)
    endpoints.push_back(EndpointId(endpoint));
  FlowGraph graph = FlowGraph::create(m, endpoints);
  Collective collective(kind, endpoints.size(), 1, RankId(root));
  return findLinkBound(graph, collective, &m, endpoints);
}

double microseconds(SimTime time) { return double(time.picoseconds()) / 1e6; }

/// 1/x* of a graph of ranks: the ratio of weight to capacity of its tightest all-gather cut.
std::pair<uint64_t, uint64_t> gatherRatio(const Machine &m) {
  RatioCut cut = boundOf(m, CollectiveKind::AllGather).cut;
  REQUIRE(cut.capacity);
  uint64_t g = std::gcd(cut.weight, cut.capacity->bytesPerSecond());
  return {cut.weight / g, cut.capacity->bytesPerSecond() / g};
}
} // namespace

TEST_CASE("the ratio cut is the tightest of all cuts", "[bound][cuts]") {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    RandomGraph r = randomGraph(random);
    checkCut(r.graph, findRatioCut(r.graph, r.weights, r.sinks), r.weights, r.sinks);
    FlowGraph back = r.graph.reversed();
    checkCut(back, findRatioCut(back, r.weights, r.sinks), r.weights, r.sinks);
  }
}

TEST_CASE("rates with products of more than 62 bits are exact", "[bound][cuts]") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    RandomGraph r = randomGraph(random);
    std::vector<FlowArc> arcs;
    for (FlowArc arc : r.graph.arcs()) {
      arc.capacity =
          Bandwidth(arc.capacity.bytesPerSecond() % 1000 * 100'000'000'000'000'003 / 17 + 1);
      arcs.push_back(arc);
    }
    FlowGraph graph = FlowGraph::of(r.graph.numNodes(), r.graph.numRanks(), arcs);
    std::vector<uint64_t> weights(r.weights.begin(), r.weights.end());
    RatioCut cut = findRatioCut(graph, weights, r.sinks);
    if (cut.weight != 0 && cut.capacity && !cut.capacity->isUnlimited())
      for (uint32_t set = 0; set < 1u << graph.numNodes(); ++set) {
        uint64_t weight = 0;
        Wide capacity = 0;
        bool allSinks = true;
        for (uint32_t sink : r.sinks)
          allSinks &= set >> sink & 1;
        for (uint32_t rank = 0; rank < weights.size(); ++rank)
          weight += (set >> rank & 1) ? weights[rank] : 0;
        for (const FlowArc &arc : graph.arcs())
          if ((set >> arc.from & 1) && !(set >> arc.to & 1))
            capacity += arc.capacity.bytesPerSecond();
        if (!allSinks)
          CHECK(Wide(weight) * cut.capacity->bytesPerSecond() <= Wide(cut.weight) * capacity);
      }
  }
}

TEST_CASE("unlimited links are never the bottleneck", "[bound][cuts]") {
  // 0 -> 1 is unlimited, 1 -> 0 is not.
  FlowGraph graph = FlowGraph::of(2, 2, {FlowArc{0, 1, {}, {}}, FlowArc{1, 0, Bandwidth(5), {}}});
  RatioCut cut = findRatioCut(graph, {1, 1}, {0, 1});
  CHECK(cut.capacity == Bandwidth(5));
  CHECK(cut.inside.test(1));
  cut = findRatioCut(graph, {1, 1}, {1});
  CHECK(cut.capacity->isUnlimited());
  CHECK(cut.time(1000) == SimTime());
}

TEST_CASE("a min cut separates sets of ranks", "[bound][cuts]") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    RandomGraph r = randomGraph(random);
    std::vector<std::optional<bool>> sides;
    uint32_t must = 0, mustNot = 0;
    for (uint32_t rank = 0; rank < r.graph.numRanks(); ++rank) {
      uint32_t place = random() % 3;
      sides.push_back(place == 2 ? std::nullopt : std::optional(place == 1));
      (place == 1 ? must : place == 0 ? mustNot : must) |= place == 2 ? 0 : 1u << rank;
    }
    uint64_t least = ~uint64_t(0);
    for (uint32_t set = 0; set < 1u << r.graph.numNodes(); ++set)
      if ((set & must) == must && !(set & mustNot))
        least = std::min(least, capacityOut(r.graph, set));
    RatioCut cut = findMinCut(r.graph, sides);
    CHECK((cut.capacity ? cut.capacity->bytesPerSecond() : 0) == least);
  }
}

TEST_CASE("bounds of bundled targets at 256 MiB", "[bound][golden]") {
  struct Row {
    const char *target;
    uint32_t ranks;
    Mapper who;
    double gather, broadcast, allReduce, twoPhase, allToAll;
  };
  constexpr Mapper all = Mapper::AllPes;
  const Row rows[] = {
      {"ndv4", 8, all, 782.94, 894.78, 1565.87, 1565.87, 782.94},
      {"ndv4", 16, all, 774.33, 1342.18, 1548.67, 1548.67, 5368.71},
      {"dgx1", 8, all, 1565.87, 1789.57, 3131.75, 3131.75, 3579.14},
      {"dgx-h100", 8, all, 521.96, 596.52, 596.52, 1043.92, 521.96},
      {"mi300x", 8, all, 883.01, 1009.16, 1766.02, 1766.02, 883.01},
      {"ahbm", 32, Mapper::CubeLeaders, 1015.81, 1048.58, 2031.62, 2031.62, 4194.30},
      {"torus2d", 16, all, 629.15, 671.09, 1258.29, 1258.29, 1342.18},
      {"mesh2d", 16, all, 1258.29, 1342.18, 1677.72, 2516.58, 2684.35},
      {"fully-connected", 8, all, 335.54, 383.48, 671.09, 671.09, 335.54},
      {"ring", 8, all, 1174.41, 1342.18, 2348.81, 2348.81, 2684.35},
  };
  for (const Row &row : rows) {
    INFO(row.target << " with " << row.ranks << " ranks");
    Machine m = machine(row.target, {}, row.ranks);
    Bytes size(quarterGigabyte);
    auto time = [&](CollectiveKind kind) {
      LinkBound bound = boundOf(m, kind, row.who);
      CHECK(bound.isTight ==
            (kind != CollectiveKind::AllReduce && kind != CollectiveKind::AllToAll));
      return microseconds(bound.time(size));
    };
    auto near = [](double value) { return Approx(value).epsilon(1e-4); };
    CHECK(time(CollectiveKind::AllGather) == near(row.gather));
    CHECK(time(CollectiveKind::ReduceScatter) == near(row.gather));
    CHECK(time(CollectiveKind::Broadcast) == near(row.broadcast));
    CHECK(time(CollectiveKind::Reduce) == near(row.broadcast));
    CHECK(time(CollectiveKind::AllReduce) == near(row.allReduce));
    LinkBound reduce = boundOf(m, CollectiveKind::AllReduce, row.who);
    CHECK(microseconds(*reduce.twoPhaseTime(size)) == near(row.twoPhase));
    CHECK(time(CollectiveKind::AllToAll) >= row.allToAll * 0.9999);
  }
}

TEST_CASE("the volume of an all-reduce between nodes", "[bound]") {
  // 6 buffers leave 4 nodes, each of which has 8 links of 25 GB/s out of it.
  constexpr Bytes size(uint64_t(1) << 28);
  LinkBound four = boundOf(machine("ndv4", {}, 32), CollectiveKind::AllReduce);
  REQUIRE(four.volume);
  CHECK(four.volume->level == "node");
  CHECK(four.volume->buffers == 6);
  CHECK(microseconds(four.time(size)) ==
        Approx(6 * double(size.count()) / (4 * 8 * 25e9) * 1e6).epsilon(1e-6));
  CHECK(four.time(size) == *four.twoPhaseTime(size));
  // Two nodes are limited by the links of their ranks: 30 buffers leave 16 of them.
  LinkBound two = boundOf(machine("ndv4", {}, 16), CollectiveKind::AllReduce);
  REQUIRE(two.volume);
  CHECK(two.volume->level.empty());
  CHECK(two.volume->buffers == 30);
}

TEST_CASE("the volume over links with different rates in both directions", "[bound]") {
  // R ranks around a switch, with slow links to it or from it. A rank sends and receives without
  // the help of the switch, so that each of the R-1 copies of an element leaves a rank.
  constexpr uint32_t ranks = 12;
  constexpr uint64_t slow = 50'000'000'000, fast = 100'000'000'000;
  constexpr Bytes size(uint64_t(12) << 20);
  auto star = [](uint64_t out, uint64_t in) {
    std::vector<FlowArc> arcs;
    for (uint32_t r = 0; r < ranks; ++r) {
      arcs.push_back({r, ranks, Bandwidth(out), {}});
      arcs.push_back({ranks, r, Bandwidth(in), {}});
    }
    return FlowGraph::of(ranks + 1, ranks, arcs);
  };
  const double each = double(size.count()) * (ranks - 1) / ranks;
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
    for (bool slowOut : {true, false}) {
      FlowGraph graph = slowOut ? star(slow, fast) : star(fast, slow);
      LinkBound bound = findLinkBound(graph, Collective(kind, ranks, 1), nullptr, {});
      CHECK(microseconds(bound.time(size)) == Approx(each / double(slow) * 1e6).epsilon(1e-6));
      // The cuts around single ranks: data enter, or sums leave.
      bool byCut = (kind == CollectiveKind::AllGather) == !slowOut;
      CHECK(bound.volume.has_value() == !byCut);
      CHECK(bound.isTight == byCut);
    }
  LinkBound reduce =
      findLinkBound(star(fast, slow), Collective(CollectiveKind::AllReduce, ranks, 1), nullptr, {});
  CHECK(microseconds(reduce.time(size)) == Approx(2 * each / double(slow) * 1e6).epsilon(1e-6));
  CHECK(reduce.volume->text() ==
        "the links into all ranks, which 22 buffers in total have to enter");
}

TEST_CASE("the volume with operations of switches", "[bound]") {
  constexpr uint64_t rate = 450'000'000'000;
  constexpr Bytes size(uint64_t(1) << 30);
  auto volume = [&](std::vector<std::string> overrides, CollectiveKind kind, uint32_t ranks = 8) {
    return boundOf(machine("dgx-h100", std::move(overrides), ranks), kind);
  };
  // Each of 8 ranks sends its value of an element to the switch or adds it there, and one sends the
  // sum to all: 8 messages of an element over 8 links, instead of 14.
  LinkBound both = volume({}, CollectiveKind::AllReduce);
  REQUIRE(both.volume);
  CHECK(both.volume->buffers == 8);
  CHECK(microseconds(both.time(size)) ==
        Approx(double(size.count()) / double(rate) * 1e6).epsilon(1e-6));
  LinkBound none = volume({"switch=null"}, CollectiveKind::AllReduce);
  REQUIRE(none.volume);
  CHECK(none.volume->buffers == 14);
  CHECK(both.time(size) < none.time(size));
  // One operation saves messages in one direction only.
  for (const char *missing : {"switch.multicast=off", "switch.reduction=off"})
    CHECK(volume({missing}, CollectiveKind::AllReduce).time(size) == none.time(size));
  // Cuts bound the others: a rank receives 7/8 of an all-gather, and sends 7/8 of a reduce-scatter.
  for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
    CHECK(volume({}, kind).time(size) == volume({"switch=null"}, kind).time(size));
  // Nodes have no switch in common, so that 2 buffers leave two of them, and 6 leave four.
  CHECK(volume({}, CollectiveKind::AllReduce, 32).volume->buffers == 6);
  CHECK(volume({}, CollectiveKind::AllReduce, 32).volume->level == "node");
}

TEST_CASE("rates of all-gathers as published or derived", "[bound][golden]") {
  using Ratio = std::pair<uint64_t, uint64_t>;
  auto unit = [](const char *target, uint32_t ranks, std::vector<std::string> overrides = {}) {
    overrides.push_back("link.bandwidth=1");
    return gatherRatio(machine(target, std::move(overrides), ranks));
  };
  CHECK(unit("ring", 8) == Ratio(7, 2));
  CHECK(unit("fully-connected", 8) == Ratio(1, 1));
  CHECK(unit("mesh2d", 4, {"width=2", "height=2"}) == Ratio(3, 2));
  CHECK(unit("mesh2d", 9, {"width=3", "height=3"}) == Ratio(4, 1));
  CHECK(unit("mesh2d", 8, {"width=4", "height=2"}) == Ratio(7, 2));
  CHECK(unit("mesh2d", 16) == Ratio(15, 2));
  CHECK(unit("torus2d", 16) == Ratio(15, 4));
  CHECK(gatherRatio(machine("dgx1", {}, 8)) == Ratio(7, 150'000'000'000));
  CHECK(gatherRatio(machine("ndv4", {}, 8)) == Ratio(7, 300'000'000'000));
  CHECK(gatherRatio(machine("ndv4", {}, 16)) == Ratio(3, 65'000'000'000));
  CHECK(gatherRatio(machine("ndv4", {}, 32)) == Ratio(3, 25'000'000'000));
  // A ring in one direction.
  CHECK(unit("ring", 8,
             {"links.n1->n0=off", "links.n2->n1=off", "links.n3->n2=off", "links.n4->n3=off",
              "links.n5->n4=off", "links.n6->n5=off", "links.n7->n6=off", "links.n0->n7=off"}) ==
        Ratio(7, 1));
}

TEST_CASE("slow links in the middle of a mesh are the witness", "[bound][golden]") {
  std::vector<std::string> slow;
  for (uint32_t row = 0; row < 4; ++row)
    for (bool there : {true, false}) {
      uint32_t a = row * 4 + 1 + !there, b = row * 4 + 1 + there;
      slow.push_back("links.n" + std::to_string(a) + "->n" + std::to_string(b) + ".bandwidth=1e9");
    }
  Machine m = machine("mesh2d", slow, 16);
  std::vector<EndpointId> endpoints;
  for (uint32_t e = 0; e < 16; ++e)
    endpoints.push_back(EndpointId(e));
  FlowGraph graph = FlowGraph::create(m, endpoints);
  LinkBound bound =
      findLinkBound(graph, Collective(CollectiveKind::AllGather, 16, 1), &m, endpoints);
  CHECK(microseconds(bound.time(Bytes(64 << 20))) == Approx(8388.6).epsilon(1e-5));
  // The half of a dimension is compared without a search, too.
  CHECK(
      findLinkBound(graph, Collective(CollectiveKind::AllGather, 16, 1), &m, endpoints, {.cuts = 0})
          .cutTime(Bytes(64 << 20)) == bound.cutTime(Bytes(64 << 20)));
  std::vector<FlowArc> arcs = arcsOf(graph, bound.cut);
  REQUIRE(arcs.size() == 4);
  for (const FlowArc &arc : arcs)
    CHECK(arc.capacity == Bandwidth(1'000'000'000));
}

TEST_CASE("halves are compared where the budget allows no other cut", "[bound][cuts]") {
  auto half = [](const char *target, uint32_t ranks, CollectiveKind kind, uint32_t chunks) {
    Machine m = machine(target, {}, ranks);
    std::vector<EndpointId> endpoints;
    for (uint32_t e = 0; e < ranks; ++e)
      endpoints.push_back(EndpointId(e));
    return findLinkBound(FlowGraph::create(m, endpoints), Collective(kind, ranks, chunks), &m,
                         endpoints, {.cuts = 0, .trials = 0, .paths = 0})
        .cutTime(Bytes(64'000));
  };
  // A quarter of all data crosses the half of a ring in one direction, over two links of 100 GB/s,
  // and that of a torus of w columns over 2w.
  CHECK(half("ring", 64, CollectiveKind::AllToAll, 64) == SimTime(64'000 * 16 / 200 * 1000));
  CHECK(half("torus2d", 64, CollectiveKind::AllToAll, 64) == SimTime(64'000 * 16 / 1600 * 1000));
}

TEST_CASE("a time limit leaves bounds that are not larger", "[bound][cuts]") {
  const std::pair<const char *, uint32_t> machines[] = {{"mesh2d", 16}, {"ndv4", 16}, {"ahbm", 32}};
  for (auto [target, ranks] : machines)
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::AllToAll,
          CollectiveKind::Broadcast, CollectiveKind::Scatter}) {
      Machine m = machine(target, {}, ranks);
      BoundRequest request{m, {}, Collective(kind, ranks, 1), m.network};
      for (uint32_t e = 0; e < ranks; ++e)
        request.endpoints.push_back(EndpointId(e));
      const CollectiveBound whole(request);
      request.budget.deadline = Deadline::after({});
      const CollectiveBound partial(request);
      CHECK(partial.isPartial());
      CHECK_FALSE(whole.isPartial());
      const SizeBound most = whole.at(Bytes(1 << 20)), found = partial.at(Bytes(1 << 20));
      CHECK(found.throughput <= most.throughput);
      CHECK(found.memory <= most.memory);
      CHECK(found.time() <= most.time());
      CHECK(found.time() > SimTime());
    }
}

TEST_CASE("gather, scatter and pairs are bounded at the root's links", "[bound][golden]") {
  Machine m = machine("ring", {}, 8);
  Bytes size(8000);
  // 7/8 of the buffer over two links of 100 GB/s.
  CHECK(boundOf(m, CollectiveKind::Gather, Mapper::AllPes, 3).time(size) == SimTime(35'000));
  CHECK(boundOf(m, CollectiveKind::Scatter, Mapper::AllPes, 3).time(size) == SimTime(35'000));
  // Each rank sends one buffer over two links. A cut of four ranks sends one buffer over two links.
  CHECK(boundOf(m, CollectiveKind::SendRecv).cutTime(size) == SimTime(40'000));
  CHECK(boundOf(m, CollectiveKind::AllToNext).cutTime(size) == SimTime(40'000));
  // But a part that takes the longer way crosses seven links: at best that is 1/8 of the data.
  CHECK(boundOf(m, CollectiveKind::SendRecv).time(size).picoseconds() ==
        Approx(70e3).epsilon(1e-3));
  CHECK(boundOf(m, CollectiveKind::AllToNext).time(size).picoseconds() ==
        Approx(70e3).epsilon(1e-3));
  // Without links in one direction, all of a rank's data take the other one.
  Machine broken = machine("ring", {"links.n0->n7=off", "links.n7->n0=off"}, 8);
  CHECK(boundOf(broken, CollectiveKind::SendRecv).time(size) == SimTime(80'000));
}

TEST_CASE("scans are bounded by the sums that cross a cut", "[bound][golden]") {
  Bytes size(8000);
  for (CollectiveKind kind : {CollectiveKind::Scan, CollectiveKind::Exscan}) {
    // A line of links of 100 GB/s. Where the ranks are in order, one sum crosses each of them.
    Machine line = machine("ring", {"links.n0->n7=off", "links.n7->n0=off"}, 8);
    CHECK(boundOf(line, kind).cutTime(size) == SimTime(80'000));
    CHECK(boundOf(line, kind).time(size) == SimTime(80'000));
    // On the whole ring, the data of the first rank leave over two links.
    CHECK(boundOf(machine("ring", {}, 8), kind).cutTime(size) == SimTime(40'000));
    // In another order, each of the four ranks of one half is followed by one of the other half.
    std::vector<EndpointId> mixed;
    for (uint32_t endpoint : {0, 4, 1, 5, 2, 6, 3, 7})
      mixed.push_back(EndpointId(endpoint));
    LinkBound bound =
        findLinkBound(FlowGraph::create(line, mixed), Collective(kind, 8, 1), &line, mixed);
    CHECK(bound.cutTime(size) == SimTime(320'000));
    CHECK_FALSE(bound.isTight);
  }
}

TEST_CASE("one rank needs no links", "[bound]") {
  for (CollectiveKind kind :
       {CollectiveKind::AllGather, CollectiveKind::AllReduce, CollectiveKind::AllToAll,
        CollectiveKind::Gather, CollectiveKind::Scan, CollectiveKind::Exscan}) {
    Machine m = machine("ring", {}, 1);
    CHECK(boundOf(m, kind).time(Bytes(1 << 20)) == SimTime());
  }
}
