//===- MachineBuilder.h - The construction of a machine ---------*- C++ -*-===//

#ifndef CCL_TARGET_MACHINEBUILDER_H
#define CCL_TARGET_MACHINEBUILDER_H

#include "cclc/Target/Machine.h"

#include <memory>
#include <string>
#include <utility>

namespace cclc {

/// Puts a machine together; finish() seals it.
class MachineBuilder {
public:
  Machine machine;

  NodeId addNode(std::string name, SimTime overhead);
  LinkId addLink(NodeId from, NodeId to, Bandwidth bandwidth, SimTime propagation);
  /// Both directions; returns the one from \p a to \p b, the other comes next.
  LinkId addDuplex(NodeId a, NodeId b, Bandwidth bandwidth, SimTime propagation);
  void addEndpoint(NodeId node) { machine.endpoints.push_back(node); }
  /// The memory of the endpoint added last: the link by which everything leaves the
  /// endpoint, to the node from which \p enterMemory leads on. Both are duplex. All
  /// endpoints have one or none has.
  void addMemory(LinkId leavePe, LinkId enterMemory) {
    machine.memories.push_back({leavePe, enterMemory});
  }
  void setReassembles(NodeId node) { machine.theNodes[node.index()].reassembles = true; }
  void setGeometry(Geometry geometry) { machine.theGeometry = std::move(geometry); }
  void setRouting(std::unique_ptr<Routing> routing) { machine.routing = std::move(routing); }
  Link &link(LinkId id) { return machine.theLinks[id.index()]; }
  /// Routes lead around links that are missing.
  Machine finish() &&;
};

} // namespace cclc

#endif // CCL_TARGET_MACHINEBUILDER_H
