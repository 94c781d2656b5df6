//===- Machine.h - The machine model ----------------------------*- C++ -*-===//
//
// A machine consists of a directed graph of nodes and links, some of whose nodes are endpoints
// (PEs), the engines of a PE, the queues between PEs and a deterministic routing rule. It is loaded
// from targets/*.json (Loader.h) and immutable afterwards. docs/Targets.md describes the files,
// docs/machine-model.md the meaning of the values.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_MACHINE_H
#define CCL_TARGET_MACHINE_H

#include "cclc/IR/Geometry.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Ids.h"
#include "cclc/Target/DirectionQueues.h"
#include "cclc/Target/EndpointGrid.h"
#include "cclc/Target/Links.h"
#include "cclc/Target/Models.h"
#include "cclc/Target/Mscclpp.h"
#include "cclc/Target/Processors.h"
#include "cclc/Target/Routing.h"
#include "cclc/Target/Runtime.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cclc {

class Machine {
public:
  std::string name;
  std::string description;
  /// The identity of the target, for plans that are compiled for it.
  TargetStamp stamp;
  std::string network;                          ///< the default contention model
  const Runtime *runtime = &simulatorRuntime(); ///< that executes plans by default
  /// Whether the target states its routing rule, so that one of several equal routes is its choice.
  bool statesRouting = false;
  PeModel pe;
  std::optional<ProcessorModel> processors; ///< unset: every PE executes its own steps
  std::optional<SwitchModel> switches;      ///< unset: they only forward messages
  std::optional<MscclppModel> mscclpp;      ///< unset: no plans of MSCCL++ are executed
  QueueModel queue;
  std::string queueKey; ///< the name of the queues in target files: "queue" or "ipcq"
  DirectionQueues directionQueues;
  MemoryModel memory;
  TargetLimits limits;
  /// The size of a flit, for networks that transfer messages in flits.
  Bytes flit = Bytes(256);
  /// The time from the launch of a plan to its first step.
  SimTime launch;
  /// The host's time per launch, which is the minimum time of a run.
  SimTime launchInterval;
  /// By Protocol. Without a model, a step moves its chunks in one message.
  std::array<std::optional<ProtocolModel>, numProtocols> protocols;

  bool hasProtocols() const {
    return std::any_of(protocols.begin(), protocols.end(), [](auto &p) { return p.has_value(); });
  }
  const ProtocolModel *find(Protocol protocol) const {
    const auto &model = protocols[static_cast<size_t>(protocol)];
    return model ? &*model : nullptr;
  }
  /// Whether plans choose the slots of their connections: they take a memory of limited capacity,
  /// and no runtime fixes them by protocol.
  bool hasSlotsOfPlans() const { return memory.capacityOf(memory.slots) && !hasProtocols(); }
  /// Whether a setting of the target fixes their number or size, for all plans.
  bool hasSlotSettings() const;
  /// The number of slots of a connection with \p protocol, unless the plan chooses it.
  Slots slotsFor(Protocol protocol) const {
    const ProtocolModel *model = find(protocol);
    return Slots(model ? model->slots : queue.slots);
  }
  /// The slots of a connection of \p plan: those that it chooses if it may, else those of the
  /// machine.
  Slots slotsFor(const ProgramInfo &plan) const;
  /// The bytes of such a slot; zero if it holds any message.
  Bytes slotSizeFor(const ProgramInfo &plan) const;

  ArrayRef<Node> nodes() const { return theNodes; }
  ArrayRef<Link> links() const { return theLinks; }
  const Link &link(LinkId id) const { return theLinks[id.index()]; }
  /// "gpu0 -> nic0", and "gpu0 -> nic0#2" for the second of several links between them.
  std::string linkName(LinkId id) const;
  /// The name after the arrow.
  std::string linkEndName(LinkId id) const;
  /// The latency of an empty message over \p link: its propagation and the overhead of the node at
  /// its end.
  SimTime latency(const Link &link) const {
    return link.propagation + theNodes[link.to.index()].overhead;
  }

  /// The endpoints, and the levels of their hierarchy, outermost first.
  uint32_t numEndpoints() const { return endpoints.size(); }
  NodeId endpointNode(EndpointId endpoint) const { return endpoints[endpoint.index()]; }
  /// The endpoint at each node; unset: none.
  std::vector<OptionalIndex> endpointsByNode() const;
  const Geometry &geometry() const { return theGeometry; }
  /// Unset if the endpoints have no coordinates.
  const std::optional<EndpointGrid> &grid() const { return theGrid; }

  /// The endpoints of the participants, and their geometry.
  struct Selection {
    Geometry geometry;
    std::vector<uint32_t> endpoints;
  };
  Selection select(Mapper who) const;

  RoutingRule routingRule() const { return rule; }
  /// Appends the route from \p src to \p dst to the empty list \p links.
  void route(EndpointId src, EndpointId dst, SmallVectorImpl<LinkId> &links) const {
    routing->route(*this, src, dst, links);
  }
  const Routing &routes() const { return *routing; }
  void equalRoute(EndpointId src, EndpointId dst, SmallVectorImpl<LinkId> &links) const {
    routing->equalRoute(*this, src, dst, links);
  }

  bool hasMemories() const { return !memories.empty(); }
  NodeId memoryNode(EndpointId endpoint) const {
    return link(memories[endpoint.index()].enterMemory).to;
  }
  /// The rate of the port of the memory, in each direction.
  Bandwidth memoryRate(EndpointId endpoint) const {
    return link(memories[endpoint.index()].enterMemory).bandwidth;
  }
  /// The route from endpoint \p src to the memory of endpoint \p owner. Data are returned over the
  /// reverse of each link.
  void routeToMemory(EndpointId src, EndpointId owner, SmallVectorImpl<LinkId> &links) const;

private:
  friend class MachineBuilder;
  std::vector<Node> theNodes;
  std::vector<Link> theLinks;
  std::vector<NodeId> endpoints;
  struct MemoryPort {
    LinkId leavePe, enterMemory;
  };
  std::vector<MemoryPort> memories; ///< by endpoint
  Geometry theGeometry;
  std::optional<EndpointGrid> theGrid;
  RoutingRule rule = RoutingRule::Shortest;
  std::unique_ptr<Routing> routing;
};

/// The name of an endpoint: "sip0.cube15.pe7".
std::string endpointName(const Machine &machine, EndpointId endpoint);

} // namespace cclc

#endif // CCL_TARGET_MACHINE_H
