//===- Families.h - One builder for each family of targets ------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_FAMILIES_H
#define CCL_LIB_TARGET_FAMILIES_H

#include "Json.h"
#include "cclc/Target/Loader.h"
#include "cclc/Target/MachineBuilder.h"

namespace cclc {

/// Each builder reads the keys of its family from \p file; the common keys are read separately.
/// \p ranks is the required number of ranks, if it is known.
void buildAhbm(JsonObject &file, MachineBuilder &builder);
void buildSwitched(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);
void buildGraph(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);

/// Reads the routing rule, by default that of the family.
void readRouting(JsonObject &file, MachineBuilder &builder);

/// The memories that target files name, in the order of PeMemory.
inline constexpr const char *memoryNames[] = {"tcm", "sram", "hbm"};
/// Reads the capacities of the memories of a machine with several, and where its buffers are.
void readMemories(JsonObject &memory, MemoryModel &model);
/// Reads the capacity of the single memory of a PE.
void readSingleMemory(JsonObject &file, MemoryModel &model);

/// Reads the processors that execute the steps of several PEs.
void readProcessors(JsonObject &file, Machine &machine);

/// Reads `payload_efficiency`, the payload per byte on links, by default 1, as the payload per
/// million bytes.
void readEfficiency(JsonObject &object, uint32_t &efficiency);
/// Reads the table of protocols.
void readProtocols(JsonObject &file, Machine &machine);

/// Reads the operations of the switches.
void readSwitch(JsonObject &file, Machine &machine);

/// Reads the table of the MSCCL++ executor.
void readMscclpp(JsonObject &file, Machine &machine);

/// Reads the keys that only one of the objects has: of `ipcq` the numbers of queues and how
/// connections share them, of `queue` the messages that are read.
void readDirectionQueues(JsonObject &queue, Machine &machine);
/// Whether --multiplex-queues is given.
bool asksToShareQueues(ArrayRef<TargetOverride> overrides);

/// Applies the link changes in \p file to a machine that has been built.
void changeLinks(JsonObject &file, MachineBuilder &builder);

/// Whether \p path names links by their nodes: links.NODE->NODE, optionally with a key.
bool namesLinks(StringRef path);

/// The maximum number of endpoints, so that a target file cannot exhaust memory.
inline constexpr uint32_t maxEndpoints = 1u << 16;

} // namespace cclc

#endif // CCL_LIB_TARGET_FAMILIES_H
