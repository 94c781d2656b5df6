//===- DataType.cpp - Elements and their arithmetic ----------------------===//
//
// One table of reduction functions by type and operator. f16 and bf16 are widened to f32 and
// rounded to nearest even after every operation (IEEE 754-2019, section 4.3.1).
//
// Implements rules 31 and 32.
//
//===----------------------------------------------------------------------===//

#include "cclc/Data/DataType.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace cclc;

StringRef cclc::dataTypeName(DataType type) {
  constexpr std::array<StringRef, 8> names = {"f16", "bf16", "f32", "f64",
                                              "i8",  "i32",  "i64", "u8"};
  return names[static_cast<size_t>(type)];
}

std::optional<DataType> cclc::parseDataType(StringRef name) {
  return llvm::StringSwitch<std::optional<DataType>>(name)
      .Case("f16", DataType::F16)
      .Case("bf16", DataType::BF16)
      .Case("f32", DataType::F32)
      .Case("f64", DataType::F64)
      .Case("i8", DataType::I8)
      .Case("i32", DataType::I32)
      .Case("i64", DataType::I64)
      .Case("u8", DataType::U8)
      .Default(std::nullopt);
}

StringRef cclc::reduceOpName(ReduceOp op) {
  constexpr std::array<StringRef, 5> names = {"sum", "prod", "min", "max", "avg"};
  return names[static_cast<size_t>(op)];
}

std::optional<ReduceOp> cclc::parseReduceOp(StringRef name) {
  return llvm::StringSwitch<std::optional<ReduceOp>>(name)
      .Case("sum", ReduceOp::Sum)
      .Case("prod", ReduceOp::Prod)
      .Case("min", ReduceOp::Min)
      .Case("max", ReduceOp::Max)
      .Case("avg", ReduceOp::Avg)
      .Default(std::nullopt);
}

float cclc::halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f) // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0)
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  float magnitude = std::ldexp(float(fraction), -24); // subnormal
  return sign ? -magnitude : magnitude;
}

uint16_t cclc::floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00; // NaN
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00; // rounds to infinity
  if (magnitude < 0x38800000) {
    // Subnormal or zero: scaling by 2^24 makes the unit of the last place 1.
    float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
    return sign | uint16_t(std::nearbyintf(scaled));
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | uint16_t((rounded - (uint32_t(112) << 23)) >> 13);
}

float cclc::bfloatToFloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

uint16_t cclc::floatToBfloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40; // keep a NaN
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

namespace {

/// The storage type and the computation type of elements. Sums and products of two f16 or bf16
/// numbers that are rounded to float and then to the type equal those rounded once, except for
/// products below the normal range of bf16.
struct Half {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored s) { return halfToFloat(s); }
  static Stored store(Value v) { return floatToHalf(v); }
};
struct Bfloat {
  using Stored = uint16_t;
  using Value = float;
  static Value load(Stored s) { return bfloatToFloat(s); }
  static Stored store(Value v) { return floatToBfloat(v); }
};
template <class T> struct Plain {
  using Stored = T;
  using Value = T;
  static Value load(Stored s) { return s; }
  static Stored store(Value v) { return v; }
};

/// Calls fn with the traits of \p type.
template <class Fn> auto dispatch(DataType type, Fn fn) {
  switch (type) {
  case DataType::F16:
    return fn(Half());
  case DataType::BF16:
    return fn(Bfloat());
  case DataType::F32:
    return fn(Plain<float>());
  case DataType::F64:
    return fn(Plain<double>());
  case DataType::I8:
    return fn(Plain<int8_t>());
  case DataType::I32:
    return fn(Plain<int32_t>());
  case DataType::I64:
    return fn(Plain<int64_t>());
  case DataType::U8:
    return fn(Plain<uint8_t>());
  }
  llvm_unreachable("unknown type");
}

/// Signed overflow is undefined in C++ and wraps in hardware.
template <class T, class Fn> T wrapping(T a, T b, Fn fn) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(fn(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return fn(a, b);
  }
}

struct Add {
  template <class T> static T apply(T a, T b) { return wrapping(a, b, std::plus<>()); }
};
struct Multiply {
  template <class T> static T apply(T a, T b) { return wrapping(a, b, std::multiplies<>()); }
};
struct Minimum {
  template <class T> static T apply(T a, T b) { return b < a ? b : a; }
};
struct Maximum {
  template <class T> static T apply(T a, T b) { return a < b ? b : a; }
};

/// dst is a, b or disjoint from both; separate loops let the compiler vectorise each case.
template <class Traits, class Op>
void reduceArray(void *dst, const void *a, const void *b, size_t count) {
  using Stored = typename Traits::Stored;
  auto combine = [](Stored x, Stored y) {
    return Traits::store(Op::apply(Traits::load(x), Traits::load(y)));
  };
  auto *to = static_cast<Stored *>(dst);
  if (a == b) {
    auto *x = static_cast<const Stored *>(a);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine(x[i], x[i]);
  } else if (dst == a) {
    auto *__restrict y = static_cast<const Stored *>(b);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine(to[i], y[i]);
  } else if (dst == b) {
    auto *__restrict x = static_cast<const Stored *>(a);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine(x[i], to[i]);
  } else {
    auto *__restrict x = static_cast<const Stored *>(a);
    auto *__restrict y = static_cast<const Stored *>(b);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine(x[i], y[i]);
  }
}
} // namespace

uint32_t cclc::sizeOf(DataType type) {
  return dispatch(
      type, [](auto traits) -> uint32_t { return sizeof(typename decltype(traits)::Stored); });
}

ReduceFn cclc::reduceFunction(DataType type, ReduceOp op) {
  return dispatch(type, [op](auto traits) -> ReduceFn {
    using Traits = decltype(traits);
    switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:
      return reduceArray<Traits, Add>;
    case ReduceOp::Prod:
      return reduceArray<Traits, Multiply>;
    case ReduceOp::Min:
      return reduceArray<Traits, Minimum>;
    case ReduceOp::Max:
      return reduceArray<Traits, Maximum>;
    }
    llvm_unreachable("unknown operator");
  });
}

void cclc::divide(DataType type, void *data, size_t count, uint32_t divisor) {
  dispatch(type, [&](auto traits) {
    using Traits = decltype(traits);
    using Value = typename Traits::Value;
    auto *at = static_cast<typename Traits::Stored *>(data);
    for (size_t i = 0; i < count; ++i) {
      Value value = Traits::load(at[i]);
      if constexpr (std::is_integral_v<Value>)
        at[i] = Traits::store(static_cast<Value>(int64_t(value) / int64_t(divisor)));
      else
        at[i] = Traits::store(value / static_cast<Value>(divisor));
    }
  });
}

template <class Value> static void storeAll(DataType type, void *place, ArrayRef<Value> values) {
  dispatch(type, [&](auto traits) {
    using Traits = decltype(traits);
    auto *at = static_cast<typename Traits::Stored *>(place);
    for (size_t i = 0; i < values.size(); ++i)
      at[i] = Traits::store(static_cast<typename Traits::Value>(values[i]));
  });
}

void cclc::storeIntegers(DataType type, void *place, ArrayRef<int32_t> values) {
  storeAll(type, place, values);
}

void cclc::storeReals(DataType type, void *place, ArrayRef<double> values) {
  storeAll(type, place, values);
}

std::string cclc::elementText(DataType type, const void *place) {
  return dispatch(type, [&](auto traits) -> std::string {
    using Traits = decltype(traits);
    typename Traits::Stored stored;
    std::memcpy(&stored, place, sizeof(stored));
    auto value = Traits::load(stored);
    if constexpr (std::is_integral_v<decltype(value)>)
      return std::to_string(value);
    else {
      char text[32];
      std::snprintf(text, sizeof(text), "%.9g", double(value));
      return text;
    }
  });
}
