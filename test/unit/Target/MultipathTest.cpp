//===- MultipathTest.cpp - Rules that choose among equal paths ------------===//
//
// The oracle enumerates all shortest paths by depth-first search.
//
//===----------------------------------------------------------------------===//

#include "../../support/Lines.h"

#include "Plans.h"

#include <map>
#include <random>
#include <set>

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr const char *tree = R"({"name": "tree", "family": "graph", "shape": "fat_tree",
  "link": {"bandwidth": 1e9, "propagation": 1e-7}, "tiers": [
    {"down": 2, "up": 2}, {"down": 2, "up": 3}, {"down": 4}]})";

Machine load(const std::string &text, std::vector<std::string> overrides,
             std::optional<uint32_t> ranks = {}) {
  TemporaryFile file(text);
  return machine(file.name(), std::move(overrides), ranks);
}

using Links = std::vector<uint32_t>;

/// All paths of least latency, where each link counts one picosecond more. \p upDown: only those
/// that do not go up after they have gone down.
class AllPaths {
public:
  AllPaths(const Machine &m, uint32_t src, uint32_t dst, bool upDown)
      : m(m), end(m.endpointNode(EndpointId(dst))), upDown(upDown) {
    follow(m.endpointNode(EndpointId(src)), 0, false);
  }
  std::set<Links> shortest;

private:
  void follow(NodeId at, int64_t length, bool down) {
    if (length > least || path.size() > 8)
      return;
    if (at == end) {
      if (length < least)
        shortest.clear();
      least = length;
      shortest.insert(path);
      return;
    }
    for (uint32_t l = 0; l < m.links().size(); ++l) {
      const Link &link = m.links()[l];
      bool up = m.nodes()[link.from.index()].tier < m.nodes()[link.to.index()].tier;
      if (link.from != at || !link.present || (upDown && down && up))
        continue;
      path.push_back(l);
      follow(link.to, length + m.latency(link).picoseconds() + 1, down || !up);
      path.pop_back();
    }
  }
  const Machine &m;
  NodeId end;
  bool upDown;
  int64_t least = int64_t(1) << 60;
  Links path;
};

Links numbers(ArrayRef<LinkId> links) {
  Links result;
  for (LinkId link : links)
    result.push_back(link.index());
  return result;
}

Links routeOf(const Machine &m, uint32_t src, uint32_t dst, uint32_t channel = 0) {
  SmallVector<LinkId, 64> links;
  m.routes().routeOnChannel(m, EndpointId(src), EndpointId(dst), ChannelId(channel), links);
  return numbers(links);
}
} // namespace

TEST_CASE("every rule selects shortest paths", "[multipath][rule-43]") {
  for (const char *rule : {"shortest", "up-down", "ecmp", "spray", "adaptive"})
    for (std::vector<std::string> failures :
         {std::vector<std::string>{},
          {"links.tier0.0<->tier1.0=off", "links.tier1.3->tier2.1=off"}}) {
      failures.push_back(std::string("routing=") + rule);
      Machine m = load(tree, failures, 16);
      bool upDown = m.routingRule() == RoutingRule::UpDown;
      for (uint32_t src = 0; src < 16; src += 3)
        for (uint32_t dst : {0, 1, 2, 5, 11, 15}) {
          if (src == dst)
            continue;
          std::set<Links> all = AllPaths(m, src, dst, upDown).shortest;
          CHECK(all.count(routeOf(m, src, dst)));
          CHECK(all.count(routeOf(m, src, dst, 3)));
          auto several = m.routes().alternatives(m, EndpointId(src), EndpointId(dst), ChannelId(1));
          std::set<Links> distinct;
          for (const Path &path : several)
            distinct.insert(numbers(path));
          CHECK(distinct.size() == several.size());
          bool chooses = m.routingRule() >= RoutingRule::Spray && all.size() > 1;
          CHECK(distinct == (chooses ? all : std::set<Links>{}));
        }
    }
}

TEST_CASE("spray uses 16 of a larger number of paths, evenly distributed", "[multipath]") {
  Machine m = load(R"({"name": "wide", "family": "graph", "shape": "fat_tree", "routing": "spray",
    "tiers": [{"down": 1, "up": 40}, {"down": 2}]})",
                   {}, 2);
  auto paths = m.routes().alternatives(m, EndpointId(0), EndpointId(1), ChannelId(0));
  REQUIRE(paths.size() == 16);
  std::vector<uint32_t> spines;
  for (const Path &path : paths)
    spines.push_back(m.link(path[1]).to.index());
  // Successive messages do not use neighbouring spines.
  for (size_t i = 1; i < spines.size(); ++i)
    CHECK(std::max(spines[i], spines[i - 1]) - std::min(spines[i], spines[i - 1]) > 2);
  std::sort(spines.begin(), spines.end());
  for (size_t i = 1; i < spines.size(); ++i)
    CHECK((spines[i] - spines[i - 1] == 2 || spines[i] - spines[i - 1] == 3));
}

TEST_CASE("ecmp uses all paths, by source, destination, channel and seed", "[multipath][rule-44]") {
  std::map<uint32_t, size_t> uses; // by the second link
  for (uint32_t seed = 0; seed < 50; ++seed) {
    Machine m = load(tree, {"routing=ecmp", "routing_seed=" + std::to_string(seed)}, 16);
    for (uint32_t channel = 0; channel < 20; ++channel)
      ++uses[routeOf(m, 0, 15, channel)[1]];
  }
  REQUIRE(uses.size() == 2);
  for (auto [link, times] : uses) // 500 expected, with a standard deviation of 16
    CHECK((times > 420 && times < 580));
  Machine m = load(tree, {"routing=ecmp"}, 16);
  CHECK(routeOf(m, 0, 15, 1) == routeOf(load(tree, {"routing=ecmp"}, 16), 0, 15, 1));
  std::set<Links> bySource;
  for (uint32_t src = 0; src < 4; ++src)
    for (uint32_t channel = 0; channel < 4; ++channel) {
      Links route = routeOf(m, src, 15, channel);
      bySource.insert({route.end() - 3, route.end()});
    }
  CHECK(bySource.size() > 1);
}

TEST_CASE("up-down spreads destinations over the spines", "[multipath][rule-44]") {
  // Every permutation by a shift is free of contention (Zahavi): no link is used twice.
  Machine m = load(R"({"name": "tree", "family": "graph", "shape": "fat_tree", "tiers": [
    {"down": 4}, {"down": 4}, {"down": 4}]})",
                   {}, 64);
  for (uint32_t shift = 1; shift < 64; ++shift) {
    std::map<uint32_t, size_t> uses;
    for (uint32_t src = 0; src < 64; ++src)
      for (uint32_t link : routeOf(m, src, (src + shift) % 64))
        ++uses[link];
    size_t most = 0;
    for (auto [link, times] : uses)
      most = std::max(most, times);
    INFO("shift " << shift);
    CHECK(most == 1);
  }
}

TEST_CASE("a rule must fit the machine", "[multipath]") {
  auto errorOf = [](const std::string &name, const std::string &rule) {
    DiagnosticEngine diags;
    CHECK(failed(loadTarget(targetRequest(name, {"routing=" + rule}), diags)));
    return textOf(diags);
  };
  CHECK(errorOf("dgx1", "dimension-order") ==
        "dgx1: error: 'routing' cannot be dimension-order, because the machine is not a grid\n");
  CHECK(errorOf("torus2d", "up-down") == "torus2d: error: 'routing' cannot be "
                                         "up-down, because node 'n0' has no tier\n");
  CHECK(errorOf("ring", "random")
            .find("must be one of dimension-order, shortest, up-down, ecmp, "
                  "spray, adaptive; found 'random'") != std::string::npos);
}
