//===- Switched.cpp - Nodes of GPUs behind switches -----------------------===//
//
// Every GPU has a link to the switch of its node. With more than one node every GPU also has a NIC,
// possibly shared, with a link to the fabric that connects the nodes.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

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

  std::vector<Port> switchPorts, nicLinks, fabricPorts;
  NodeId fabric = builder.addNode("fabric", fabricTime);
  auto duplex = [&](NodeId a, NodeId b, Bandwidth rate, SimTime time) {
    LinkId up = builder.addDuplex(a, b, rate, time);
    return Port{up, LinkId(up.index() + 1)};
  };
  for (uint32_t n = 0; n < nodes; ++n) {
    NodeId localSwitch = builder.addNode(formatv("node{0}.switch", n), switchTime);
    std::optional<NodeId> nicNode;
    for (uint32_t g = 0; g < perNode; ++g) {
      NodeId gpu = builder.addNode(formatv("node{0}.gpu{1}", n, g), SimTime());
      builder.addEndpoint(gpu);
      switchPorts.push_back(duplex(gpu, localSwitch, localRate, localTime));
      if (g % perNic == 0) {
        nicNode = builder.addNode(formatv("node{0}.nic{1}", n, g / perNic), nicOverhead);
        fabricPorts.push_back(duplex(*nicNode, fabric, nicRate, nicTime));
      }
      nicLinks.push_back(duplex(gpu, *nicNode, pcieRate, pcieTime));
    }
  }
  builder.setGeometry({{{"node", GridKind::Flat, nodes, 1}, {"gpu", GridKind::Flat, perNode, 1}}});
  builder.setRouting(std::make_unique<SwitchedRouting>(
      perNode, std::move(switchPorts), std::move(nicLinks), std::move(fabricPorts), perNic));
}
