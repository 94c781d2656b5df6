#include "cclc/Target/SwitchPorts.h"

#include "Families.h"

using namespace cclc;

void cclc::readSwitch(JsonObject &file, Machine &machine) {
  if (!file.isGiven("switch"))
    return;
  JsonObject object = file.object("switch");
  SwitchModel &model = machine.switches.emplace();
  object.onOff("multicast", model.multicasts);
  object.onOff("reduction", model.adds);
  object.time("latency", model.latency);
  readEfficiency(object, model.efficiency);
  object.finish();
}

std::optional<std::vector<SwitchPort>> cclc::portsOfSwitch(const Machine &machine,
                                                           ArrayRef<EndpointId> members) {
  std::vector<SwitchPort> ports;
  std::optional<NodeId> common;
  for (size_t i = 0; i < members.size(); ++i) {
    EndpointId other = members[i == 0 ? members.size() - 1 : 0];
    SmallVector<LinkId, 8> there, back;
    machine.route(members[i], other, there);
    machine.route(other, members[i], back);
    if (there.size() < 2 || back.size() < 2)
      return std::nullopt;
    SwitchPort port{there.front(), back.back()};
    NodeId above = machine.link(port.up).to;
    if (machine.link(port.down).from != above || (common && *common != above))
      return std::nullopt;
    common = above;
    ports.push_back(port);
  }
  return ports;
}
