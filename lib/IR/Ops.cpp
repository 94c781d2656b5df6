#include "cclc/IR/Ops.h"

#include "cclc/IR/Operand.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;

std::optional<OpKind> cclc::parseOpKind(StringRef mnemonic) {
  return llvm::StringSwitch<std::optional<OpKind>>(mnemonic)
#define CCL_OP(NAME, MNEMONIC, ...) .Case(#MNEMONIC, OpKind::NAME)
#include "cclc/IR/Ops.def"
      .Default(std::nullopt);
}

std::optional<Buffer> cclc::parseBuffer(StringRef letter) {
  return llvm::StringSwitch<std::optional<Buffer>>(letter)
      .Case("i", Buffer::Input)
      .Case("o", Buffer::Output)
      .Case("s", Buffer::Scratch)
      .Default(std::nullopt);
}

void cclc::printRange(raw_ostream &os, Operand operand, uint32_t count) {
  if (operand.isNone()) {
    os << '-';
    return;
  }
  os << bufferLetter(operand.buffer()) << '[' << operand.index();
  if (count != 1)
    os << ':' << operand.index() + count;
  os << ']';
}
