//===- Ops.h - Kinds of instructions ----------------------------*- C++ -*-===//

#ifndef CCL_IR_OPS_H
#define CCL_IR_OPS_H

#include "cclc/Support/LLVM.h"

#include <optional>

namespace cclc {

/// The instructions of the Instruction DAG and of plans; Ops.def describes them.
enum class OpKind : uint8_t {
#define CCL_OP(NAME, ...) NAME,
#include "cclc/IR/Ops.def"
};

/// The columns of Ops.def for one OpKind.
struct OpTraits {
  const char *mnemonic;
  bool receives, sends, readsSrc, readsDst, writesDst;
  const char *meaning;

  constexpr bool communicates() const { return receives || sends; }
  constexpr bool isFused() const { return receives && sends; }
  /// A receive that reduces or sends in the same step; some runtimes have none of these.
  constexpr bool isFusedReceive() const { return receives && (sends || readsSrc); }
  /// Combines two values with the reduction operator.
  constexpr bool reduces() const { return readsDst || (receives && readsSrc); }
};

inline constexpr OpTraits opTraitsTable[] = {
#define CCL_OP(NAME, MNEMONIC, RECEIVES, SENDS, READS_SRC, READS_DST, WRITES_DST, MEANING)         \
  {#MNEMONIC, RECEIVES, SENDS, READS_SRC, READS_DST, WRITES_DST, MEANING},
#include "cclc/IR/Ops.def"
};
inline constexpr unsigned numOpKinds = sizeof(opTraitsTable) / sizeof(opTraitsTable[0]);

constexpr const OpTraits &traits(OpKind op) { return opTraitsTable[static_cast<unsigned>(op)]; }

/// The OpKind with this mnemonic, or none.
std::optional<OpKind> parseOpKind(StringRef mnemonic);

} // namespace cclc

#endif // CCL_IR_OPS_H
