//===- BoundOutput.h - Bounds as text and JSON ------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_BOUND_BOUNDOUTPUT_H
#define CCL_TOOLS_CCL_BOUND_BOUNDOUTPUT_H

#include "cclc/Bound/CollectiveBound.h"

namespace cclc {

struct BoundRow {
  Bytes bytes;
  SizeBound bound;
  std::optional<SimTime> planTime;
};

struct BoundReport {
  TargetStamp target;
  std::string network;
  Collective collective;
  const CollectiveBound &bounds;
  std::optional<std::string> plan; ///< its name
  std::vector<BoundRow> rows;
};

void printBounds(const BoundReport &report, raw_ostream &os);
void writeBoundsJson(const BoundReport &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_CCL_BOUND_BOUNDOUTPUT_H
