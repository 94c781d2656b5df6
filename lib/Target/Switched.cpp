//===- Switched.cpp - Nodes of GPUs behind switches -----------------------===//
//
// Every GPU has a link to the switch of its node. With more than one node every GPU also has a NIC,
// possibly shared, with a link to the fabric that connects the nodes: one switch, a switch for each
// rail (the NICs with the same number in their nodes), a fat tree or a dragonfly. With one switch,
// the route between two GPUs is given; in other fabrics, a rule finds it.
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
} // namespace

void cclc::buildSwitched(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder) {
  uint32_t perNode = 8, perNic = 1;
  std::optional<uint32_t> fixedNodes;
  file.number("gpus_per_node", perNode, 1, maxEndpoints);
  file.number("nodes", fixedNodes, 1, maxEndpoints);
  JsonObject local = file.object("node_link");
  Bandwidth localRate, pcieRate, nicRate;
  SimTime localTime, switchTime, pcieTime, nicTime, nicOverhead, fabricTime;
  local.rate("bandwidth", localRate);
  local.time("propagation", localTime);
  local.time("switch_overhead", switchTime);
  local.finish();
  JsonObject nic = file.object("nic");
  nic.number("gpus_per_nic", perNic, 1, maxEndpoints);
  nic.rate("bandwidth", nicRate);
  nic.time("propagation", nicTime);
  nic.time("overhead", nicOverhead);
  nic.time("fabric_overhead", fabricTime);
  nic.rate("host_bandwidth", pcieRate);
  nic.time("host_propagation", pcieTime);
  nic.finish();

  uint32_t nodes = fixedNodes.value_or(ranks ? (*ranks + perNode - 1) / perNode : 1);
  file.resolve("nodes", nodes);
  if (uint64_t(nodes) * perNode > maxEndpoints)
    return file.error("nodes", formatv("results in {0} GPUs, more than the limit of {1}",
                                       uint64_t(nodes) * perNode, maxEndpoints));
  if (perNode % perNic != 0)
    return file.error("nic.gpus_per_nic", "does not divide gpus_per_node");

  constexpr const char *shapes[] = {"switch", "rails", "fat_tree", "dragonfly"};
  JsonObject fabricKeys = file.object("fabric");
  uint32_t shape = 0;
  fabricKeys.choice("shape", shapes, shape);

  std::vector<Port> switchPorts, nicLinks, fabricPorts;
  std::vector<NodeId> nics;
  std::optional<NodeId> fabric;
  if (Fabric(shape) == Fabric::Switch)
    fabric = builder.addNode("fabric", fabricTime);
  auto duplex = [&](NodeId a, NodeId b, Bandwidth rate, SimTime time) {
    LinkId up = builder.addDuplex(a, b, rate, time);
    return Port{up, LinkId(up.index() + 1)};
  };
  for (uint32_t n = 0; n < nodes; ++n) {
    NodeId localSwitch = builder.addNode(formatv("node{0}.switch", n), switchTime);
    builder.setTier(localSwitch, 1);
    for (uint32_t g = 0; g < perNode; ++g) {
      NodeId gpu = builder.addNode(formatv("node{0}.gpu{1}", n, g), SimTime());
      builder.addEndpoint(gpu);
      builder.setTier(gpu, 0);
      switchPorts.push_back(duplex(gpu, localSwitch, localRate, localTime));
      if (g % perNic == 0) {
        nics.push_back(builder.addNode(formatv("node{0}.nic{1}", n, g / perNic), nicOverhead));
        builder.setTier(nics.back(), 1);
        if (fabric)
          fabricPorts.push_back(duplex(nics.back(), *fabric, nicRate, nicTime));
      }
      nicLinks.push_back(duplex(gpu, nics.back(), pcieRate, pcieTime));
    }
  }
  builder.setGeometry({{{"node", GridKind::Flat, nodes, 1}, {"gpu", GridKind::Flat, perNode, 1}}});
  if (fabric) {
    builder.setTier(*fabric, 2);
    builder.setRouting(RoutingRule::Shortest,
                       std::make_unique<SwitchedRouting>(perNode, std::move(switchPorts),
                                                         std::move(nicLinks),
                                                         std::move(fabricPorts), perNic));
  } else {
    buildFabric(Fabric(shape), fabricKeys, nics, perNode / perNic, {nicRate, nicTime}, fabricTime,
                builder);
  }
  fabricKeys.finish();
}
