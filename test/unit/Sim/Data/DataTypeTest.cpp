//===- DataTypeTest.cpp - Arithmetic against simple oracles ---------------===//
//
// The oracle of the 16-bit types is the sorted list of all their values: a number
// is rounded to the nearest one, and a number halfway between two to the one with
// the even pattern.
//
//===----------------------------------------------------------------------===//

#include "../../../support/RandomProgram.h"

#include "cclc/Sim/Data/DataType.h"
#include "cclc/Sim/Data/Reduce.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace cclc;
using cclc::test::Random;

namespace {

struct Format {
  int fractionBits, bias, maxExponent;
  uint16_t infinity() const { return maxExponent << fractionBits; }
  /// The value of a pattern, ignoring its sign, from the definition of the format.
  double value(uint16_t bits) const {
    int exponent = bits >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
    return exponent == 0
               ? std::ldexp(fraction, 1 - bias - fractionBits)
               : std::ldexp((1 << fractionBits) + fraction, exponent - bias - fractionBits);
  }
  uint16_t round(double exact) const {
    uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    double magnitude = std::fabs(exact);
    // The pattern of infinity represents the next power of two, as IEEE rounds.
    uint16_t low = 0, high = infinity();
    if (magnitude >= value(high))
      return sign | high;
    while (high - low > 1) {
      uint16_t middle = (low + high) / 2;
      (value(middle) <= magnitude ? low : high) = middle;
    }
    double below = magnitude - value(low), above = value(high) - magnitude;
    bool up = below == above ? low % 2 == 1 : above < below;
    return sign | (up ? high : low);
  }
};
constexpr Format half{10, 15, 31}, bfloat{7, 127, 255};

/// Checks each pattern against its definition, and every boundary between two values.
void checkConversions(const Format &format, float (*widen)(uint16_t), uint16_t (*narrow)(float)) {
  for (uint32_t pattern = 0; pattern < 65536; ++pattern) {
    uint16_t bits = pattern, magnitude = bits & 0x7fff;
    float wide = widen(bits);
    if (magnitude > format.infinity()) {
      REQUIRE(std::isnan(wide));
      REQUIRE(std::isnan(widen(narrow(wide))));
      continue;
    }
    double expected = magnitude == format.infinity() ? HUGE_VAL : format.value(magnitude);
    REQUIRE(double(wide) == (bits & 0x8000 ? -expected : expected));
    REQUIRE(std::signbit(wide) == ((bits & 0x8000) != 0));
    REQUIRE(narrow(wide) == bits);
    if (magnitude == format.infinity())
      continue;
    // Halfway to the next value, which is exact in floats of 24 bits.
    double middle = (format.value(magnitude) + format.value(magnitude + 1)) / 2;
    float at = float(bits & 0x8000 ? -middle : middle);
    REQUIRE(std::fabs(double(at)) == middle);
    uint16_t even = magnitude % 2 == 0 ? bits : bits + 1;
    REQUIRE(narrow(at) == even);
    REQUIRE(narrow(std::nextafterf(at, bits & 0x8000 ? -HUGE_VALF : HUGE_VALF)) == bits + 1);
    REQUIRE(narrow(std::nextafterf(at, 0)) == bits);
  }
  Random random(7);
  for (int i = 0; i < 200000; ++i) {
    float value = std::bit_cast<float>(uint32_t(random.next()));
    if (!std::isnan(value))
      REQUIRE(narrow(value) == format.round(value));
  }
}

// --- Reductions ----------------------------------------------------------------------

template <class T> T loaded(const void *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

double apply(ReduceOp op, double a, double b) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return a + b;
  case ReduceOp::Prod:
    return a * b;
  case ReduceOp::Min:
    return std::min(a, b);
  case ReduceOp::Max:
    return std::max(a, b);
  }
  return 0;
}

__extension__ typedef __int128 Int128;
Int128 applyInt(ReduceOp op, Int128 a, Int128 b) {
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg:
    return a + b;
  case ReduceOp::Prod:
    return a * b;
  case ReduceOp::Min:
    return a < b ? a : b;
  case ReduceOp::Max:
    return a > b ? a : b;
  }
  return 0;
}

constexpr ReduceOp allOps[] = {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max,
                               ReduceOp::Avg};

/// Random patterns through the function of (type, op), with the result in place of either operand
/// or in a separate buffer.
template <class T, class Oracle> void checkReduction(DataType type, Oracle oracle) {
  Random random(uint64_t(type) + 100);
  for (ReduceOp op : allOps)
    for (int round = 0; round < 3; ++round) {
      std::vector<T> a(3000), b(3000), to(3000);
      for (size_t i = 0; i < a.size(); ++i) {
        uint64_t x = random.next(), y = random.next();
        std::memcpy(&a[i], &x, sizeof(T));
        std::memcpy(&b[i], &y, sizeof(T));
      }
      std::vector<T> x = a, y = b;
      T *place = round == 0 ? to.data() : round == 1 ? a.data() : b.data();
      reduceFunction(type, op)(place, a.data(), b.data(), a.size());
      for (size_t i = 0; i < x.size(); ++i)
        if (!oracle(op, x[i], y[i], place[i]))
          FAIL(dataTypeName(type).str() << ' ' << reduceOpName(op).str() << " of element " << i);
    }
}

template <class T> void checkInteger(DataType type) {
  checkReduction<T>(type, [](ReduceOp op, T a, T b, T got) {
    return static_cast<T>(applyInt(op, a, b)) == got; // modulo 2^bits
  });
}

template <class T> bool sameReal(T want, T got) {
  return std::isnan(want) ? std::isnan(got) : want == got;
}

void checkSixteen(DataType type, const Format &format, float (*widen)(uint16_t)) {
  checkReduction<uint16_t>(type, [&](ReduceOp op, uint16_t a, uint16_t b, uint16_t got) {
    auto isFinite = [&](uint16_t bits) { return (bits & 0x7fff) < format.infinity(); };
    if (!isFinite(a) || !isFinite(b))
      return true;
    auto value = [&](uint16_t bits) {
      double magnitude = format.value(bits & 0x7fff);
      return bits & 0x8000 ? -magnitude : magnitude;
    };
    double exact = apply(op, value(a), value(b));
    // Below the smallest normal float, arithmetic in floats rounds as well.
    if (std::fabs(exact) < 0x1p-126)
      exact = float(exact);
    return sameReal(widen(format.round(exact)), widen(got));
  });
}
} // namespace

TEST_CASE("f16 is converted as IEEE specifies", "[type]") {
  checkConversions(half, halfToFloat, floatToHalf);
  CHECK(floatToHalf(65519.996f) == 0x7bff);
  CHECK(floatToHalf(65520) == 0x7c00);
  CHECK(floatToHalf(-0.0f) == 0x8000);
  CHECK(floatToHalf(0x1p-25f) == 0);
  CHECK(floatToHalf(0x1.000002p-25f) == 1);
}

TEST_CASE("bf16 is converted as IEEE specifies", "[type]") {
  checkConversions(bfloat, bfloatToFloat, floatToBfloat);
  CHECK(floatToBfloat(3.4e38f) == 0x7f80);
  // A NaN whose payload is in the lower half remains a NaN.
  CHECK(std::isnan(bfloatToFloat(floatToBfloat(std::bit_cast<float>(0x7f800001u)))));
}

namespace {
/// The sum, product, minimum or maximum of IEEE 754-2019, with one NaN.
template <class T> T ieee(ReduceOp op, T a, T b) {
  T result = op == ReduceOp::Sum ? a + b : op == ReduceOp::Prod ? a * b : T(0);
  if (std::isnan(a) || std::isnan(b) || std::isnan(result))
    return std::numeric_limits<T>::quiet_NaN();
  if (op == ReduceOp::Min)
    return a < b || (a == b && std::signbit(a)) ? a : b;
  if (op == ReduceOp::Max)
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  return result;
}

/// All pairs of special values, by every instruction set, in the middle and at the end of vectors.
template <class T, class Bits> void checkSpecialValues(DataType type, std::vector<Bits> patterns) {
  for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max})
    for (InstructionSet set : {InstructionSet::Baseline, InstructionSet::Avx2}) {
      if (set > bestInstructionSet())
        continue;
      for (Bits x : patterns)
        for (Bits y : patterns) {
          std::vector<Bits> a(37, x), b(37, y), to(37);
          reduceFunction(type, op, set)(to.data(), a.data(), b.data(), to.size());
          Bits want = std::bit_cast<Bits>(ieee(op, std::bit_cast<T>(x), std::bit_cast<T>(y)));
          INFO(dataTypeName(type).str()
               << ' ' << reduceOpName(op).str() << std::hex << ' ' << x << ' ' << y);
          CHECK(std::count(to.begin(), to.end(), want) == 37);
        }
    }
}
} // namespace

TEST_CASE("Operands may be exchanged, NaN and signed zeros included", "[type]") {
  checkSpecialValues<float, uint32_t>(
      DataType::F32, {0, 0x80000000, 0x3f800000, 0xbf800000, 1, 0x80000001, 0x7f7fffff, 0x7f800000,
                      0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001, 0xff812345});
  checkSpecialValues<double, uint64_t>(
      DataType::F64,
      {0, uint64_t(1) << 63, std::bit_cast<uint64_t>(1.0), std::bit_cast<uint64_t>(-1.0), 1,
       std::bit_cast<uint64_t>(HUGE_VAL), std::bit_cast<uint64_t>(-HUGE_VAL), 0x7ff8000000000000,
       0xfff8000000012345, 0x7ff0000000000001, 0xfff4000000000000});
}

TEST_CASE("Operands of 16 bits may be exchanged", "[type]") {
  for (DataType type : {DataType::F16, DataType::BF16})
    for (ReduceOp op : {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Min, ReduceOp::Max})
      for (InstructionSet set : {InstructionSet::Baseline, InstructionSet::Avx2}) {
        if (set > bestInstructionSet())
          continue;
        std::vector<uint16_t> a, b;
        for (uint32_t x = 0; x < 65536; x += 61)
          for (uint32_t y : {0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7f80, 0x7e01, 0xffff})
            a.push_back(x), b.push_back(y);
        std::vector<uint16_t> one(a.size()), other(a.size());
        reduceFunction(type, op, set)(one.data(), a.data(), b.data(), a.size());
        reduceFunction(type, op, set)(other.data(), b.data(), a.data(), a.size());
        CHECK(one == other);
      }
}

TEST_CASE("integers wrap around", "[type]") {
  checkInteger<int8_t>(DataType::I8);
  checkInteger<int32_t>(DataType::I32);
  checkInteger<int64_t>(DataType::I64);
  checkInteger<uint8_t>(DataType::U8);
}

TEST_CASE("floating-point reductions are rounded once", "[type][rule-31]") {
  checkSixteen(DataType::F16, half, halfToFloat);
  checkSixteen(DataType::BF16, bfloat, bfloatToFloat);
  checkReduction<float>(DataType::F32, [](ReduceOp op, float a, float b, float got) {
    // The product of two floats is exact in a double; double rounding of a sum is harmless.
    if (std::isnan(a) || std::isnan(b))
      return true;
    double exact = apply(op, a, b);
    return std::fabs(exact) < 0x1p-126 || sameReal(float(exact), got);
  });
  checkReduction<double>(DataType::F64, [](ReduceOp op, double a, double b, double got) {
    return std::isnan(a) || std::isnan(b) || sameReal(apply(op, a, b), got);
  });
}

// Every pattern with patterns that meet all cases, against conversions of single elements, bit by
// bit. Vectors begin at every offset and end with every number of elements.
TEST_CASE("all instruction sets give the same bits", "[type][rule-31]") {
  std::vector<uint16_t> others = {0,      0x8000, 1,      0x03ff, 0x0400, 0x3c00, 0xbc00,
                                  0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0xfe00,
                                  0x3f80, 0x0080, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0xffc0};
  Random random(3);
  for (int i = 0; i < 40; ++i)
    others.push_back(random.next());
  std::vector<uint16_t> all(65536), constant(all.size()), to(all.size());
  for (uint32_t bits = 0; bits < all.size(); ++bits)
    all[bits] = bits;
  std::vector<InstructionSet> sets = {InstructionSet::Baseline, bestInstructionSet()};
  for (DataType type : {DataType::F16, DataType::BF16})
    for (ReduceOp op : allOps)
      for (uint16_t other : others) {
        std::fill(constant.begin(), constant.end(), other);
        for (InstructionSet set : sets) {
          size_t offset = other % 9, count = all.size() - offset - other % 17;
          reduceFunction(type, op, set)(to.data() + offset, all.data() + offset,
                                        constant.data() + offset, count);
          for (size_t i = offset; i < offset + count; ++i) {
            bool isHalf = type == DataType::F16;
            float a = isHalf ? halfToFloat(all[i]) : bfloatToFloat(all[i]);
            float b = isHalf ? halfToFloat(other) : bfloatToFloat(other);
            float result = ieee(op == ReduceOp::Avg ? ReduceOp::Sum : op, a, b);
            uint16_t want = isHalf ? floatToHalf(result) : floatToBfloat(result);
            if (to[i] != want)
              FAIL(dataTypeName(type).str()
                   << ' ' << reduceOpName(op).str() << " of patterns " << all[i] << " and " << other
                   << ": " << to[i] << ", not " << want);
          }
        }
      }
}

TEST_CASE("the baseline equals the best instruction set for all types", "[type]") {
  Random random(9);
  std::vector<uint64_t> a(1009), b(1009);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = random.next();
    b[i] = random.next();
  }
  for (DataType type :
       {DataType::F32, DataType::F64, DataType::I8, DataType::I32, DataType::I64, DataType::U8}) {
    // Two NaNs may give either.
    size_t count = a.size() * sizeof(uint64_t) / sizeOf(type);
    if (type == DataType::F32 || type == DataType::F64)
      for (size_t i = 0; i < a.size(); ++i) {
        std::vector<double> numbers = {double(int64_t(a[i])), double(int64_t(b[i]))};
        if (type == DataType::F64)
          std::memcpy(&a[i], &numbers[0], 8), std::memcpy(&b[i], &numbers[1], 8);
        else
          a[i] &= 0xbfffffffbfffffff, b[i] &= 0xbfffffffbfffffff;
      }
    for (ReduceOp op : allOps) {
      std::vector<uint64_t> base(a.size()), best(a.size());
      reduceFunction(type, op, InstructionSet::Baseline)(base.data(), a.data(), b.data(), count);
      reduceFunction(type, op, bestInstructionSet())(best.data(), a.data(), b.data(), count);
      CHECK(base == best);
    }
  }
}

TEST_CASE("an average is divided once", "[type][rule-32]") {
  double f64 = 10;
  divide(DataType::F64, &f64, 1, 4);
  CHECK(f64 == 2.5);
  float f32 = 1;
  divide(DataType::F32, &f32, 1, 3);
  CHECK(f32 == 1.0f / 3);
  for (uint32_t divisor = 1; divisor < 100; ++divisor) {
    for (uint32_t n = 0; n <= 2048; n += 7) {
      uint16_t f16 = half.round(n), bf16 = bfloat.round(n % 256);
      divide(DataType::F16, &f16, 1, divisor);
      divide(DataType::BF16, &bf16, 1, divisor);
      REQUIRE(f16 == half.round(double(n) / divisor));
      REQUIRE(bf16 == bfloat.round(double(n % 256) / divisor));
    }
  }
  // Integers are divided towards zero.
  int8_t i8[] = {-7, 7, -128};
  divide(DataType::I8, i8, 3, 2);
  CHECK(i8[0] == -3);
  CHECK(i8[1] == 3);
  CHECK(i8[2] == -64);
  uint8_t u8 = 255;
  divide(DataType::U8, &u8, 1, 2);
  CHECK(u8 == 127);
  int64_t i64 = -9223372036854775807;
  divide(DataType::I64, &i64, 1, 3);
  CHECK(i64 == -3074457345618258602);
}

TEST_CASE("elements are stored and printed", "[type]") {
  struct Case {
    DataType type;
    const char *name;
    uint32_t size;
    const char *minusThree;
  };
  for (Case c : {Case{DataType::F16, "f16", 2, "-3"}, Case{DataType::BF16, "bf16", 2, "-3"},
                 Case{DataType::F32, "f32", 4, "-3"}, Case{DataType::F64, "f64", 8, "-3"},
                 Case{DataType::I8, "i8", 1, "-3"}, Case{DataType::I32, "i32", 4, "-3"},
                 Case{DataType::I64, "i64", 8, "-3"}, Case{DataType::U8, "u8", 1, "253"}}) {
    CHECK(dataTypeName(c.type) == c.name);
    CHECK(parseDataType(c.name) == c.type);
    CHECK(sizeOf(c.type) == c.size);
    std::byte place[8];
    storeIntegers(c.type, place, {-3});
    CHECK(elementText(c.type, place) == c.minusThree);
  }
  CHECK_FALSE(parseDataType("f8"));
  for (ReduceOp op : allOps)
    CHECK(parseReduceOp(reduceOpName(op)) == op);
  CHECK_FALSE(parseReduceOp("mean"));
  uint16_t f16;
  storeReal(DataType::F16, &f16, 0.1);
  CHECK(f16 == half.round(0.1));
  CHECK(elementText(DataType::F16, &f16) == "0.0999755859");
}
