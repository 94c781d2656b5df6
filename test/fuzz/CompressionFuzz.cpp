//===- CompressionFuzz.cpp - Arbitrary bytes, read as a compressed file ---===//
//
// Bytes are read as they are, after the first bytes of each format, and compressed with one byte
// changed or the end cut off: each is unpacked or refused with one error. What was compressed is
// unpacked to the same bytes.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "cclc/Support/Compression.h"
#include "cclc/Support/MemoryBudget.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

using namespace cclc;
using namespace cclc::fuzz;

namespace {
/// The unpacked bytes; none if they are refused or exceed the limit of memory.
std::optional<std::string> unpacked(const std::string &bytes, StringRef input) {
  MemoryBudget::setLimit(Bytes(MemoryBudget::used().count() + (uint64_t(64) << 20)));
  DiagnosticEngine diags;
  try {
    auto file = decompressed(llvm::MemoryBuffer::getMemBufferCopy(bytes), "fuzz", diags);
    if (failed(file) != diags.hasErrors() || diags.all().size() > 1)
      defect("the result and the errors disagree", input, diags);
    if (succeeded(file))
      return (*file)->getBuffer().str();
  } catch (const MemoryExceeded &) {
  }
  return std::nullopt;
}

std::string packed(StringRef bytes, StringRef name) {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (auto stream = compressingStream(name, os))
    *stream << bytes;
  return os.str();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const StringRef input(reinterpret_cast<const char *>(data), size);
  bool accepted = unpacked(input.str(), input).has_value();
  for (StringRef magic : {StringRef("\x28\xb5\x2f\xfd", 4), StringRef("\x1f\x8b\x08\0", 4)})
    accepted |= unpacked((magic + input).str(), input).has_value();
  const uint64_t hash = llvm::xxh3_64bits(input);
  for (StringRef name : {"file.zst", "file.gz"}) {
    std::string whole = packed(input, name);
    if (unpacked(whole, input) != input.str())
      defect("compressed bytes are unpacked to others", input, {});
    if (unpacked(whole + whole, input) != (input + input).str())
      defect("two compressed parts are unpacked to other bytes", input, {});
    if (unpacked(whole.substr(0, std::max<size_t>(hash % whole.size(), 4)), input) == input.str() &&
        !input.empty())
      defect("a file that is cut off is unpacked", input, {});
    whole[hash % whole.size()] ^= char(1 << (hash >> 32) % 8);
    unpacked(whole, input);
  }
  return accepted ? 0 : -1;
}
