//===- Processors.cpp - Processors that execute the steps of PEs ----------===//

#include "Families.h"

#include <cmath>

using namespace cclc;

void cclc::readProcessors(JsonObject &file, Machine &machine) {
  JsonObject object = file.object("processors");
  ProcessorModel model{};
  std::optional<uint32_t> count;
  double factor = 1;
  object.number("count", count, 1, 1 << 16);
  object.rate("copy_bandwidth", model.copyRate);
  object.time("latency", model.latency);
  object.rate("fetch_bandwidth", model.fetchRate);
  object.bytes("direct", model.direct);
  object.bytes("cache", model.cache);
  object.real("memory_factor", factor);
  if (factor >= 1 && factor <= 1000)
    model.memoryPermille = std::lround(factor * 1000);
  else
    object.error("memory_factor", "takes a number from 1 to 1000");
  object.finish();
  if (!count)
    return;
  model.count = *count;
  machine.processors = model;
  // A processor takes their place.
  machine.pe.streams = std::nullopt;
  machine.pe.threadblockRate = Bandwidth();
}
