#include "cclc/Mscclpp/Ops.h"

namespace cclc::mscclpp {

namespace {
constexpr OpTraits table[] = {
#define CCL_MSCCLPP_SYNC(NAME, MNEMONIC, IDS) {#MNEMONIC, {}, {}, {}, false, IdKind::IDS},
#define CCL_MSCCLPP_DATA(NAME, MNEMONIC, SRC, SRCS, DST, DST2, DSTS, LEAST, LEAST_DST, PAIRED)     \
  {#MNEMONIC,                                                                                      \
   {Access::SRC, Access::SRCS},                                                                    \
   {Access::DST, Access::DST2, Access::DSTS},                                                      \
   {LEAST, LEAST_DST},                                                                             \
   PAIRED,                                                                                         \
   IdKind::None},
#include "cclc/Mscclpp/Ops.def"
};
} // namespace

const OpTraits &traits(OpKind op) { return table[static_cast<unsigned>(op)]; }

const char *channelKindName(ChannelKind kind) {
  return kind == ChannelKind::Memory ? "memory" : kind == ChannelKind::Port ? "port" : "switch";
}

bool existsOn(OpKind op, ChannelKind kind) {
  switch (op) {
  case OpKind::Flush:
  case OpKind::PutSignal:
  case OpKind::PutSignalFlush:
    return kind == ChannelKind::Port;
  case OpKind::Signal:
  case OpKind::Wait:
  case OpKind::RelaxedSignal:
  case OpKind::RelaxedWait:
  case OpKind::Put:
  case OpKind::PutPackets:
  case OpKind::ReadPutPackets:
    return kind != ChannelKind::Switch;
  default:
    return kind == (traits(op).usesSwitch() ? ChannelKind::Switch : ChannelKind::Memory);
  }
}

std::optional<OpKind> parseOpKind(StringRef mnemonic) {
  for (unsigned op = 0; op < std::size(table); ++op)
    if (mnemonic == table[op].mnemonic)
      return static_cast<OpKind>(op);
  return std::nullopt;
}

} // namespace cclc::mscclpp
