//===- EqualRoutes.cpp - Several equally short routes ---------------------===//
//
// The text of the warning that all tools give. The rule `shortest` knows the second route of a pair
// (Routing::equalRoute); other rules select one by themselves or use all.
//
//===----------------------------------------------------------------------===//

#include "cclc/Target/EqualRoutes.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

using namespace cclc;
using llvm::formatv;

/// The routes from one rank take a search in all links. This is the number of links over which all
/// searches of a comparison go, a fraction of a second.
static constexpr size_t mostLinks = size_t(1) << 22;

/// "a -> s0 -> b".
static std::string routeText(const Machine &machine, ArrayRef<LinkId> route) {
  std::string text = machine.nodes()[machine.link(route.front()).from.index()].name;
  for (LinkId link : route)
    text += " -> " + machine.linkEndName(link);
  return text;
}

/// \p which describes the pairs: "pairs of ranks that communicate".
static std::optional<std::string> describe(const Machine &machine, ArrayRef<EndpointId> endpoints,
                                           const RankPairs &pairs, const std::string &which) {
  if (machine.statesRouting)
    return std::nullopt;
  size_t ambiguous = 0;
  std::string examples;
  SmallVector<LinkId, 64> route, other;
  for (auto [src, dst] : pairs) {
    other.clear();
    machine.equalRoute(endpoints[src], endpoints[dst], other);
    if (other.empty() || ++ambiguous > 2)
      continue;
    route.clear();
    machine.route(endpoints[src], endpoints[dst], route);
    examples += formatv("{0}r{1} to r{2} takes {3}, not {4}", ambiguous == 1 ? "" : "; ", src, dst,
                        routeText(machine, route), routeText(machine, other));
  }
  if (!ambiguous)
    return std::nullopt;
  return formatv("target {0}: {1} of the {2} {3} {4} several equally short routes, of which all "
                 "messages take one: {5}; --set routing=ecmp uses all of them, and "
                 "routing=shortest accepts one",
                 machine.name, ambiguous, pairs.size(), which, ambiguous == 1 ? "has" : "have",
                 examples)
      .str();
}

std::optional<std::string> cclc::equalRoutesText(const Machine &machine,
                                                 ArrayRef<EndpointId> endpoints,
                                                 const RankPairs &pairs) {
  return describe(machine, endpoints, pairs, "pairs of ranks that communicate");
}

std::optional<std::string> cclc::equalRoutesText(const Machine &machine,
                                                 ArrayRef<EndpointId> endpoints,
                                                 const ExecPlan &plan) {
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  for (const Threadblock &tb : plan.threadblocks()) {
    Peers peers = plan.sendPeers(tb);
    for (size_t i = 0; i < peers.size(); ++i)
      pairs.emplace(tb.rank.index(), peers[i].index());
  }
  return equalRoutesText(machine, endpoints, RankPairs(pairs.begin(), pairs.end()));
}

void cclc::warnOfEqualRoutes(const Machine &machine, ArrayRef<EndpointId> endpoints,
                             DiagnosticEngine &diags) {
  size_t ranks = endpoints.size();
  size_t sources = std::max<size_t>(1, mostLinks / std::max<size_t>(1, machine.links().size()));
  RankPairs pairs;
  for (uint32_t src = 0; src < std::min(sources, ranks); ++src)
    for (uint32_t dst = 0; dst < ranks; ++dst)
      if (src != dst)
        pairs.emplace_back(src, dst);
  std::string which = "pairs of ranks";
  if (sources < ranks)
    which += formatv(" that begin at the first {0}", counted(sources, "rank"));
  if (std::optional<std::string> text = describe(machine, endpoints, pairs, which))
    diags.warning({}, *text);
}
