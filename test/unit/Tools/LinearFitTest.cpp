//===- LinearFitTest.cpp - Tests of the fit of a calibration --------------===//

#include "../../support/RandomProgram.h"

#include "LinearFit.h"

#include <catch2/catch.hpp>

using namespace cclc;
using cclc::test::Random;

namespace {
/// Rows whose values are those of \p unknowns, times up to 1 + \p noise.
std::vector<Observation> rowsOf(const std::vector<double> &unknowns, double noise) {
  Random random(5);
  auto uniform = [&] { return double(random.next() % 1000) / 1000; };
  std::vector<Observation> rows;
  for (int i = 0; i < 60; ++i) {
    Observation row{{}, 0};
    double size = 1;
    for (size_t k = 0; k < unknowns.size(); ++k, size *= 100)
      row.coefficients.push_back(size * (1 + uniform()));
    row.value = predicted(row, unknowns) * (1 + noise * uniform());
    rows.push_back(row);
  }
  return rows;
}
} // namespace

TEST_CASE("a fit finds the values that times are made of", "[fit]") {
  std::vector<double> unknowns = {300, 15, 0.02};
  std::vector<Observation> rows = rowsOf(unknowns, 0);
  std::vector<double> found = fitLinear(rows);
  for (size_t i = 0; i < unknowns.size(); ++i)
    CHECK(found[i] == Approx(unknowns[i]).epsilon(1e-6));
  CHECK(squaredError(rows, found) < 1e-12);
  rows = rowsOf(unknowns, 0.1);
  found = fitLinear(rows);
  CHECK(medianError(rows, found) < 0.05);
  // No other values are better.
  for (size_t i = 0; i < found.size(); ++i)
    for (double factor : {0.9, 1.1}) {
      std::vector<double> other = found;
      other[i] *= factor;
      CHECK(squaredError(rows, other) > squaredError(rows, found));
    }
}

TEST_CASE("a fit has no negative values", "[fit]") {
  // The second value would be -2.
  std::vector<Observation> rows = {{{1, 0}, 10}, {{1, 1}, 8}, {{1, 2}, 6}};
  std::vector<double> found = fitLinear(rows);
  CHECK(found[1] == 0);
  CHECK(found[0] > 6);
  CHECK(found[0] < 10);
  // A value without coefficients is 0.
  rows = {{{2, 0}, 10}};
  found = fitLinear(rows);
  CHECK(found[0] == Approx(5));
  CHECK(found[1] == 0);
  CHECK(fitLinear(ArrayRef<Observation>()).empty());
}
