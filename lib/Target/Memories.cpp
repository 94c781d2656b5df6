//===- Memories.cpp - Capacities and places of buffers --------------------===//

#include "Families.h"

using namespace cclc;

static void readPlace(JsonObject &memory, const char *key, PeMemory &place) {
  auto index = static_cast<uint32_t>(PeMemory::Hbm);
  memory.choice(key, memoryNames, index);
  place = static_cast<PeMemory>(index);
}

void cclc::readMemories(JsonObject &memory, MemoryModel &model) {
  for (size_t m = 0; m < std::size(memoryNames); ++m)
    memory.bytes((std::string(memoryNames[m]) + "_capacity").c_str(), model.capacity[m]);
  readPlace(memory, "scratch", model.scratch);
  readPlace(memory, "buffers", model.buffers);
}

void cclc::readSingleMemory(JsonObject &file, MemoryModel &model) {
  JsonObject memory = file.object("memory");
  memory.bytes("capacity", model.capacity[static_cast<size_t>(PeMemory::Only)]);
  memory.finish();
}
