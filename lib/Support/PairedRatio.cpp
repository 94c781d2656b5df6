//===- PairedRatio.cpp - The interval of the sign test --------------------===//
//
// The number of ratios below the median of all possible pairs has a binomial distribution. As many
// of the smallest and of the largest ratios are left out as have a probability of 2.5 % at most to
// be all on one side.
//
//===----------------------------------------------------------------------===//

#include "cclc/Support/PairedRatio.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>
#include <cmath>

using namespace cclc;

double cclc::medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The number of ratios to leave out at each end: the largest with a tail of 2.5 % or less.
static size_t leftOut(size_t pairs) {
  constexpr double tail = 0.025;
  // The probability that exactly this number of ratios are below the median.
  auto probability = [&](size_t number) {
    const double n = double(pairs), k = double(number);
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                    n * std::log(2.0));
  };
  size_t number = 0;
  for (double sum = probability(0); sum <= tail; sum += probability(number))
    ++number;
  return number;
}

std::optional<PairedRatio> cclc::pairedRatio(ArrayRef<double> above, ArrayRef<double> below) {
  assert(above.size() == below.size() && "times in pairs");
  std::vector<double> ratios;
  for (auto [a, b] : llvm::zip_equal(above, below))
    ratios.push_back(a / b);
  const size_t pairs = ratios.size(), out = leftOut(pairs);
  if (out == 0)
    return std::nullopt;
  llvm::sort(ratios);
  return PairedRatio{medianOf(ratios), ratios[out - 1], ratios[pairs - out]};
}
