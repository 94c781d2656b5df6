//===- PathBound.cpp - Multiplicative weights of arcs ---------------------===//
//
// All demands are sent along shortest paths again and again. An arc becomes longer by a factor that
// grows with its load, so that later paths avoid it (Garg and Koenemann, Faster and simpler
// algorithms for multicommodity flow and other fractional packing problems, SIAM J. Comput. 37(2),
// 2007; the paths from one rank together, as Fleischer, SIAM J. Discrete Math. 13(4), 2000). The
// lengths converge to the largest bound, and the average load of the arcs to the best fractional
// paths; the search ends when the two are close. Lengths are then rounded to integers in several
// ways, and their bounds are computed exactly. The search uses only additions, multiplications and
// divisions, whose results do not depend on the compiler.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/PathBound.h"

#include "cclc/Support/ShortestPaths.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace cclc;

namespace {
using LargeInteger = boost::multiprecision::int256_t;

/// Of the destinations of \p demand, the farthest.
template <class Length>
uint32_t farthest(const ShortestPaths<Length> &paths, const PathDemand &demand) {
  auto isNearer = [&](uint32_t a, uint32_t b) { return paths.distance(a) < paths.distance(b); };
  return *std::max_element(demand.to.begin(), demand.to.end(), isNearer);
}

/// The demands in groups of equal senders.
std::vector<ArrayRef<PathDemand>> bySender(ArrayRef<PathDemand> demands) {
  std::vector<ArrayRef<PathDemand>> groups;
  for (size_t begin = 0, end = 0; begin < demands.size(); begin = end) {
    while (end < demands.size() && demands[end].from == demands[begin].from)
      ++end;
    groups.push_back(demands.slice(begin, end - begin));
  }
  return groups;
}

class LengthSearch {
public:
  LengthSearch(const FlowGraph &graph, ArrayRef<PathDemand> demands, uint64_t budget)
      : graph(graph), demands(demands), groups(bySender(demands)),
        paths(graph.numNodes(), graph.arcs()), lengths(graph.arcs().size()), sums(lengths.size()),
        total(lengths.size()), carried(graph.numNodes()) {
    for (size_t a = 0; a < lengths.size(); ++a)
      lengths[a] = isUnlimited(a) ? 0 : 1 / rate(a);
    uint64_t round = groups.size() * (8 * graph.arcs().size() + size_t(16) * graph.numNodes());
    rounds = std::min<uint64_t>(budget / std::max<uint64_t>(round, 1), mostRounds);
  }

  PathBound run() {
    if (rounds == 0)
      return {};
    consider(lengths);
    if (best.lengths.empty())
      return {};
    bool hasSums = false;
    for (uint64_t round = 1; round <= rounds; ++round) {
      growth = firstGrowth / (1 + double(round) / halfAfter);
      if (!sendAll())
        return {};
      normalise();
      if (round == next || round == rounds) {
        consider(lengths);
        if (hasSums)
          consider(sums);
        // The average of all lengths forgets the first ones.
        std::fill(sums.begin(), sums.end(), 0.0);
        hasSums = false;
        if (isClose(round - since))
          break;
        // So does the average of all loads.
        std::fill(total.begin(), total.end(), 0.0);
        since = round;
        next = round + std::max<uint64_t>(round / 2, 1);
      }
      for (size_t a = 0; a < sums.size(); ++a)
        sums[a] += lengths[a];
      hasSums = true;
    }
    return std::move(best);
  }

private:
  static constexpr uint64_t mostRounds = 4096;
  /// By how much the most loaded arc becomes longer in round 0; less in later ones.
  static constexpr double firstGrowth = 0.5;
  /// The part of the average share that the shortest arcs offer.
  static constexpr double shortestPart = 1e-3;
  static constexpr double halfAfter = 64;
  /// The bound is not searched further if the paths take this much longer at most.
  static constexpr double close = 1.0005;

  bool isUnlimited(size_t arc) const { return graph.arcs()[arc].capacity.isUnlimited(); }
  double rate(size_t arc) const { return double(graph.arcs()[arc].capacity.bytesPerSecond()); }
  double bound() const { return double(best.needed) / double(best.offered); }

  /// Sends every demand once. False if some rank is not reached.
  bool sendAll() {
    for (ArrayRef<PathDemand> group : groups) {
      paths.from(group.front().from, lengths);
      std::fill(carried.begin(), carried.end(), 0.0);
      for (const PathDemand &demand : group) {
        uint32_t to = farthest(paths, demand);
        if (!paths.reaches(to))
          return false;
        carried[to] += double(demand.parts);
      }
      ArrayRef<uint32_t> order = paths.byDistance();
      for (size_t i = order.size(); i-- > 1;) {
        uint32_t node = order[i], arc = *paths.entry(node);
        if (carried[node] == 0)
          continue;
        carried[graph.arcs()[arc].from] += carried[node];
        total[arc] += carried[node];
        if (isUnlimited(arc))
          continue;
        lengths[arc] *= 1 + growth * carried[node] / rate(arc) / bound();
      }
    }
    return true;
  }

  /// Scales the lengths so that all arcs together offer 1. No arc is so short that it cannot become
  /// long again.
  void normalise() {
    double sum = 0;
    for (size_t a = 0; a < lengths.size(); ++a)
      sum += isUnlimited(a) ? 0 : rate(a) * lengths[a];
    for (size_t a = 0; a < lengths.size(); ++a)
      if (!isUnlimited(a))
        lengths[a] = std::max(lengths[a] / sum, shortestPart / rate(a) / double(lengths.size()));
  }

  /// Whether the average of the paths of the last \p count rounds is close to the bound.
  bool isClose(uint64_t count) {
    double highest = 0;
    for (size_t a = 0; a < total.size(); ++a)
      if (!isUnlimited(a))
        highest = std::max(highest, total[a] / double(count) / rate(a));
    shortest = std::min(shortest, highest);
    // Paths to one of several destinations are not enough.
    if (std::any_of(demands.begin(), demands.end(),
                    [](const PathDemand &demand) { return demand.to.size() > 1; }))
      return false;
    best.gap = std::max(shortest / bound(), 1.0);
    return *best.gap <= close;
  }

  /// Keeps \p candidate, rounded to integers, if its bound is larger.
  void consider(ArrayRef<double> candidate) {
    double longest = *std::max_element(candidate.begin(), candidate.end());
    if (!(longest > 0))
      return;
    for (double steps : {4.0, 12.0, 1024.0, double(1 << 20)}) {
      std::vector<uint64_t> rounded;
      rounded.reserve(candidate.size());
      for (double length : candidate)
        rounded.push_back(std::llround(length / longest * steps));
      uint64_t divisor = 0;
      for (uint64_t length : rounded)
        divisor = std::gcd(divisor, length);
      for (uint64_t &length : rounded)
        length /= divisor;
      PathBound found = boundOfLengths(graph, demands, std::move(rounded));
      if (found.offered > 0 &&
          (best.lengths.empty() ||
           LargeInteger(found.needed) * best.offered > LargeInteger(best.needed) * found.offered))
        best = std::move(found);
    }
  }

  const FlowGraph &graph;
  ArrayRef<PathDemand> demands;
  std::vector<ArrayRef<PathDemand>> groups;
  ShortestPaths<double> paths;
  std::vector<double> lengths, sums, total, carried;
  double shortest = std::numeric_limits<double>::infinity(); ///< the time of the best paths
  uint64_t rounds = 0, next = 1, since = 0;
  double growth = 0;
  PathBound best;
};
} // namespace

SimTime PathBound::time(Bytes buffer, uint64_t parts) const {
  if (lengths.empty() || offered == 0)
    return SimTime();
  LargeInteger time =
      LargeInteger(needed) * buffer.count() * 1'000'000'000'000 / (LargeInteger(offered) * parts);
  if (time >= SimTime::max().picoseconds())
    return SimTime::max();
  return SimTime(static_cast<int64_t>(time));
}

PathBound cclc::boundOfLengths(const FlowGraph &graph, ArrayRef<PathDemand> demands,
                               std::vector<uint64_t> lengths) {
  PathBound bound;
  ShortestPaths<uint64_t> paths(graph.numNodes(), graph.arcs());
  for (ArrayRef<PathDemand> group : bySender(demands)) {
    paths.from(group.front().from, lengths);
    for (const PathDemand &demand : group) {
      for (uint32_t to : demand.to)
        if (!paths.reaches(to))
          return {};
      bound.needed += Wide(paths.distance(farthest(paths, demand))) * demand.parts;
    }
  }
  for (size_t a = 0; a < lengths.size(); ++a)
    bound.offered += Wide(graph.arcs()[a].capacity.bytesPerSecond()) * lengths[a];
  bound.lengths = std::move(lengths);
  return bound;
}

PathBound cclc::findPathBound(const FlowGraph &graph, ArrayRef<PathDemand> demands,
                              uint64_t budget) {
  if (demands.empty() || graph.arcs().empty())
    return {};
  return LengthSearch(graph, demands, budget).run();
}
