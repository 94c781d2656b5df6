#include "cclc/Target/Routing.h"

using namespace cclc;

uint64_t Routing::addUsedLinks(const Machine &machine, ArrayRef<EndpointId> sources, EndpointId dst,
                               llvm::BitVector &used) const {
  uint64_t visited = 0;
  Path path;
  for (EndpointId src : sources) {
    if (src == dst)
      continue;
    for (uint32_t channel = 0; channel < channelsToAllLinks(); ++channel) {
      path.clear();
      routeOnChannel(machine, src, dst, ChannelId(channel), path);
      for (LinkId link : path)
        used.set(link.index());
      visited += path.size();
    }
  }
  return visited;
}
