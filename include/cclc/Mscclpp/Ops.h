//===- Ops.h - Kinds of operations of MSCCL++ plans -------------*- C++ -*-===//

#ifndef CCL_MSCCLPP_OPS_H
#define CCL_MSCCLPP_OPS_H

#include "cclc/Support/LLVM.h"

#include <optional>

namespace cclc::mscclpp {

/// The operations; Ops.def describes them.
enum class OpKind : uint8_t {
#define CCL_MSCCLPP_SYNC(NAME, ...) NAME,
#define CCL_MSCCLPP_DATA(NAME, ...) NAME,
#include "cclc/Mscclpp/Ops.def"
};

/// The kinds of channels: threads access the memory of another rank (Memory), a proxy transfers
/// data (Port), or a switch accesses the memories of several ranks at once (Switch).
enum class ChannelKind : uint8_t { Memory, Port, Switch };
/// "memory", "port" or "switch".
const char *channelKindName(ChannelKind kind);

/// The access to a source or destination of an operation. Staged packets are in the rank's own
/// scratch and are read without waiting for their flags.
enum class Access : uint8_t {
  None,
  Local,
  Packets,
  Remote,
  RemotePackets,
  Switch,
  SwitchPackets,
  Staged
};
constexpr bool isRemote(Access access) {
  return access == Access::Remote || access == Access::RemotePackets;
}
constexpr bool isOnSwitch(Access access) {
  return access == Access::Switch || access == Access::SwitchPackets;
}
constexpr bool isPackets(Access access) {
  return access == Access::Packets || access == Access::RemotePackets ||
         access == Access::SwitchPackets || access == Access::Staged;
}

/// The objects that the numbers of an operation refer to.
enum class IdKind : uint8_t { None, Channels, Semaphores, Barrier };

/// The columns of Ops.def for one OpKind.
struct OpTraits {
  const char *mnemonic;
  Access src[2];     ///< first and further sources
  Access dst[3];     ///< first, second and further destinations
  uint32_t least[2]; ///< minimum numbers of sources and destinations
  bool paired;
  IdKind ids;

  constexpr Access source(size_t index) const { return src[index < 1 ? index : 1]; }
  constexpr Access destination(size_t index) const { return dst[index < 2 ? index : 2]; }
  constexpr bool movesData() const { return least[0] != 0; }
  constexpr bool usesPackets() const {
    return isPackets(src[0]) || isPackets(src[1]) || isPackets(dst[0]) || isPackets(dst[1]);
  }
  constexpr bool usesSwitch() const { return isOnSwitch(dst[0]); }
  /// Whether the operation has a kind of channel: its own, or that of its buffers.
  constexpr bool usesChannels() const {
    return ids == IdKind::Channels || usesSwitch() || isRemote(src[0]) || isRemote(src[1]) ||
           isRemote(dst[0]) || isRemote(dst[1]) || isRemote(dst[2]);
  }
};

const OpTraits &traits(OpKind op);

/// The operations that give to (increment) or take from (decrement) counters, that is,
/// channels and semaphores.
constexpr bool gives(OpKind op) {
  return op == OpKind::Signal || op == OpKind::RelaxedSignal || op == OpKind::Release ||
         op == OpKind::PutSignal || op == OpKind::PutSignalFlush;
}
constexpr bool takes(OpKind op) {
  return op == OpKind::Wait || op == OpKind::RelaxedWait || op == OpKind::Acquire;
}

/// Whether operations \p op exist on channels of kind \p kind.
bool existsOn(OpKind op, ChannelKind kind);

/// The OpKind with this mnemonic, or none.
std::optional<OpKind> parseOpKind(StringRef mnemonic);

} // namespace cclc::mscclpp

#endif // CCL_MSCCLPP_OPS_H
