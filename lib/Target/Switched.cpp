//===- Switched.cpp - Nodes of GPUs behind switches -----------------------===//
//
// Every GPU has a link to the switch of its node. If the target describes NICs, which several nodes
// need, every GPU also has one, possibly shared, with a link to the fabric that connects the nodes:
// one switch, a switch for each rail (the NICs with the same number in their nodes), a fat tree or
// a dragonfly. With one switch, the route between two GPUs is given; in other fabrics, a rule finds
// it.
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
struct Port {
  LinkId up, down;
};

/// Routes over the switch inside a node, and over the NICs of both sides between nodes.
class SwitchedRouting : public Routing {
public:
  SwitchedRouting(uint32_t perNode, std::vector<Port> switchPorts, std::vector<Port> nicLinks,
                  std::vector<Port> fabricPorts, uint32_t perNic)
      : perNode(perNode), switchPorts(std::move(switchPorts)), nicLinks(std::move(nicLinks)),
        fabricPorts(std::move(fabricPorts)), perNic(perNic) {}

  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    uint32_t from = src.index(), to = dst.index();
    if (from / perNode == to / perNode) {
      links.append({switchPorts[from].up, switchPorts[to].down});
      return;
    }
    links.append({nicLinks[from].up, fabricPorts[from / perNic].up, fabricPorts[to / perNic].down,
                  nicLinks[to].down});
  }

private:
  uint32_t perNode;
  std::vector<Port> switchPorts; ///< GPU to switch, by GPU
  std::vector<Port> nicLinks;    ///< GPU to its NIC, by GPU
  std::vector<Port> fabricPorts; ///< NIC to fabric, by NIC
  uint32_t perNic;
};

enum class Fabric : uint32_t { Switch, Rails, FatTree, Dragonfly };

/// Connects the NICs by a fabric that is not a single switch. \p nics are ordered by node.
void buildFabric(Fabric fabric, JsonObject &file, ArrayRef<NodeId> nics, uint32_t nicsPerNode,
                 LinkValues link, SimTime overhead, MachineBuilder &builder) {
  if (fabric == Fabric::Rails) {
    for (uint32_t rail = 0; rail < nicsPerNode; ++rail) {
      NodeId hub = builder.addNode(formatv("rail{0}", rail), overhead);
      builder.setTier(hub, 2);
      for (size_t nic = rail; nic < nics.size(); nic += nicsPerNode)
        builder.addDuplex(nics[nic], hub, link.rate, link.propagation);
    }
    builder.setRouting(RoutingRule::Shortest);
    return;
  }
  // In the order of the rails, the NICs of a rail are neighbours in the fabric.
  bool rails = false;
  file.onOff("rails", rails);
  auto portOf = [&](size_t nic) -> uint32_t {
    size_t nodes = nics.size() / nicsPerNode;
    return rails ? nic % nicsPerNode * nodes + nic / nicsPerNode : nic;
  };
  std::vector<NodeId> ports(nics.size(), NodeId(0));
  for (size_t nic = 0; nic < nics.size(); ++nic)
    ports[portOf(nic)] = nics[nic];
  // GPUs with the same NIC have successive numbers.
  uint32_t gpus = builder.machine.numEndpoints(), perNic = gpus / nics.size();
  for (uint32_t gpu = 0; gpu < gpus; ++gpu)
    builder.portNumbers.push_back(portOf(gpu / perNic) * perNic + gpu % perNic);
  if (fabric == Fabric::FatTree) {
    buildFatTree(file, ports, link, /*firstTier=*/2, builder);
    builder.setRouting(RoutingRule::UpDown);
    return;
  }
  Dragonfly shape = Dragonfly::read(file, link);
  if (shape.ports() < ports.size())
    file.error("dragonfly",
               formatv("has {0} places, but there are {1} NICs", shape.ports(), ports.size()));
  if (file.hasErrors())
    return;
  shape.build(ports, link, builder);
  builder.setRouting(RoutingRule::Shortest);
}
/// The keys of `nic`.
struct NicKeys {
  uint32_t gpus = 1; ///< that share a NIC
  LinkValues link, host;
  SimTime overhead, fabricOverhead;

  static NicKeys read(JsonObject &object) {
    NicKeys keys;
    object.number("gpus_per_nic", keys.gpus, 1, maxEndpoints);
    object.rate("bandwidth", keys.link.rate);
    object.time("propagation", keys.link.propagation);
    object.time("overhead", keys.overhead);
    object.time("fabric_overhead", keys.fabricOverhead);
    object.rate("host_bandwidth", keys.host.rate);
    object.time("host_propagation", keys.host.propagation);
    object.finish();
    return keys;
  }
};

constexpr const char *fabricNames[] = {"switch", "rails", "fat_tree", "dragonfly"};

/// Reports keys that contradict each other.
LogicalResult check(JsonObject &file, uint32_t nodes, bool areNodesKnown, uint32_t perNode,
                    const std::optional<NicKeys> &nic, Fabric fabric) {
  auto wrong = [&](const char *key, const llvm::Twine &what) {
    file.error(key, what);
    return failure();
  };
  if (uint64_t(nodes) * perNode > maxEndpoints)
    return wrong("nodes", formatv("results in {0} GPUs, more than the limit of {1}",
                                  uint64_t(nodes) * perNode, maxEndpoints));
  if (nic && perNode % nic->gpus != 0)
    return wrong("nic.gpus_per_nic", "does not divide gpus_per_node");
  if (!nic && nodes > 1)
    return wrong("nic", formatv("is missing: {0} nodes are connected by NICs; describe these, or "
                                "set 'nodes' to 1",
                                nodes));
  if (!nic && fabric != Fabric::Switch)
    return wrong("nic", formatv("is missing: a fabric of shape {0} connects NICs; describe these, "
                                "or remove 'fabric'",
                                fabricNames[uint32_t(fabric)]));
  if (fabric >= Fabric::FatTree && !areNodesKnown)
    return wrong("nodes", formatv("is missing: a fabric of shape {0} has no default; state their "
                                  "number in the target or that of the ranks with --ranks",
                                  fabricNames[uint32_t(fabric)]));
  return success();
}
} // namespace

void cclc::buildSwitched(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder) {
  uint32_t perNode = 8, shape = 0;
  std::optional<uint32_t> fixedNodes;
  file.number("gpus_per_node", perNode, 1, maxEndpoints);
  file.number("nodes", fixedNodes, 1, maxEndpoints);
  JsonObject local = file.object("node_link");
  LinkValues localLink;
  SimTime switchTime;
  local.rate("bandwidth", localLink.rate);
  local.time("propagation", localLink.propagation);
  local.time("switch_overhead", switchTime);
  local.finish();
  std::optional<NicKeys> nic;
  if (std::optional<JsonObject> object = file.optionalObject("nic"))
    nic = NicKeys::read(*object);
  uint32_t nodes = fixedNodes.value_or(ranks && nic ? (*ranks + perNode - 1) / perNode : 1);
  file.resolve("nodes", nodes);
  JsonObject fabricKeys = file.object("fabric");
  fabricKeys.choice("shape", fabricNames, shape);
  if (failed(check(file, nodes, fixedNodes || ranks, perNode, nic, Fabric(shape))))
    return;

  std::vector<Port> switchPorts, nicLinks, fabricPorts;
  std::vector<NodeId> nics;
  std::optional<NodeId> fabric;
  if (nic && Fabric(shape) == Fabric::Switch)
    fabric = builder.addNode("fabric", nic->fabricOverhead);
  auto duplex = [&](NodeId a, NodeId b, LinkValues link) {
    LinkId up = builder.addDuplex(a, b, link.rate, link.propagation);
    return Port{up, LinkId(up.index() + 1)};
  };
  for (uint32_t n = 0; n < nodes; ++n) {
    NodeId localSwitch = builder.addNode(formatv("node{0}.switch", n), switchTime);
    builder.setTier(localSwitch, 1);
    for (uint32_t g = 0; g < perNode; ++g) {
      NodeId gpu = builder.addNode(formatv("node{0}.gpu{1}", n, g), SimTime());
      builder.addEndpoint(gpu);
      builder.setTier(gpu, 0);
      switchPorts.push_back(duplex(gpu, localSwitch, localLink));
      if (!nic)
        continue;
      if (g % nic->gpus == 0) {
        nics.push_back(builder.addNode(formatv("node{0}.nic{1}", n, g / nic->gpus), nic->overhead));
        builder.setTier(nics.back(), 1);
        if (fabric)
          fabricPorts.push_back(duplex(nics.back(), *fabric, nic->link));
      }
      nicLinks.push_back(duplex(gpu, nics.back(), nic->host));
    }
  }
  builder.setGeometry({{{"node", GridKind::Flat, nodes, 1}, {"gpu", GridKind::Flat, perNode, 1}}});
  if (fabric)
    builder.setTier(*fabric, 2);
  if (fabric || !nic)
    builder.setRouting(
        RoutingRule::Shortest,
        std::make_unique<SwitchedRouting>(perNode, std::move(switchPorts), std::move(nicLinks),
                                          std::move(fabricPorts), nic ? nic->gpus : 1));
  else
    buildFabric(Fabric(shape), fabricKeys, nics, perNode / nic->gpus, nic->link,
                nic->fabricOverhead, builder);
  fabricKeys.finish();
}
