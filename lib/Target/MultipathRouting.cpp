//===- MultipathRouting.cpp - Hashes, digits and turns --------------------===//
//
// `up-down` selects by the digits of the number of the destination's port, to the bases of the
// numbers of choices on the way. In a fat tree this is D-mod-k routing (Zahavi, "Fat-tree routing
// and node ordering providing contention free traffic for MPI global collectives", JPDC 72, 2012):
// the traffic to different destinations is spread over the upper switches, and all traffic to one
// destination comes down by one path.
//
// `ecmp` selects at each node by a hash (RFC 2992). `spray` and `adaptive` choose between up to 16
// paths; of a larger number, they use those whose numbers are evenly distributed, beginning at one
// that depends on the hash. Successive messages use distant numbers, since paths with neighbouring
// numbers share their first links.
//
// Implements rules 43 to 45.
//
//===----------------------------------------------------------------------===//

#include "MultipathRouting.h"

#include "llvm/Support/xxhash.h"

#include <array>
#include <numeric>

using namespace cclc;

uint64_t MultipathRouting::hash(EndpointId src, EndpointId dst, ChannelId channel,
                                uint32_t node) const {
  std::array<uint8_t, 20> bytes;
  size_t at = 0;
  for (uint32_t word : {src.index(), dst.index(), channel.index(), node, seed})
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes[at++] = word >> shift;
  return llvm::xxHash64(bytes);
}

void MultipathRouting::routeOnChannel(const Machine &machine, EndpointId src, EndpointId dst,
                                      ChannelId channel, SmallVectorImpl<LinkId> &links) const {
  uint32_t digits = portNumbers.empty() ? dst.index() : portNumbers[dst.index()];
  paths.walk(
      machine, src, dst,
      [&](NodeId node, uint32_t choices) -> uint32_t {
        if (rule != RoutingRule::UpDown)
          return hash(src, dst, channel, node.index()) % choices;
        uint32_t digit = digits % choices;
        digits /= choices;
        return digit;
      },
      links);
}

std::vector<Path> MultipathRouting::alternatives(const Machine &machine, EndpointId src,
                                                 EndpointId dst, ChannelId channel) const {
  std::vector<Path> result;
  uint64_t all = paths.count(machine, src, dst);
  if ((rule != RoutingRule::Spray && rule != RoutingRule::Adaptive) || all < 2)
    return result;
  uint64_t used = std::min<uint64_t>(all, maxAlternatives);
  uint64_t begin = hash(src, dst, channel, ~uint32_t(0)) % all;
  // About the golden section of the circle of paths, and without a common divisor.
  uint64_t stride = std::max<uint64_t>(used * 89 / 144, 1);
  while (std::gcd(stride, used) != 1)
    ++stride;
  for (uint64_t i = 0; i < used; ++i) {
    uint64_t number = (begin + (i * stride % used) * all / used) % all;
    paths.path(machine, src, dst, number, result.emplace_back());
  }
  return result;
}

uint64_t MultipathRouting::addUsedLinks(const Machine &machine, ArrayRef<EndpointId> sources,
                                        EndpointId dst, llvm::BitVector &used) const {
  // D-mod-k has one path for each pair. The other rules may take every shortest path: the hash
  // depends on the channel, and beyond 16 paths so does the selection.
  if (rule == RoutingRule::UpDown)
    return Routing::addUsedLinks(machine, sources, dst, used);
  return paths.addLinks(machine, sources, dst, used);
}
