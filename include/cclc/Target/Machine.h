//===- Machine.h - The hardware that a plan runs on -------------*- C++ -*-===//
//
// A machine is a directed graph of nodes and links, endpoints (PEs) in it, the
// engines of a PE, the queues between PEs and a deterministic routing rule. It is
// read from targets/*.json (Loader.h) and does not change afterwards.
// docs/Targets.md describes the files, docs/machine-model.md what the values do.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TARGET_MACHINE_H
#define CCL_TARGET_MACHINE_H

#include "cclc/IR/Geometry.h"
#include "cclc/IR/ProgramInfo.h"
#include "cclc/Support/Ids.h"
#include "cclc/Support/LLVM.h"
#include "cclc/Target/Models.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cclc {

struct Node {
  std::string name;
  /// Time that a message spends in passing the node.
  SimTime overhead;
  /// Whether it takes messages apart and has to have all of one before it passes it
  /// on, even where others pass on flit by flit.
  bool reassembles = false;
};

struct Link {
  NodeId from, to;
  Bandwidth bandwidth;
  SimTime propagation;
  /// A link that is missing keeps its number, but no route leads over it.
  bool present = true;
  /// The same link in the other direction.
  OptionalId<LinkId> reverse;
};

class Machine;

/// The deterministic choice of a path.
class Routing {
public:
  virtual ~Routing() = default;
  /// The links from endpoint \p src to endpoint \p dst, in order; none if there is no
  /// path. \p links is empty at first.
  virtual void route(const Machine &machine, uint32_t src, uint32_t dst,
                     SmallVectorImpl<LinkId> &links) const = 0;
  /// Another path that the rule might as well have taken; none where it decides.
  virtual void equalRoute(const Machine &, uint32_t /*src*/, uint32_t /*dst*/,
                          SmallVectorImpl<LinkId> &) const {}
};

class Machine {
public:
  std::string name;
  std::string description;
  /// Where it comes from, for the plans that are compiled for it.
  TargetStamp stamp;
  /// The contention model to use unless the user names another one.
  std::string network;
  PeModel pe;
  QueueModel queue;
  /// What target files call the queues: "queue" or "ipcq".
  std::string queueKey;
  MemoryModel memory;
  TargetLimits limits;
  /// Unit of networks that move messages in flits.
  Bytes flit = Bytes(256);
  /// From the launch of a plan until its first step.
  SimTime launch;
  /// What the host takes for a launch: a run that is done earlier takes as long.
  SimTime launchInterval;
  /// By Protocol. Without any, a step moves its chunks in one message.
  std::array<std::optional<ProtocolModel>, numProtocols> protocols;

  bool hasProtocols() const {
    return std::any_of(protocols.begin(), protocols.end(), [](auto &p) { return p.has_value(); });
  }
  const ProtocolModel *find(Protocol protocol) const {
    const auto &model = protocols[static_cast<size_t>(protocol)];
    return model ? &*model : nullptr;
  }
  /// Slots of a connection of a plan that uses \p protocol.
  Slots slotsFor(Protocol protocol) const {
    const ProtocolModel *model = find(protocol);
    return Slots(model ? model->slots : queue.slots);
  }

  ArrayRef<Node> nodes() const { return theNodes; }
  ArrayRef<Link> links() const { return theLinks; }
  const Link &link(LinkId id) const { return theLinks[id.index()]; }
  std::string linkName(LinkId id) const;
  /// Of an empty message over \p link: its propagation and the overhead of the node behind it.
  SimTime latency(const Link &link) const {
    return link.propagation + theNodes[link.to.index()].overhead;
  }

  /// Endpoints and the levels that they are arranged in, outermost first.
  uint32_t numEndpoints() const { return endpoints.size(); }
  NodeId endpointNode(uint32_t endpoint) const { return endpoints[endpoint]; }
  const Geometry &geometry() const { return theGeometry; }

  /// Endpoints of those who take part, and the geometry that is left of them.
  struct Selection {
    Geometry geometry;
    std::vector<uint32_t> endpoints;
  };
  Selection select(Mapper who) const;

  void route(uint32_t src, uint32_t dst, SmallVectorImpl<LinkId> &links) const {
    routing->route(*this, src, dst, links);
  }
  void equalRoute(uint32_t src, uint32_t dst, SmallVectorImpl<LinkId> &links) const {
    routing->equalRoute(*this, src, dst, links);
  }

  bool hasMemories() const { return !memories.empty(); }
  NodeId memoryNode(uint32_t endpoint) const { return link(memories[endpoint].enterMemory).to; }
  /// Of the port of the memory, in each direction.
  Bandwidth memoryRate(uint32_t endpoint) const {
    return link(memories[endpoint].enterMemory).bandwidth;
  }
  /// From endpoint \p src to the memory of endpoint \p owner. What comes back takes
  /// the same way: the reverse of each link.
  void routeToMemory(uint32_t src, uint32_t owner, SmallVectorImpl<LinkId> &links) const;

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
  std::unique_ptr<Routing> routing;
};

} // namespace cclc

#endif // CCL_TARGET_MACHINE_H
