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
#include "cclc/Support/Units.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cclc {

/// An engine that serves one request after the other, in whole cycles: \p size
/// bytes take the latency and ceil(size / bytesPerCycle) cycles. Zero bytes per
/// cycle: none.
struct CycleEngine {
  SimTime cycle;
  uint64_t bytesPerCycle = 0;
  /// Fixed part of every request.
  SimTime latency;
  SimTime duration(Bytes size) const;
};

/// The engines of a PE and what a step costs on them.
struct PeModel {
  /// Threadblocks that may execute at the same time; unset: all of them.
  std::optional<uint32_t> streams;
  /// Of every step, on the stream: of those that send or receive, and of others.
  SimTime dispatch, localDispatch;
  /// Of a step that waits for another threadblock: looking at its flag until it
  /// is up. A `nop`, which only waits, has a cost of its own.
  SimTime wait, nop;
  /// Reductions; one engine a PE.
  CycleEngine math;
  /// Operands of one cycle of a threadblock that reduces on its own (with
  /// protocols): reductions into one place that follow each other are one.
  uint32_t mathOperands = 2;
  /// Local copies.
  CycleEngine copy;
  /// Rate at which one threadblock moves what it sends; unlimited: the send is
  /// handed over and the threadblock goes on.
  Bandwidth threadblockRate;
  /// Rate of the engine that puts messages of a PE into the network, one after
  /// the other.
  Bandwidth dmaRate;

  SimTime dispatchOf(bool communicates) const { return communicates ? dispatch : localDispatch; }
};

/// Cost of one access to a slot: latency plus size over rate, once or, where two
/// stations are passed one after the other, over two rates.
struct SlotAccess {
  SimTime latency;
  Bandwidth rate;
  Bandwidth secondRate;
  SimTime duration(Bytes size) const {
    return latency + transferTime(size, rate) + transferTime(size, secondRate);
  }
};

/// The queues between PEs: one for each connection.
struct QueueModel {
  uint32_t slots = 8;
  Bytes slotSize;
  /// From a send until its message is at the DMA engine; the send does not wait.
  SimTime sendOverhead;
  /// What a receive takes before it reads its slot.
  SimTime receiveOverhead;
  /// Cost of the write at the receiver and of the read by the receive.
  SlotAccess write, read;
  /// Size of the message that returns a slot; it travels back outside the queues
  /// of the network.
  Bytes creditSize;
  /// Whether the receive goes on only when the credit has been delivered.
  bool creditBlocksReceiver = false;
};

/// How the runtime of a GPU moves the chunks of a step under one protocol: in
/// transmissions of at most a slot, each in slices, and those in trips of the
/// threads of a threadblock. A buffer of chunks that are larger than a slot is a
/// loop over the step list.
struct ProtocolModel {
  /// From the launch of a plan until its first step.
  SimTime launch;
  /// Of every step that sends or receives, before it looks for message or slot.
  SimTime stepLatency;
  /// Transmissions that a connection holds, and the payload of each.
  uint32_t slots = 8;
  Bytes slotSize;
  /// Chunks of a transmission, at most.
  uint32_t maxChunks = ~uint32_t(0);
  /// Number of slices of a transmission; none but the last is smaller than \c minSlice.
  uint32_t slices = 1;
  Bytes minSlice;
  /// Whether a receive begins when the first trip is there; else, when the
  /// slice is.
  bool streaming = false;
  /// A trip, in which a threadblock moves a number of bytes of payload.
  CycleEngine trip;
  /// Payload in a million bytes on the wire.
  uint32_t efficiency = 1'000'000;

  Bytes onWire(Bytes payload) const {
    return Bytes(ceilDiv(payload.count() * 1'000'000, efficiency));
  }
};

/// The memory that each PE has outside itself, where inputs and results live.
struct MemoryModel {
  /// Whether a plan loads its inputs and stores its results (Sim/LocalMemory.h).
  bool loadStore = false;
  /// Of every load and store, before its request leaves the PE.
  SimTime dmaOverhead;
  /// From the end of the last request of a PE until the processor of its cube knows.
  SimTime completion;
  /// Channels of one memory and the burst after which the next channel comes;
  /// each has its share of the rate of the link to the memory.
  uint32_t channels = 1;
  Bytes burst = Bytes(256);
};

/// What a plan may use at most; unset: no limit.
struct TargetLimits {
  std::optional<uint32_t> channels;
  std::optional<uint32_t> threadblocks;
  std::optional<uint32_t> stepsPerThreadblock;
  std::optional<uint32_t> count;
  /// Connections of a PE in each direction.
  std::optional<uint32_t> queuePairs;
};

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

#endif // CCL_TARGET_MACHINE_H
