//===- Protocols.cpp - The table of protocols of a target -----------------===//

#include "Families.h"

#include <cmath>

using namespace cclc;

void cclc::readEfficiency(JsonObject &object, uint32_t &efficiency) {
  double share = 1;
  object.real("payload_efficiency", share);
  if (share >= 0.01 && share <= 1)
    efficiency = std::llround(share * 1e6);
  else
    object.error("payload_efficiency", "takes a number from 0.01 to 1");
}

void cclc::readProtocols(JsonObject &file, Machine &machine) {
  JsonObject table = file.object("protocols");
  for (unsigned p = 0; p < numProtocols; ++p) {
    std::string name = protocolName(static_cast<Protocol>(p)).str();
    if (!table.isGiven(name.c_str()))
      continue;
    ProtocolModel &row = machine.protocols[p].emplace();
    row.launch = machine.launch;
    JsonObject object = table.object(name.c_str());
    object.time("launch", row.launch);
    object.time("step_latency", row.stepLatency);
    object.number("slots", row.slots, 1, 1 << 20);
    object.bytes("slot_size", row.slotSize);
    object.number("chunks", row.maxChunks, 1, ~uint32_t(0));
    object.number("slices", row.slices, 1, 1 << 10);
    object.bytes("slice_minimum", row.minSlice);
    object.time("slice_latency", row.sliceLatency);
    object.onOff("streaming", row.streaming);
    Bytes trip;
    object.bytes("trip", trip);
    object.time("trip_time", row.trip.cycle);
    row.trip.bytesPerCycle = trip.count();
    readEfficiency(object, row.efficiency);
    if (row.slotSize == Bytes())
      object.error("slot_size", "is missing");
    object.finish();
  }
  table.finish();
}
