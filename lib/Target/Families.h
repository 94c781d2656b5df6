//===- Families.h - One builder for each family of targets ------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_FAMILIES_H
#define CCL_LIB_TARGET_FAMILIES_H

#include "Json.h"
#include "cclc/Target/MachineBuilder.h"

namespace cclc {

/// Each reads what its family has in \p file, apart from what all have in common.
/// \p ranks is how many the machine must make room for, if that is known.
void buildAhbm(JsonObject &file, MachineBuilder &builder);
void buildSwitched(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);
void buildGraph(JsonObject &file, std::optional<uint32_t> ranks, MachineBuilder &builder);

/// What \p file says about single links of a machine that has been built.
void changeLinks(JsonObject &file, MachineBuilder &builder);

/// More endpoints than this are refused: a target file must not exhaust memory.
inline constexpr uint32_t maxEndpoints = 1u << 16;

} // namespace cclc

#endif // CCL_LIB_TARGET_FAMILIES_H
