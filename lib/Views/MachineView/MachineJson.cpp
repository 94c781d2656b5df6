//===- MachineJson.cpp - The figures of a machine as JSON -----------------===//
//
// docs/CommandGuide/cclc.md documents the keys. Rates without limit and missing values are null.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineDescription.h"

#include "JsonText.h"

#include "cclc/Support/Decimal.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using nlohmann::ordered_json;
using Description = MachineDescription;

namespace {
ordered_json gbs(Bandwidth rate) {
  return rate.isUnlimited() ? ordered_json(nullptr)
                            : ordered_json(double(rate.bytesPerSecond()) / 1e9);
}

/// 0 if there is no path or link.
ordered_json gbs(std::optional<Bandwidth> rate) { return rate ? gbs(*rate) : ordered_json(0); }

ordered_json sizeOrNull(Bytes size) {
  return size == Bytes() ? ordered_json(nullptr) : ordered_json(size.count());
}

ordered_json toJson(const Description::Diameter &diameter, const Machine &machine) {
  auto name = [&](EndpointId endpoint) {
    return machine.nodes()[machine.endpointNode(endpoint).index()].name;
  };
  ordered_json out;
  out["sources"] = diameter.sources;
  out["unreachable"] = diameter.unreachable;
  out["hops"] = diameter.hops;
  out["hops_route"] = {name(diameter.hopsFrom), name(diameter.hopsTo)};
  out["latency_ns"] = toNanoseconds(diameter.latency);
  out["latency_route"] = {name(diameter.latencyFrom), name(diameter.latencyTo)};
  return out;
}

ordered_json networkJson(const Machine &machine, const Description &description) {
  ordered_json out;
  out["model"] = machine.network;
  out["routing"] = routingNames[size_t(machine.routingRule())];
  out["diameter"] =
      description.diameter ? toJson(*description.diameter, machine) : ordered_json(nullptr);
  out["bisection"] = nullptr;
  if (const auto &cut = description.bisection)
    out["bisection"] = {{"first_half", cut->firstHalf},
                        {"there_gbs", gbs(cut->there)},
                        {"back_gbs", gbs(cut->back)}};
  out["endpoint"] = {{"least_out_gbs", gbs(description.out.least)},
                     {"most_out_gbs", gbs(description.out.most)},
                     {"least_in_gbs", gbs(description.in.least)},
                     {"most_in_gbs", gbs(description.in.most)}};
  return out;
}

/// The number by group, null if it is unlimited.
ordered_json queuesJson(const DirectionQueues &queues) {
  ordered_json out;
  for (size_t g = 0; g < numQueueGroups; ++g)
    out[queueGroupName(static_cast<QueueGroup>(g)).str()] =
        queues.number[g] ? ordered_json(*queues.number[g]) : ordered_json(nullptr);
  return out;
}

/// Null if the engine takes no time.
ordered_json engineJson(const CycleEngine &engine) {
  if (engine.bytesPerCycle == 0)
    return nullptr;
  return {{"bytes_per_cycle", engine.bytesPerCycle},
          {"cycle_ns", toNanoseconds(engine.cycle)},
          {"latency_ns", toNanoseconds(engine.latency)}};
}

/// The bytes of the memories with a limit.
ordered_json capacityJson(const Machine &machine) {
  constexpr const char *names[numPeMemories] = {"tcm", "sram", "hbm", "all"};
  ordered_json out = ordered_json::object();
  for (size_t m = 0; m < numPeMemories; ++m)
    if (auto capacity = machine.memory.capacity[m])
      out[names[m]] = capacity->count();
  return out;
}

ordered_json peJson(const Machine &machine, const Description &description) {
  ordered_json out;
  out["launch_ns"] = toNanoseconds(machine.launch);
  out["dispatch_ns"] = toNanoseconds(machine.pe.dispatch);
  out["local_dispatch_ns"] = toNanoseconds(machine.pe.localDispatch);
  out["math"] = engineJson(machine.pe.math);
  out["copy"] = engineJson(machine.pe.copy);
  out["capacity"] = capacityJson(machine);
  out["streams"] = machine.pe.streams ? ordered_json(*machine.pe.streams) : ordered_json(nullptr);
  out["dma_gbs"] = gbs(machine.pe.dmaRate);
  out["threadblock_gbs"] = gbs(machine.pe.threadblockRate);
  out["memory"] = nullptr;
  if (machine.hasMemories())
    out["memory"] = {{"bandwidth_gbs", gbs(machine.memoryRate(EndpointId(0)))},
                     {"load_store", machine.memory.loadStore}};
  out["queue"] = {{"slots", machine.queue.slots},
                  {"slot_size", sizeOrNull(machine.queue.slotSize)},
                  {"slot_memory", description.slotMemory.empty()
                                      ? ordered_json(nullptr)
                                      : ordered_json(description.slotMemory)},
                  {"queues", queuesJson(machine.directionQueues)},
                  {"multiplex", machine.directionQueues.multiplex}};
  out["protocols"] = ordered_json::object();
  for (unsigned p = 0; p < numProtocols; ++p)
    if (const ProtocolModel *row = machine.find(static_cast<Protocol>(p)))
      out["protocols"][protocolName(static_cast<Protocol>(p)).str()] = {
          {"slots", row->slots}, {"slot_size", sizeOrNull(row->slotSize)}};
  out["mscclpp"] = nullptr;
  if (const auto &mscclpp = machine.mscclpp)
    out["mscclpp"] = {{"ports", mscclpp->port.has_value()}};
  out["switch"] = nullptr;
  if (const auto &switches = machine.switches)
    out["switch"] = {{"multicast", switches->multicasts}, {"reduction", switches->adds}};
  return out;
}

ordered_json limitsJson(const TargetLimits &limits) {
  ordered_json out;
  auto add = [&](const char *key, std::optional<uint32_t> value) {
    out[key] = value ? ordered_json(*value) : ordered_json(nullptr);
  };
  add("channels", limits.channels);
  add("threadblocks", limits.threadblocks);
  add("steps_per_threadblock", limits.stepsPerThreadblock);
  add("count", limits.count);
  add("queue_pairs", limits.queuePairs);
  return out;
}
} // namespace

void cclc::writeDescriptionJson(const Machine &machine, const MachineDescription &description,
                                raw_ostream &os) {
  ordered_json out;
  out["format"] = "cclc-target-description";
  out["version"] = 1;
  out["name"] = machine.name;
  out["family"] = description.family;
  out["description"] = machine.description;
  out["endpoints"] = machine.numEndpoints();
  out["levels"] = ordered_json::array();
  for (const GridLevel &level : machine.geometry().levels)
    out["levels"].push_back({{"name", level.name},
                             {"kind", std::string(gridKindName(level.kind))},
                             {"width", level.width},
                             {"height", level.height}});
  out["nodes"] = ordered_json::array();
  for (const Description::NodeClass &nodes : description.nodes)
    out["nodes"].push_back({{"class", nodes.name},
                            {"number", nodes.number},
                            {"endpoint", nodes.isEndpoint},
                            {"overhead_ns", toNanoseconds(nodes.overhead)},
                            {"reassembles", nodes.reassembles}});
  out["links"] = ordered_json::array();
  for (const Description::LinkClass &links : description.links)
    out["links"].push_back({{"from", links.from},
                            {"to", links.to},
                            {"number", links.number},
                            {"bandwidth_gbs", gbs(links.bandwidth)},
                            {"propagation_ns", toNanoseconds(links.propagation)},
                            {"latency_ns", toNanoseconds(links.latency)},
                            {"present", links.present}});
  out["network"] = networkJson(machine, description);
  out["pe"] = peJson(machine, description);
  out["limits"] = limitsJson(machine.limits);
  os << jsonText(out) << '\n';
}
