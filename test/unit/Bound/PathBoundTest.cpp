//===- PathBoundTest.cpp - Lengths of paths against a linear program ------===//
//
// On small random graphs the oracle enumerates all paths and solves the maximum concurrent flow as
// a linear program, by the simplex method. Its value is the largest bound of any lengths.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/LinkBound.h"

#include "Plans.h"

#include <random>

using namespace cclc;
using namespace cclc::test;

namespace {
/// Maximises the last variable subject to rows * x <= limits with limits >= 0 and x >= 0 (Dantzig's
/// simplex method with Bland's rule).
double maximised(std::vector<std::vector<double>> rows, std::vector<double> limits) {
  const size_t n = rows.front().size(), m = rows.size();
  std::vector<double> gain(n + m);
  gain[n - 1] = 1;
  std::vector<size_t> basis(m);
  for (size_t r = 0; r < m; ++r) {
    rows[r].resize(n + m);
    rows[r][n + r] = 1;
    basis[r] = n + r;
  }
  double value = 0;
  while (true) {
    size_t in = 0;
    while (in < n + m && gain[in] <= 1e-9)
      ++in;
    if (in == n + m)
      return value;
    std::optional<size_t> out;
    for (size_t r = 0; r < m; ++r)
      if (rows[r][in] > 1e-9) {
        double ratio = out ? limits[*out] / rows[*out][in] - limits[r] / rows[r][in] : 1;
        if (ratio > 1e-12 || (ratio > -1e-12 && out && basis[r] < basis[*out]))
          out = r;
      }
    REQUIRE(out);
    auto scale = [&](std::vector<double> &row, double by, const std::vector<double> &pivot) {
      for (size_t i = 0; i < row.size(); ++i)
        row[i] -= by * pivot[i];
    };
    double divisor = rows[*out][in];
    for (double &each : rows[*out])
      each /= divisor;
    limits[*out] /= divisor;
    for (size_t r = 0; r < m; ++r)
      if (r != *out && rows[r][in] != 0) {
        limits[r] -= rows[r][in] * limits[*out];
        scale(rows[r], rows[r][in], rows[*out]);
      }
    value += gain[in] * limits[*out];
    scale(gain, gain[in], rows[*out]);
    basis[*out] = in;
  }
}

/// All paths without a repeated node, as lists of arcs.
void addPaths(const FlowGraph &graph, uint32_t node, uint32_t to, std::vector<uint32_t> &path,
              uint32_t seen, std::vector<std::vector<uint32_t>> &all) {
  if (node == to) {
    all.push_back(path);
    return;
  }
  for (uint32_t a = 0; a < graph.arcs().size(); ++a) {
    const FlowArc &arc = graph.arcs()[a];
    if (arc.from != node || (seen >> arc.to & 1))
      continue;
    path.push_back(a);
    addPaths(graph, arc.to, to, path, seen | 1u << arc.to, all);
    path.pop_back();
  }
}

/// The largest part of all demands that the arcs carry in a second; 0 if a demand has no path.
double concurrentFlow(const FlowGraph &graph, ArrayRef<PathDemand> demands) {
  std::vector<std::vector<uint32_t>> all;
  std::vector<size_t> demandOf;
  for (size_t d = 0; d < demands.size(); ++d) {
    std::vector<uint32_t> path;
    addPaths(graph, demands[d].from, demands[d].to.front(), path, 1u << demands[d].from, all);
    if (all.size() == demandOf.size())
      return 0;
    demandOf.resize(all.size(), d);
  }
  size_t n = all.size() + 1;
  std::vector<std::vector<double>> rows;
  std::vector<double> limits;
  for (size_t d = 0; d < demands.size(); ++d) {
    rows.emplace_back(n)[n - 1] = double(demands[d].parts);
    limits.push_back(0);
    for (size_t p = 0; p < all.size(); ++p)
      rows.back()[p] = demandOf[p] == d ? -1 : 0;
  }
  for (uint32_t a = 0; a < graph.arcs().size(); ++a) {
    rows.emplace_back(n);
    limits.push_back(double(graph.arcs()[a].capacity.bytesPerSecond()));
    for (size_t p = 0; p < all.size(); ++p)
      rows.back()[p] = llvm::is_contained(all[p], a) ? 1 : 0;
  }
  return maximised(std::move(rows), std::move(limits));
}

struct Problem {
  FlowGraph graph;
  std::vector<PathDemand> demands;
};

Problem randomProblem(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](uint32_t n) { return uint32_t(random() % n); };
  uint32_t nodes = 3 + below(3), ranks = 2 + below(nodes - 1);
  std::vector<FlowArc> arcs;
  for (uint32_t from = 0; from < nodes; ++from)
    for (uint32_t to = 0; to < nodes; ++to)
      if (from != to && below(100) < 60)
        arcs.push_back({from, to, Bandwidth(1 + below(9)), {}});
  std::vector<PathDemand> demands;
  bool all = below(2);
  for (uint32_t from = 0; from < ranks; ++from)
    for (uint32_t to = 0; to < ranks; ++to)
      if (from != to && (all || below(2)))
        demands.push_back({from, all ? 1 : 1 + below(3), {to}});
  return {FlowGraph::of(nodes, ranks, arcs), std::move(demands)};
}

/// The bound of the lengths by shortest paths between all nodes (Floyd and Warshall).
double checkedBound(const FlowGraph &graph, ArrayRef<PathDemand> demands, const PathBound &bound) {
  constexpr uint64_t far = uint64_t(1) << 40;
  uint32_t n = graph.numNodes();
  std::vector<std::vector<uint64_t>> distance(n, std::vector<uint64_t>(n, far));
  double offered = 0, needed = 0;
  for (uint32_t node = 0; node < n; ++node)
    distance[node][node] = 0;
  for (size_t a = 0; a < bound.lengths.size(); ++a) {
    const FlowArc &arc = graph.arcs()[a];
    distance[arc.from][arc.to] = bound.lengths[a];
    offered += double(arc.capacity.bytesPerSecond() * bound.lengths[a]);
  }
  for (uint32_t via = 0; via < n; ++via)
    for (uint32_t a = 0; a < n; ++a)
      for (uint32_t b = 0; b < n; ++b)
        distance[a][b] = std::min(distance[a][b], distance[a][via] + distance[via][b]);
  for (const PathDemand &demand : demands)
    needed += double(demand.parts * distance[demand.from][demand.to.front()]);
  CHECK(double(bound.needed) == needed);
  CHECK(double(bound.offered) == offered);
  return needed / offered;
}
} // namespace

TEST_CASE("the bound of paths is that of the linear program", "[bound][paths]") {
  uint32_t bounded = 0, close = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Problem problem = randomProblem(seed);
    PathBound bound = findPathBound(problem.graph, problem.demands, uint64_t(1) << 26);
    double flow = problem.demands.empty() ? 0 : concurrentFlow(problem.graph, problem.demands);
    CHECK(bound.lengths.empty() == (flow == 0));
    if (flow == 0)
      continue;
    ++bounded;
    double time = checkedBound(problem.graph, problem.demands, bound);
    CHECK(time <= 1 / flow * (1 + 1e-9));
    CHECK(time >= 1 / flow * 0.95);
    close += time >= 1 / flow * 0.99;
    REQUIRE(bound.gap);
    CHECK(time * *bound.gap >= 1 / flow * (1 - 1e-9));
  }
  CHECK(bounded > 100);
  CHECK(close >= bounded * 0.98);
}

TEST_CASE("a chunk for several ranks moves to the farthest one", "[bound][paths]") {
  // A line 0 -> 1 -> 2.
  FlowGraph line =
      FlowGraph::of(3, 3, {FlowArc{0, 1, Bandwidth(4), {}}, FlowArc{1, 2, Bandwidth(1), {}}});
  PathBound one = boundOfLengths(line, {PathDemand{0, 3, {1, 2}}}, {1, 1});
  CHECK(one.needed == 6);
  CHECK(one.offered == 5);
  CHECK(one.time(Bytes(10), 5) == SimTime(2'400'000'000'000));
  PathBound best = findPathBound(line, {PathDemand{0, 3, {1, 2}}}, uint64_t(1) << 20);
  CHECK(best.time(Bytes(5), 5) == SimTime(3'000'000'000'000));
  CHECK(!best.gap);
}

TEST_CASE("there is no bound of paths without links of limited rate", "[bound][paths]") {
  FlowGraph free = FlowGraph::of(2, 2, {FlowArc{0, 1, {}, {}}, FlowArc{1, 0, {}, {}}});
  CHECK(findPathBound(free, {PathDemand{0, 1, {1}}}, uint64_t(1) << 20).lengths.empty());
  CHECK(findPathBound(free, {}, uint64_t(1) << 20).time(Bytes(1), 1) == SimTime());
  // Too little work.
  FlowGraph both =
      FlowGraph::of(2, 2, {FlowArc{0, 1, Bandwidth(1), {}}, FlowArc{1, 0, Bandwidth(1), {}}});
  CHECK(findPathBound(both, {PathDemand{0, 1, {1}}}, 1).lengths.empty());
}

TEST_CASE("paths around a broken link take longer than any cut", "[bound][paths]") {
  auto boundOf = [](const Machine &m, CollectiveKind kind) {
    std::vector<EndpointId> endpoints;
    for (uint32_t e = 0; e < 16; ++e)
      endpoints.push_back(EndpointId(e));
    FlowGraph graph = FlowGraph::create(m, endpoints);
    return findLinkBound(graph, Collective(kind, 16, 1), &m, endpoints);
  };
  // Without n0 -> n1, the seven links of their row of columns 0 and 2 to columns 1 and 3 carry
  // 8 * 8 parts of the 16 of a buffer.
  LinkBound bound = boundOf(machine("torus2d", {"links.n0->n1=off"}, 16), CollectiveKind::AllToAll);
  CHECK(bound.isByPaths());
  CHECK(bound.pathTime(Bytes(7'000'000)).picoseconds() == Approx(40e6).epsilon(1e-3));
  REQUIRE(bound.paths.gap);
  CHECK(*bound.paths.gap < 1.005);
  LinkBound whole = boundOf(machine("torus2d", {}, 16), CollectiveKind::AllToAll);
  CHECK(!whole.isByPaths());
  CHECK(whole.time(Bytes(8'000'000)) == SimTime(40'000'000));
  CHECK(*whole.paths.gap < 1.005);
}
