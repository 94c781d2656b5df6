//===- DataMismatch.cpp - A wrong result ----------------------------------===//

#include "cclc/Sim/Data/DataMismatch.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace cclc;
using llvm::formatv;

void cclc::compareElements(DataType type, RankId rank, uint32_t chunk, uint32_t run, uint64_t first,
                           uint64_t elements, const std::byte *have, const std::byte *want,
                           std::optional<DataMismatch> &mismatch) {
  size_t size = sizeOf(type);
  if (std::memcmp(have, want, elements * size) == 0)
    return;
  for (uint64_t e = 0; e < elements; ++e) {
    const std::byte *h = have + e * size, *w = want + e * size;
    if (std::memcmp(h, w, size) == 0)
      continue;
    if (mismatch)
      ++mismatch->more;
    else
      mismatch =
          DataMismatch{run, rank, chunk, first + e, elementText(type, w), elementText(type, h), 0};
  }
}

std::string cclc::mismatchText(const DataMismatch &mismatch, Placement placement, Bytes requested,
                               uint32_t runs) {
  std::string text = formatv(
      "wrong data {0} at {1} bytes{2}: r{3}:o[{4}], element {5} of the "
      "output: expected {6}, got {7}",
      placementText(placement), requested.count(),
      runs > 1 ? formatv(" in run {0} of {1}", mismatch.run + 1, runs).str() : "",
      mismatch.rank.index(), mismatch.chunk, mismatch.element, mismatch.expected, mismatch.got);
  if (mismatch.more)
    text += formatv(" ({0} more wrong {1})", mismatch.more,
                    mismatch.more == 1 ? "element" : "elements");
  return text;
}
