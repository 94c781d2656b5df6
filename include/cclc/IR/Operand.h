//===- Operand.h - A place in the memory of a rank --------------*- C++ -*-===//

#ifndef CCL_IR_OPERAND_H
#define CCL_IR_OPERAND_H

#include "cclc/Support/LLVM.h"

#include <cassert>
#include <optional>

namespace cclc {

/// The three buffers of a rank. All named scratch of a program shares Scratch.
enum class Buffer : uint8_t { Input, Output, Scratch };

/// "i", "o" or "s", as in MSCCL-IR.
constexpr char bufferLetter(Buffer buffer) { return "ios"[static_cast<unsigned>(buffer)]; }
std::optional<Buffer> parseBuffer(StringRef letter);

/// The first chunk of a local operand: a buffer and an index in it, or none if the instruction does
/// not use the operand. The number of chunks is the count of the instruction.
class Operand {
public:
  static constexpr uint32_t maxIndex = (uint32_t(1) << 30) - 1;

  /// None.
  constexpr Operand() = default;
  constexpr Operand(Buffer buffer, uint32_t index)
      : bits(static_cast<uint32_t>(buffer) << 30 | index) {
    assert(index <= maxIndex);
  }

  constexpr bool isNone() const { return bits == none; }
  constexpr Buffer buffer() const {
    assert(!isNone());
    return static_cast<Buffer>(bits >> 30);
  }
  constexpr uint32_t index() const {
    assert(!isNone());
    return bits & maxIndex;
  }
  constexpr Operand offsetBy(uint32_t chunks) const { return Operand(buffer(), index() + chunks); }

  friend constexpr bool operator==(Operand, Operand) = default;

private:
  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t bits = none;
};

/// Prints i[3], i[3:5] (half open) if the count is above one, or "-" for none.
void printRange(raw_ostream &os, Operand operand, uint32_t count);

} // namespace cclc

#endif // CCL_IR_OPERAND_H
