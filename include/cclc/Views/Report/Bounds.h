//===- Bounds.h - Bounds as text and JSON -----------------------*- C++ -*-===//

#ifndef CCL_VIEWS_REPORT_BOUNDS_H
#define CCL_VIEWS_REPORT_BOUNDS_H

#include "cclc/Bound/CollectiveBound.h"

#include <memory>

namespace cclc {

/// The lower bounds of one size.
struct BoundRow {
  Bytes bytes;
  SizeBound bound;
  std::optional<SimTime> planTime;
};

struct BoundTable {
  std::unique_ptr<const Machine> machine; ///< to which \c bounds refers
  std::string network;
  Collective collective;
  CollectiveBound bounds;
  std::optional<std::string> plan; ///< its name
  /// What a slot holds in the bounds of engines and memory; unset if they do not depend on it.
  std::optional<Bytes> slotSize;
  std::vector<BoundRow> rows;
};

/// "routes pass gpu4, gpu5, which are no ranks", or "" if \p relays is empty.
std::string relayText(ArrayRef<std::string> relays);

void printBounds(const BoundTable &table, raw_ostream &os);
/// docs/CommandGuide/ccl-bound.md documents the keys.
void writeBoundsJson(const BoundTable &table, raw_ostream &os);

} // namespace cclc

#endif // CCL_VIEWS_REPORT_BOUNDS_H
