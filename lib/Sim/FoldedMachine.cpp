//===- FoldedMachine.cpp - Links of few ranks -----------------------------===//
//
// The graph of the machine is replaced by a path for each connection. Where a route of the machine
// of all ranks has a link, the path has one with the same bandwidth and latency.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/FoldedPlan.h"
#include "cclc/Target/MachineBuilder.h"

#include <map>

using namespace cclc;

namespace {
/// A path for each connection.
class PathRouting final : public Routing {
public:
  void add(RankId src, RankId dst, ChannelId channel, Path path) {
    paths[{src, dst}].emplace(channel, std::move(path));
  }
  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    if (auto found = paths.find(ends(src, dst)); found != paths.end())
      links.append(found->second.begin()->second);
  }
  void routeOnChannel(const Machine &, EndpointId src, EndpointId dst, ChannelId channel,
                      SmallVectorImpl<LinkId> &links) const override {
    links.append(paths.at(ends(src, dst)).at(channel));
  }

private:
  static std::pair<RankId, RankId> ends(EndpointId src, EndpointId dst) {
    return {RankId(src.index()), RankId(dst.index())};
  }
  std::map<std::pair<RankId, RankId>, std::map<ChannelId, Path>> paths;
};
} // namespace

Machine cclc::foldedMachine(const RolledPlan &plan, const FoldedRanks &ranks,
                            const FoldedRoutes &routes, Machine &&whole) {
  MachineBuilder builder{std::move(whole), {}};
  builder.clearGraph();
  std::vector<NodeId> nodes;
  for (uint32_t r = 0; r < ranks.ranks(); ++r) {
    nodes.push_back(builder.addNode("n" + std::to_string(r), SimTime()));
    builder.addEndpoint(nodes.back());
  }
  auto routing = std::make_unique<PathRouting>();
  for (uint32_t r = 0; r < ranks.ranks(); ++r) {
    auto route = routes.begin();
    for (const RolledPlan::Threadblock &tb : plan.threadblocks) {
      if (!tb.send)
        continue;
      RankId to = ranks.at(RankId(r), *tb.send);
      Path path;
      NodeId at = nodes[r];
      for (auto [bandwidth, latency] : *route) {
        NodeId next = path.size() + 1 == route->size() ? nodes[to.index()]
                                                       : builder.addNode("between", SimTime());
        path.push_back(builder.addLink(at, next, bandwidth, latency));
        at = next;
      }
      routing->add(RankId(r), to, tb.channel, std::move(path));
      ++route;
    }
  }
  builder.setGeometry({{{"rank", GridKind::Flat, ranks.ranks(), 1}}});
  builder.setRouting(RoutingRule::DimensionOrder, std::move(routing));
  return std::move(builder).finish();
}
