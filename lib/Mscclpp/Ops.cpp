#include "cclc/Mscclpp/Ops.h"

using namespace cclc;
using namespace cclc::mscclpp;

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

const OpTraits &mscclpp::traits(OpKind op) { return table[static_cast<unsigned>(op)]; }

std::optional<OpKind> mscclpp::parseOpKind(StringRef mnemonic) {
  for (unsigned op = 0; op < std::size(table); ++op)
    if (mnemonic == table[op].mnemonic)
      return static_cast<OpKind>(op);
  return std::nullopt;
}
