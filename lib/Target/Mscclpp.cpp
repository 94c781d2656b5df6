//===- Mscclpp.cpp - The table of the MSCCL++ executor --------------------===//
//
// A machine without the table, or without proxies in it, differs from one whose values
// are all 0, so that missing objects are recorded as null.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace cclc;

static void readMovement(JsonObject &object, MscclppModel::Movement &movement) {
  object.time("latency", movement.latency);
  object.rate("bandwidth", movement.rate);
}

void cclc::readMscclpp(JsonObject &file, Machine &machine) {
  std::optional<JsonObject> table = file.optionalObject("mscclpp");
  if (!table)
    return;
  MscclppModel &model = machine.mscclpp.emplace();
  model.launch = machine.launch;
  table->time("launch", model.launch);
  table->time("dispatch", model.dispatch);
  table->time("nop", model.nop);
  table->time("barrier", model.barrier);
  table->time("semaphore", model.semaphore);
  table->time("signal", model.signal);
  table->time("wait", model.wait);
  table->bytes("slice", model.slice);
  if (model.slice == Bytes())
    table->error("slice", "takes at least 1 byte");
  JsonObject memory = table->object("memory");
  readMovement(memory, model.memory);
  memory.finish();
  JsonObject packets = table->object("packet");
  readMovement(packets, model.packets);
  packets.finish();
  if (std::optional<JsonObject> port = table->optionalObject("port")) {
    model.port = MscclppModel::Port{};
    port->time("trigger", model.port->trigger);
    port->time("transfer", model.port->transfer);
    port->time("signal", model.port->signal);
    port->finish();
  }
  table->finish();
}
