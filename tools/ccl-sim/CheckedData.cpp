#include "CheckedData.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

CheckedData::CheckedData(const BoundPlan &bound, const Sizing &sizing, ReduceOp op,
                         Placement placement, std::optional<uint64_t> seed)
    : executor(bound, sizing, op, placement, seed) {
  if (!seed)
    return;
  replay.emplace(bound, sizing, executor.input(), op, placement);
  executor.compareWith([this](RankId rank, uint32_t chunk, uint32_t run) {
    return replay->expected(rank, chunk, run);
  });
}

std::string cclc::mismatchText(const DataMismatch &mismatch, Placement placement,
                               const Sizing &sizing, uint32_t runs) {
  std::string text = formatv(
      "wrong data {0} at {1} bytes{2}: r{3}:o[{4}], element {5} of the "
      "output: expected {6}, got {7}",
      placement == Placement::InPlace ? "in place" : "out of place", sizing.requested.count(),
      runs > 1 ? formatv(" in run {0} of {1}", mismatch.run + 1, runs).str() : "",
      mismatch.rank.index(), mismatch.chunk, mismatch.element, mismatch.expected, mismatch.got);
  if (mismatch.more)
    text += formatv(" ({0} more wrong {1})", mismatch.more,
                    mismatch.more == 1 ? "element" : "elements");
  return text;
}
