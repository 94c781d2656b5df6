#include "cclc/Sim/Network/RouteTable.h"

using namespace cclc;

const Route &RouteTable::add(ArrayRef<LinkId> path) {
  Route route{uint32_t(links.size()), uint32_t(links.size() + path.size()), {}, {}};
  for (LinkId id : path) {
    const Link &link = machine.link(id);
    route.latency += machine.latency(link);
    route.bottleneck = Bandwidth::slower(route.bottleneck, link.bandwidth);
  }
  links.insert(links.end(), path.begin(), path.end());
  return routes.emplace_back(route);
}

void RouteTable::addChoice(uint32_t connection, ArrayRef<Path> paths) {
  if (choices.empty())
    choices.resize(routes.size()); // none has been added, so these are the connections
  choices[connection] = {size(), uint32_t(paths.size())};
  for (const Path &path : paths)
    add(path);
}
