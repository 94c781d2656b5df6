//===- FatTree.cpp - Tiers of switches ------------------------------------===//
//
// Parallel-ports generalized fat trees (Zahavi, "D-Mod-K routing providing non-blocking traffic for
// shift permutations on real life fat trees", CCIT report 776, 2010; without parallel links: Öhring
// et al., "On generalized fat trees", IPPS 1995). A switch of tier i has `down` children and `up`
// parents, with `links` links to each parent. Switch r of subtree s in tier i has the parents
// r + j * (switches of a subtree in tier i), j < up, in the subtree of tier i + 1 that contains s.
//
// Only subtrees with ports are built.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;

namespace {
struct Tier {
  std::string name;
  uint32_t down = 1;  ///< children of a switch
  uint32_t up = 1;    ///< parents of a switch, except in the highest tier
  uint32_t links = 1; ///< links to each parent
  LinkValues link;    ///< of the links downwards
  SimTime overhead;
  std::optional<double> oversubscription;
};

/// Reads the keys of a tier that do not depend on others.
Tier readTier(JsonObject &object, size_t number, bool highest, LinkValues link) {
  Tier tier;
  tier.name = formatv("tier{0}", number);
  tier.link = link;
  object.text("name", tier.name);
  object.rate("bandwidth", tier.link.rate);
  object.time("propagation", tier.link.propagation);
  object.time("overhead", tier.overhead);
  if (!highest) {
    if (object.isGiven("oversubscription")) {
      object.real("oversubscription", tier.oversubscription.emplace(1));
      if (*tier.oversubscription < 0.001)
        object.error("oversubscription", "takes a number from 0.001");
    }
    object.number("links", tier.links, 1, 1 << 10);
    object.number("up", tier.up, 1, maxEndpoints);
  }
  if (object.isGiven("radix")) {
    uint32_t radix = 2;
    object.number("radix", radix, 2, maxEndpoints);
    double ratio = tier.oversubscription.value_or(1);
    tier.down = highest ? radix : std::max(1L, std::lround(radix * ratio / (1 + ratio)));
  } else {
    object.requireNumber("down", tier.down, 1, maxEndpoints);
  }
  return tier;
}

/// Derives the number of parents from the ratio of the rates downwards and upwards.
void deriveParents(JsonObject &object, Tier &tier, const Tier &above, uint32_t linksBelow) {
  if (object.has("up")) {
    if (tier.oversubscription)
      object.error("oversubscription", "and 'up' exclude each other");
    return;
  }
  auto rate = [](const Tier &of) {
    return of.link.rate.isUnlimited() ? 1.0 : double(of.link.rate.bytesPerSecond());
  };
  double down = double(tier.down) * linksBelow * rate(tier);
  double parents = down / (tier.oversubscription.value_or(1) * tier.links * rate(above));
  if (std::abs(parents - std::round(parents)) > 1e-6 || parents < 0.5)
    return object.error(
        "oversubscription",
        formatv("results in {0:f2} parents of a switch, which is not a whole number; "
                "state 'up' instead",
                parents));
  tier.up = uint32_t(std::lround(parents));
  // Of the two keys, a resolved target has one, too.
  if (tier.oversubscription)
    object.resolve("up", nullptr);
  else
    object.resolve("up", tier.up);
}

std::vector<Tier> readTiers(JsonObject &file, LinkValues link) {
  std::vector<JsonObject> objects = file.objects("tiers");
  std::vector<Tier> tiers;
  for (size_t i = 0; i < objects.size(); ++i)
    tiers.push_back(readTier(objects[i], i, i + 1 == objects.size(), i ? tiers[i - 1].link : link));
  for (size_t i = 0; i < objects.size(); ++i) {
    if (i + 1 < objects.size())
      deriveParents(objects[i], tiers[i], tiers[i + 1], i ? tiers[i - 1].links : 1);
    objects[i].finish();
  }
  if (tiers.empty())
    file.error("tiers", "is missing: it lists the tiers of switches, the lowest first");
  return tiers;
}
} // namespace

std::vector<uint64_t> cclc::buildFatTree(JsonObject &file, ArrayRef<NodeId> ports, LinkValues link,
                                         uint32_t firstTier, MachineBuilder &builder) {
  std::vector<Tier> tiers = readTiers(file, link);
  std::vector<uint64_t> sizes;
  uint64_t places = 1, switches = 0, replicas = 1;
  for (const Tier &tier : tiers) {
    places = std::min(places * tier.down, uint64_t(1) << 32);
    sizes.push_back(places);
    switches += ceilDiv(ports.size(), places) * replicas;
    replicas = std::min(replicas * tier.up, uint64_t(1) << 32);
    if (switches > maxEndpoints)
      file.error("tiers", formatv("results in more than {0} switches", maxEndpoints));
  }
  if (!tiers.empty() && places < ports.size())
    file.error("tiers",
               formatv("has {0} places, but there are {1} to connect", places, ports.size()));
  if (file.hasErrors())
    return {};

  std::vector<NodeId> below = ports.vec();
  uint32_t perSubtree = 1, links = 1, up = 1; // of the tier below
  for (size_t t = 0; t < tiers.size(); ++t) {
    const Tier &tier = tiers[t];
    uint32_t replicasHere = perSubtree * up;
    std::vector<NodeId> here;
    for (uint64_t s = 0; s < ceilDiv(ports.size(), sizes[t]); ++s)
      for (uint32_t r = 0; r < replicasHere; ++r) {
        here.push_back(builder.addNode(formatv("{0}.{1}", tier.name, here.size()), tier.overhead));
        builder.setTier(here.back(), firstTier + t);
      }
    for (uint32_t child = 0; child < below.size(); ++child) {
      uint32_t subtree = child / perSubtree / tier.down, replica = child % perSubtree;
      for (uint32_t j = 0; j < up; ++j)
        for (uint32_t l = 0; l < links; ++l)
          builder.addDuplex(below[child], here[subtree * replicasHere + replica + j * perSubtree],
                            tier.link.rate, tier.link.propagation);
    }
    below = std::move(here);
    perSubtree = replicasHere;
    links = tier.links;
    up = tier.up;
  }
  return sizes;
}
