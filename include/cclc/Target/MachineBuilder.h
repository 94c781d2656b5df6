//===- MachineBuilder.h - Building a machine --------------------*- C++ -*-===//

#ifndef CCL_TARGET_MACHINEBUILDER_H
#define CCL_TARGET_MACHINEBUILDER_H

#include "cclc/Target/Machine.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cclc {

/// Builds a machine; finish() makes it immutable.
class MachineBuilder {
public:
  Machine machine;
  /// The numbers by which `up-down` spreads destinations, by endpoint: those of the ports of a
  /// tree, if they are not the numbers of the endpoints.
  std::vector<uint32_t> portNumbers;

  /// Removes nodes, links, endpoints and their memories.
  void clearGraph();
  NodeId addNode(std::string name, SimTime overhead);
  LinkId addLink(NodeId from, NodeId to, Bandwidth bandwidth, SimTime propagation);
  /// Adds links in both directions. Returns the link from \p a to \p b; the next number is that of
  /// the reverse link.
  LinkId addDuplex(NodeId a, NodeId b, Bandwidth bandwidth, SimTime propagation);
  void addEndpoint(NodeId node) { machine.endpoints.push_back(node); }
  /// Adds the memory of the last endpoint. \p leavePe is the link by which all data leave the
  /// endpoint; it ends at the node where \p enterMemory begins. Both are duplex. Either all
  /// endpoints have a memory or none.
  void addMemory(LinkId leavePe, LinkId enterMemory) {
    machine.memories.push_back({leavePe, enterMemory});
  }
  void setReassembles(NodeId node) { machine.theNodes[node.index()].reassembles = true; }
  void setGeometry(Geometry geometry) { machine.theGeometry = std::move(geometry); }
  void setGrid(EndpointGrid grid) { machine.theGrid = std::move(grid); }
  void setTier(NodeId node, uint32_t tier) { machine.theNodes[node.index()].tier = tier; }
  /// Sets the default rule of a family, with an implementation if it is special to the family.
  void setRouting(RoutingRule rule, std::unique_ptr<Routing> routing = nullptr) {
    machine.rule = rule;
    machine.routing = std::move(routing);
  }
  bool hasOwnRouting() const { return machine.routing != nullptr; }
  Link &link(LinkId id) { return machine.theLinks[id.index()]; }
  /// Numbers links between the same nodes. Called when all links have been added.
  void numberParallelLinks();
  /// Completes the machine. Routes avoid missing links.
  Machine finish() &&;
};

} // namespace cclc

#endif // CCL_TARGET_MACHINEBUILDER_H
