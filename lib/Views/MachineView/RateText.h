//===- RateText.h - Rates for people ----------------------------*- C++ -*-===//

#ifndef CCL_LIB_VIEWS_MACHINEVIEW_RATETEXT_H
#define CCL_LIB_VIEWS_MACHINEVIEW_RATETEXT_H

#include "cclc/Support/Decimal.h"

namespace cclc {

/// "37.5 GB/s", "900 B/s", "no limit".
inline std::string rateText(Bandwidth rate) {
  if (rate.isUnlimited())
    return "no limit";
  if (rate.bytesPerSecond() < 1'000'000)
    return std::to_string(rate.bytesPerSecond()) + " B/s";
  return trimmed(gigabytesText(rate.bytesPerSecond())) + " GB/s";
}

} // namespace cclc

#endif // CCL_LIB_VIEWS_MACHINEVIEW_RATETEXT_H
