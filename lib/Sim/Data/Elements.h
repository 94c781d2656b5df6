//===- Elements.h - Elements in memory and in registers ---------*- C++ -*-===//
//
// The storage type and the computation type of the elements of every DataType, with conversions
// between them. f16 and bf16 are widened to f32 and rounded to nearest even (IEEE 754-2019, section
// 4.3.1). The conversions compute all cases and select one, so that loops can be vectorised. Every
// NaN is stored as the same pattern: its sign and payload would depend on the order of the operands
// of an instruction, which plans and compilers exchange.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_SIM_DATA_ELEMENTS_H
#define CCL_LIB_SIM_DATA_ELEMENTS_H

#include "cclc/Sim/Data/DataType.h"

#include <bit>
#include <limits>

namespace cclc::elements {

/// Sums and products of two f16 or bf16 numbers that are rounded to float and then to the type
/// equal those rounded once, except for products below the normal range of bf16.
struct Half {
  using Stored = uint16_t;
  using Value = float;

  [[gnu::always_inline]] static Value load(Stored bits) {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = uint32_t(bits & 0x7fff) << 13;
    uint32_t normal = magnitude + (uint32_t(112) << 23);
    // With the exponent of the smallest normal number, the leading one is in excess.
    float excess = std::bit_cast<float>(magnitude + (uint32_t(113) << 23));
    uint32_t subnormal = std::bit_cast<uint32_t>(excess - 0x1p-14f);
    uint32_t result = magnitude < uint32_t(1) << 23 ? subnormal : normal;
    result = magnitude >= uint32_t(31) << 23 ? normal + (uint32_t(112) << 23) : result;
    return std::bit_cast<float>(sign | result);
  }

  [[gnu::always_inline]] static Stored store(Value value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - (uint32_t(112) << 23)) >> 13;
    // The unit of the last place of 0.5 is that of subnormal numbers.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
    uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x477ff000 ? 0x7c00 : result; // rounds to infinity
    result |= sign;
    return magnitude > 0x7f800000 ? 0x7e00 : result;
  }
};

struct Bfloat {
  using Stored = uint16_t;
  using Value = float;

  [[gnu::always_inline]] static Value load(Stored bits) {
    return std::bit_cast<float>(uint32_t(bits) << 16);
  }
  [[gnu::always_inline]] static Stored store(Value value) {
    uint32_t bits = std::bit_cast<uint32_t>(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : rounded;
  }
};

template <class T> struct Real {
  using Stored = T;
  using Value = T;
  [[gnu::always_inline]] static Value load(Stored stored) { return stored; }
  [[gnu::always_inline]] static Stored store(Value value) {
    return value == value ? value : std::numeric_limits<T>::quiet_NaN();
  }
};

template <class T> struct Integer {
  using Stored = T;
  using Value = T;
  [[gnu::always_inline]] static Value load(Stored stored) { return stored; }
  [[gnu::always_inline]] static Stored store(Value value) { return value; }
};

/// Calls fn with the traits of \p type.
template <class Fn> auto dispatch(DataType type, Fn fn) {
  switch (type) {
  case DataType::F16:
    return fn(Half());
  case DataType::BF16:
    return fn(Bfloat());
  case DataType::F32:
    return fn(Real<float>());
  case DataType::F64:
    return fn(Real<double>());
  case DataType::I8:
    return fn(Integer<int8_t>());
  case DataType::I32:
    return fn(Integer<int32_t>());
  case DataType::I64:
    return fn(Integer<int64_t>());
  case DataType::U8:
    return fn(Integer<uint8_t>());
  }
  llvm_unreachable("unknown type");
}

} // namespace cclc::elements

#endif // CCL_LIB_SIM_DATA_ELEMENTS_H
