//===- PairedRatio.h - Two times that are measured in turns -----*- C++ -*-===//
//
// Times on a machine with other work vary by far more than the plans that are compared. In turns,
// both are disturbed alike: the ratio of each pair varies less than its times, and no distribution
// needs to be assumed of it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_PAIREDRATIO_H
#define CCL_SUPPORT_PAIREDRATIO_H

#include "cclc/Support/LLVM.h"

#include <optional>
#include <vector>

namespace cclc {

/// The middle one of \p values, or the mean of the two in the middle; 0 without any.
double medianOf(std::vector<double> values);

/// The ratio of pairs.
struct PairedRatio {
  double median;
  /// The ends of an interval that has the median of all possible pairs with a confidence of 95 %.
  double low, high;
};

/// The median of \p above[i] / \p below[i], with the interval of the sign test (order statistics of
/// the ratios; Dixon and Mood, The statistical sign test, Journal of the American Statistical
/// Association 41, 1946). Unset for fewer than six pairs, which have no such interval.
std::optional<PairedRatio> pairedRatio(ArrayRef<double> above, ArrayRef<double> below);

} // namespace cclc

#endif // CCL_SUPPORT_PAIREDRATIO_H
