#include "CoarseSizes.h"

#include <algorithm>

using namespace cclc;

namespace {
/// The first rung has at most this number of sizes, up to a buffer of this many bytes: it compares
/// many candidates, and the simulation of larger buffers takes longer.
constexpr size_t maxCoarse = 6;
constexpr uint64_t largestCoarse = uint64_t(256) << 20;
/// Smaller sizes are added where one is more than \c largestGap times the next, or the least: small
/// buffers show cheaply which parallelism pays, and the time of one large buffer does not.
constexpr uint64_t largestGap = 256, addedStep = 16, leastCoarse = 1024;
/// A part of the largest buffer takes its place if it is not smaller than this: it shows the order
/// of most plans in a part of the time, and the best are compared with the whole buffer later.
constexpr uint64_t part = 4, leastPart = uint64_t(16) << 20;
} // namespace

std::vector<uint64_t> cclc::coarseSizes(ArrayRef<uint64_t> sizes, const TuneOptions &options) {
  if (options.exhaustive || options.onePlan)
    return sizes.vec();
  size_t last = sizes.size() - 1;
  while (last > 0 && sizes[last] > largestCoarse)
    --last;
  const size_t parts = std::min(maxCoarse - 1, last);
  std::vector<uint64_t> coarse;
  for (size_t i = 0; i <= parts; ++i)
    coarse.push_back(sizes[parts ? last * i / parts : 0]);
  if (uint64_t &largest = coarse.back(); largest / part >= leastPart)
    largest = std::max(largest / part, coarse.size() > 1 ? coarse[coarse.size() - 2] : 0);
  for (size_t i = coarse.size(); i-- > 0;)
    for (const uint64_t below = i ? coarse[i - 1] : leastCoarse; coarse[i] / below > largestGap;)
      coarse.insert(coarse.begin() + i, coarse[i] / addedStep);
  coarse.erase(std::unique(coarse.begin(), coarse.end()), coarse.end());
  return coarse;
}
