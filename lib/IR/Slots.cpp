#include "cclc/IR/Slots.h"

#include "llvm/ADT/StringRef.h"

using namespace cclc;

std::optional<Slots> Slots::parse(StringRef text) {
  if (text == "inf")
    return unlimited();
  uint32_t count;
  if (text.getAsInteger(10, count) || count == 0)
    return std::nullopt;
  return Slots(count);
}
