//===- CollectiveKind.h - The collectives by name ---------------*- C++ -*-===//
//
// Standard library only: users' programs include this header.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_COLLECTIVEKIND_H
#define CCL_IR_COLLECTIVEKIND_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace cclc {

enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  AllToNext,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  SendRecv,
  Scan,
  Exscan,
  Custom,
};

/// "allreduce", "reducescatter", ...: the spelling of flags, text IR and JSON.
std::string_view collectiveName(CollectiveKind kind);
/// The inverse; also understands "reduce_scatter", the spelling of MSCCL-IR.
std::optional<CollectiveKind> parseCollective(std::string_view name);

} // namespace cclc

#endif // CCL_IR_COLLECTIVEKIND_H
