//===- MachineParts.cpp - Turns the links of a part off -------------------===//
//
// A machine without a part is loaded again with overrides that turn its links off, as --set does,
// so that routes are found as on a machine that never had them.
//
//===----------------------------------------------------------------------===//

#include "cclc/Target/MachineParts.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

/// "node0.nic3", "nic3".
static bool isNicName(StringRef name) {
  StringRef last = name.substr(name.rfind('.') + 1);
  return last.consume_front("nic") && !last.empty() && llvm::all_of(last, llvm::isDigit);
}

std::vector<LinkId> cclc::linksAt(const Machine &machine, ArrayRef<NodeId> nodes) {
  llvm::BitVector at(machine.nodes().size());
  for (NodeId node : nodes)
    at.set(node.index());
  std::vector<LinkId> links;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    const Link &link = machine.links()[l];
    if (link.present && (at[link.from.index()] || at[link.to.index()]))
      links.push_back(LinkId(l));
  }
  return links;
}

static std::vector<MachinePart> cablesOf(const Machine &machine) {
  std::vector<MachinePart> parts;
  for (uint32_t l = 0; l < machine.links().size(); ++l) {
    const Link &link = machine.links()[l];
    bool returns = link.reverse && machine.link(*link.reverse).present;
    if (!link.present || (returns && (*link.reverse).index() < l))
      continue;
    MachinePart part{machine.linkName(LinkId(l)), {LinkId(l)}, std::nullopt};
    if (returns) {
      part.links.push_back(*link.reverse);
      part.name =
          machine.nodes()[link.from.index()].name + " <-> " + machine.linkEndName(LinkId(l));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<MachinePart> cclc::partsOf(const Machine &machine, PartKind kind,
                                       ArrayRef<EndpointId> endpoints) {
  if (kind == PartKind::Link)
    return cablesOf(machine);
  std::vector<MachinePart> parts;
  if (kind == PartKind::Rank) {
    for (uint32_t rank = 0; rank < endpoints.size(); ++rank) {
      NodeId node = machine.endpointNode(endpoints[rank]);
      parts.push_back({machine.nodes()[node.index()].name, linksAt(machine, node), rank});
    }
    return parts;
  }
  llvm::BitVector isEndpoint(machine.nodes().size());
  for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
    isEndpoint.set(machine.endpointNode(EndpointId(e)).index());
  for (uint32_t n = 0; n < machine.nodes().size(); ++n) {
    const std::string &name = machine.nodes()[n].name;
    if (isEndpoint[n] || !isNicName(name))
      continue;
    if (std::vector<LinkId> links = linksAt(machine, NodeId(n)); !links.empty())
      parts.push_back({name, std::move(links), std::nullopt});
  }
  return parts;
}

TargetRequest cclc::requestWithout(const Machine &machine, TargetRequest request,
                                   ArrayRef<LinkId> off) {
  for (LinkId id : off)
    request.overrides.push_back({"links." + machine.nodes()[machine.link(id).from.index()].name +
                                     "->" + machine.linkEndName(id),
                                 "off"});
  request.ranks = machine.numEndpoints();
  return request;
}
