//===- TimeEstimate.cpp - Bounds and expectations from few sizes ----------===//
//
// All arithmetic is in integers, so that decisions are the same on every host.
//
//===----------------------------------------------------------------------===//

#include "TimeEstimate.h"

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

/// The largest size below \p size at which the plan took longer than a limit, with this limit, if
/// the largest run below has a smaller size and several pieces, whose number grows with the size.
std::optional<Run> stoppedBelow(const Measure &measure, uint64_t size) {
  auto stopped = measure.longer.lower_bound(size);
  auto run = measure.runs.lower_bound(size);
  if (stopped == measure.longer.begin() || run == measure.runs.begin())
    return std::nullopt;
  --stopped;
  --run;
  const uint64_t pieces = uint64_t(run->second.pieces) * stopped->first / run->first;
  if (stopped->first < run->first || run->second.pieces < 2 ||
      stopped->second.than <= run->second.time)
    return std::nullopt;
  return Run{stopped->first, stopped->second.than, uint32_t(std::min<uint64_t>(pieces, 1 << 30))};
}

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

/// The time with \p size by two smaller sizes, less a margin; zero if they are not steady.
SimTime expectedBy(const Run &before, const Run &first, uint64_t size) {
  if (first.time >= before.time)
    return SimTime();
  const bool isFull = before.pieces >= manyPieces;
  if (!isFull && std::min(before.pieces, first.pieces) < steadyPieces)
    return SimTime();
  // n pieces in a pipeline of d stages take n + d - 1 times the time of a stage. Two runs give
  // both: a share of the time in proportion to the size would count the stages for every piece.
  Wide time = Wide(before.time.picoseconds()) + growthTo(size, before, first);
  int64_t margin = firstMargin + doublings(before.size, size) * doublings(first.size, before.size);
  if (isFull)
    margin = std::min<int64_t>(margin, firstMargin + 400 / before.pieces);
  return SimTime::clamped(time * (100 - std::min(margin, mostMargin)) / 100);
}
} // namespace

SimTime cclc::leastTime(const Measure &measure, uint64_t size) {
  SimTime least = measure.load(size);
  if (auto above = measure.longer.upper_bound(size); above != measure.longer.begin())
    least = std::max(least, std::prev(above)->second.than);
  SmallVector<Run, 2> runs = runsBelow(measure, size);
  if (runs.empty())
    return least;
  least = std::max(least, runs[0].time);
  // Of one piece, nothing overlaps yet.
  if (runs.size() < 2 || runs[1].time >= runs[0].time || runs[0].pieces < 2)
    return least;
  Wide growth = growthTo(size, runs[0], runs[1]);
  return std::max(least, runs[0].time + SimTime::clamped(growth / pipelineGain));
}

std::optional<SimTime> cclc::expectedTime(const Measure &measure, uint64_t size) {
  SmallVector<Run, 2> runs = runsBelow(measure, size);
  SimTime expected;
  if (runs.size() > 1)
    expected = expectedBy(runs[0], runs[1], size);
  // The plan takes longer than the limit, so that it grows by more.
  if (std::optional<Run> stopped = stoppedBelow(measure, size); stopped && !runs.empty())
    expected = std::max(expected, expectedBy(*stopped, runs[0], size));
  return expected == SimTime() ? std::nullopt : std::optional(expected);
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
