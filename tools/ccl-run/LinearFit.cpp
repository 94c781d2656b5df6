//===- LinearFit.cpp - Least squares without negative values --------------===//
//
// The normal equations of relative errors, solved by Gaussian elimination. If an unknown is
// negative, the most negative one is set to 0 and the others are computed again. Unknowns are few,
// and their columns are scaled, so that the equations are well conditioned.
//
//===----------------------------------------------------------------------===//

#include "LinearFit.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace cclc;

using Matrix = std::vector<std::vector<double>>;

/// Solves \p system, whose rows have the right side at their end, with pivots of columns. Unknowns
/// without a pivot are 0.
static std::vector<double> solve(Matrix system) {
  const size_t size = system.size();
  std::vector<double> result(size);
  std::vector<size_t> pivotRow(size, size);
  size_t row = 0;
  for (size_t column = 0; column < size && row < size; ++column) {
    size_t best = row;
    for (size_t r = row; r < size; ++r)
      if (std::fabs(system[r][column]) > std::fabs(system[best][column]))
        best = r;
    if (std::fabs(system[best][column]) < 1e-12)
      continue;
    std::swap(system[row], system[best]);
    for (size_t r = 0; r < size; ++r) {
      if (r == row)
        continue;
      double factor = system[r][column] / system[row][column];
      for (size_t c = column; c <= size; ++c)
        system[r][c] -= factor * system[row][c];
    }
    pivotRow[column] = row++;
  }
  for (size_t column = 0; column < size; ++column)
    if (pivotRow[column] < size)
      result[column] = system[pivotRow[column]][size] / system[pivotRow[column]][column];
  return result;
}

/// The fit of the unknowns in \p used; others are 0.
static std::vector<double> fitSome(ArrayRef<Observation> rows, ArrayRef<size_t> used,
                                   ArrayRef<double> scale) {
  Matrix system(used.size(), std::vector<double>(used.size() + 1));
  for (const Observation &row : rows)
    for (size_t i = 0; i < used.size(); ++i) {
      double left = row.coefficients[used[i]] / scale[used[i]] / row.value;
      for (size_t j = 0; j < used.size(); ++j)
        system[i][j] += left * row.coefficients[used[j]] / scale[used[j]] / row.value;
      system[i][used.size()] += left;
    }
  std::vector<double> some = solve(std::move(system)), result(scale.size());
  for (size_t i = 0; i < used.size(); ++i)
    result[used[i]] = some[i] / scale[used[i]];
  return result;
}

std::vector<double> cclc::fitLinear(ArrayRef<Observation> rows) {
  if (rows.empty())
    return {};
  const size_t size = rows.front().coefficients.size();
  std::vector<double> scale(size);
  for (const Observation &row : rows)
    for (size_t i = 0; i < size; ++i)
      scale[i] = std::max(scale[i], row.coefficients[i] / row.value);
  std::vector<size_t> used;
  for (size_t i = 0; i < size; ++i)
    if (scale[i] > 0)
      used.push_back(i);
    else
      scale[i] = 1;
  while (true) {
    std::vector<double> result = fitSome(rows, used, scale);
    auto least = std::min_element(used.begin(), used.end(), [&](size_t a, size_t b) {
      return result[a] * scale[a] < result[b] * scale[b];
    });
    if (least == used.end() || result[*least] >= 0)
      return result;
    used.erase(least);
  }
}

double cclc::predicted(const Observation &row, ArrayRef<double> unknowns) {
  double sum = 0;
  for (size_t i = 0; i < unknowns.size(); ++i)
    sum += row.coefficients[i] * unknowns[i];
  return sum;
}

double cclc::squaredError(ArrayRef<Observation> rows, ArrayRef<double> unknowns) {
  double sum = 0;
  for (const Observation &row : rows) {
    double error = predicted(row, unknowns) / row.value - 1;
    sum += error * error;
  }
  return sum;
}

double cclc::medianError(ArrayRef<Observation> rows, ArrayRef<double> unknowns) {
  std::vector<double> errors;
  for (const Observation &row : rows)
    errors.push_back(std::fabs(predicted(row, unknowns) / row.value - 1));
  llvm::sort(errors);
  return errors.empty() ? 0 : errors[errors.size() / 2];
}
