//===- Peak.h - What no plan beats, for all collectives ---------*- C++ -*-===//
//
// The lower bounds of every collective on a machine at one size as rates, those of the best flat
// rings and trees beside them, and measured times as shares of these.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_VIEWS_REPORT_PEAK_H
#define CCL_VIEWS_REPORT_PEAK_H

#include "cclc/Bound/CollectiveBound.h"

namespace cclc {

/// What the bounds of a peak assume.
struct PeakAssumptions {
  uint32_t payload = 1'000'000; ///< per million bytes on the links
  std::string protocol;         ///< which carries it; empty without protocols
  bool hasSwitches = false;
  std::optional<SwitchModel> switches; ///< unset: they only forward
  bool isDuplex = true;                ///< whether each link has an opposite one of the same rate
  std::vector<std::string> relays; ///< endpoints without a rank that routes pass
};

/// A collective on some ranks of the machine.
struct PeakRow {
  std::string place; ///< "1 node"
  Collective collective;
  /// Whether switches multicast and add; unset if the bound is the same with and without.
  std::optional<bool> switchesOperate;
  SizeBound bound;
  /// Of plans in which switches only forward; not less than the bound.
  std::optional<SimTime> ring, trees;
};

struct MeasuredTime {
  Bytes bytes;
  bool inPlace = false;
  SimTime time;
  SizeBound bound; ///< with switch operations, if the target has them
  std::optional<SimTime> ring;
};

/// The measurements of a file.
struct MeasuredPeak {
  std::string file, program; ///< "nccl-tests" or "OSU"
  Collective collective;
  std::vector<MeasuredTime> rows;
};

struct PeakTable {
  std::string target, network;
  Bytes bytes;
  PeakAssumptions assumptions;
  std::vector<PeakRow> rows;
  std::optional<MeasuredPeak> measured;
};

void printPeak(const PeakTable &table, raw_ostream &os);
/// docs/CommandGuide/ccl-bound.md documents the keys.
void writePeakJson(const PeakTable &table, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_PEAK_H
