//===- VolumeBound.cpp - All messages of a collective together ------------===//
//
// Sums the rates of the links of all ranks, and for each level of the machine the smallest cuts
// around its members, out of them and into them. The smaller sum is that of the bound.
//
//===----------------------------------------------------------------------===//

#include "cclc/Bound/VolumeBound.h"

#include "cclc/Bound/RatioCut.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

SimTime VolumeBound::time(Bytes buffer) const {
  return SimTime::clamped(Wide(buffer.count()) * buffers * 1'000'000'000'000 /
                          rate.bytesPerSecond());
}

std::string VolumeBound::text() const {
  std::string members = level.empty()
                            ? std::string("all ranks")
                            : formatv("the {0} members of level {1}", groups, level).str();
  return formatv("the links {0} {1}, which {2} buffers in total have to {3}",
                 enters ? "into" : "out of", members, buffers, enters ? "enter" : "leave");
}

bool VolumeBound::isTighterThan(const VolumeBound &other) const {
  return Wide(buffers) * other.rate.bytesPerSecond() > Wide(other.buffers) * rate.bytesPerSecond();
}

namespace {
/// The sum of the rates of links; without a limit if one of them has none.
struct TotalRate {
  Wide rate = 0;
  bool isUnlimited = false;

  /// Unset: there is no path, which the cuts report.
  void add(std::optional<Bandwidth> more) {
    isUnlimited |= !more || more->isUnlimited();
    rate += isUnlimited ? 0 : more->bytesPerSecond();
  }
  bool limits() const { return !isUnlimited && rate > 0 && !(rate >> 63); }
};

/// The links out of all groups, and those into them.
struct Rates {
  TotalRate out, in;

  std::optional<VolumeBound> bound(unsigned phases, uint64_t groups, std::string level) const {
    if (groups < 2 || (!out.limits() && !in.limits()))
      return std::nullopt;
    bool enters = in.limits() && (!out.limits() || in.rate < out.rate);
    return VolumeBound{phases * (groups - 1), Bandwidth(uint64_t(enters ? in.rate : out.rate)),
                       enters, groups, std::move(level)};
  }
};

Rates ratesOfRanks(const FlowGraph &graph) {
  Rates rates;
  for (const FlowArc &arc : graph.arcs()) {
    if (graph.isRank(arc.from))
      rates.out.add(arc.capacity);
    if (graph.isRank(arc.to))
      rates.in.add(arc.capacity);
  }
  return rates;
}
} // namespace

std::optional<VolumeBound> cclc::findVolumeBound(const FlowGraph &graph, unsigned phases,
                                                 const Machine *machine,
                                                 ArrayRef<EndpointId> endpoints, uint64_t &trials) {
  std::optional<VolumeBound> tightest =
      ratesOfRanks(graph).bound(phases, graph.numRanks(), /*level=*/"");
  if (!machine)
    return tightest;
  uint64_t below = machine->numEndpoints();
  for (const GridLevel &level : machine->geometry().levels) {
    below /= level.size();
    std::map<uint64_t, std::vector<uint32_t>> groups;
    for (uint32_t rank = 0; rank < graph.numRanks(); ++rank)
      groups[endpoints[rank].index() / below].push_back(rank);
    const uint64_t cost = groups.size() * 128 * graph.arcs().size();
    if (groups.size() < 2 || groups.size() == graph.numRanks() || trials < cost)
      continue;
    trials -= cost;
    Rates rates;
    for (const auto &[number, members] : groups) {
      std::vector<std::optional<bool>> sides(graph.numRanks(), false);
      for (uint32_t rank : members)
        sides[rank] = true;
      rates.out.add(findMinCut(graph, sides).capacity);
      for (std::optional<bool> &side : sides)
        side = !*side;
      rates.in.add(findMinCut(graph, sides).capacity);
    }
    std::optional<VolumeBound> bound = rates.bound(phases, groups.size(), level.name);
    if (bound && (!tightest || bound->isTighterThan(*tightest)))
      tightest = std::move(bound);
  }
  return tightest;
}
