//===- Outlook.cpp - Bounds and expectations from few sizes ---------------===//
//
// All arithmetic is in integers, so that decisions are the same on every host.
//
//===----------------------------------------------------------------------===//

#include "Outlook.h"

#include "llvm/Support/MathExtras.h"

using namespace cclc;

namespace {
/// Larger buffers are pipelined better: the time per byte falls at most to this part.
constexpr int64_t pipelineGain = 6;
/// The margin of an expectation in percent: the first part, and that for each doubling of the size
/// times each doubling between the two sizes that it is derived from.
constexpr int64_t firstMargin = 2, mostMargin = 40;

/// The number of pieces from which a size is steady, and from which the growth from a size of few
/// pieces is that of further ones, but for about four pieces.
constexpr uint32_t steadyPieces = 4, manyPieces = 16;

struct Run {
  uint64_t size;
  SimTime time;
  uint32_t pieces;
};

/// The two largest simulated sizes below \p size, the larger one first.
SmallVector<Run, 2> runsBelow(const Measure &measure, uint64_t size) {
  SmallVector<Run, 2> found;
  for (auto run = measure.runs.lower_bound(size);
       run != measure.runs.begin() && found.size() < 2;) {
    --run;
    if (run->second.time == SimTime::max())
      break;
    found.push_back({run->first, run->second.time, run->second.pieces});
  }
  return found;
}

/// The increase from \p before to \p size if it is that between \p first and \p before.
Wide growthTo(uint64_t size, const Run &before, const Run &first) {
  return Wide((before.time - first.time).picoseconds()) * Wide(size - before.size) /
         Wide(before.size - first.size);
}

int64_t doublings(uint64_t from, uint64_t to) { return llvm::Log2_64_Ceil(ceilDiv(to, from)); }
} // namespace

SimTime cclc::leastTime(const Measure &measure, uint64_t size) {
  SimTime least = measure.load(size);
  if (auto above = measure.longer.upper_bound(size); above != measure.longer.begin())
    least = std::max(least, std::prev(above)->second.than);
  SmallVector<Run, 2> runs = runsBelow(measure, size);
  if (runs.empty())
    return least;
  least = std::max(least, runs[0].time);
  if (runs.size() < 2 || runs[1].time >= runs[0].time)
    return least;
  Wide growth = growthTo(size, runs[0], runs[1]);
  return std::max(least, runs[0].time + SimTime::clamped(growth / pipelineGain));
}

std::optional<SimTime> cclc::expectedTime(const Measure &measure, uint64_t size) {
  SmallVector<Run, 2> runs = runsBelow(measure, size);
  if (runs.size() < 2 || runs[1].time >= runs[0].time)
    return std::nullopt;
  const bool isFull = runs[0].pieces >= manyPieces;
  if (!isFull && std::min(runs[0].pieces, runs[1].pieces) < steadyPieces)
    return std::nullopt;
  // n pieces in a pipeline of d stages take n + d - 1 times the time of a stage. Two runs give
  // both: a share of the time in proportion to the size would count the stages for every piece.
  Wide time = Wide(runs[0].time.picoseconds()) + growthTo(size, runs[0], runs[1]);
  int64_t margin =
      firstMargin + doublings(runs[0].size, size) * doublings(runs[1].size, runs[0].size);
  if (isFull)
    margin = std::min<int64_t>(margin, firstMargin + 400 / runs[0].pieces);
  return SimTime::clamped(time * (100 - std::min(margin, mostMargin)) / 100);
}

std::optional<SimTime> cclc::expectedTime(const Measure &measure, const Measure &similar,
                                          uint64_t size) {
  std::optional<SimTime> other = similar.time(size);
  for (auto run = measure.runs.lower_bound(size); other && run != measure.runs.begin();) {
    --run;
    std::optional<SimTime> time = measure.time(run->first), known = similar.time(run->first);
    if (time && known && *known > SimTime())
      return run->second.pieces < steadyPieces
                 ? std::nullopt
                 : std::optional(SimTime::clamped(Wide(other->picoseconds()) * time->picoseconds() /
                                                  known->picoseconds()));
  }
  return std::nullopt;
}

bool cclc::isClearlyFaster(SimTime time, SimTime other) {
  return Wide(time.picoseconds()) * 100 < Wide(other.picoseconds()) * 99;
}

SimTime cclc::afterDoublings(SimTime time, std::optional<SimTime> before, unsigned doublings) {
  Wide left = time.picoseconds();
  for (unsigned i = 0; i < doublings; ++i)
    left = before && *before > SimTime()
               ? std::max(left / 2, left * Wide(time.picoseconds()) / Wide(before->picoseconds()))
               : left / 2;
  return SimTime::clamped(left);
}
