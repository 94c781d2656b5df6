//===- LinearFit.h - Least squares without negative values ------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_RUN_LINEARFIT_H
#define CCL_TOOLS_CCL_RUN_LINEARFIT_H

#include "cclc/Support/LLVM.h"

#include <vector>

namespace cclc {

/// A measured value and the coefficients of the unknowns that add up to it.
struct Observation {
  std::vector<double> coefficients;
  double value;
};

/// The unknowns, none of them negative, with the least sum of squares of the relative errors of
/// \p rows, whose values are positive. An unknown without coefficients is 0.
std::vector<double> fitLinear(ArrayRef<Observation> rows);

/// The value that \p unknowns give for \p row.
double predicted(const Observation &row, ArrayRef<double> unknowns);

/// The sum of squares of the relative errors.
double squaredError(ArrayRef<Observation> rows, ArrayRef<double> unknowns);

/// The median of the relative errors.
double medianError(ArrayRef<Observation> rows, ArrayRef<double> unknowns);

} // namespace cclc

#endif // CCL_TOOLS_CCL_RUN_LINEARFIT_H
