//===- Reduce.cpp - Reductions of arrays ----------------------------------===//
//
// One table of functions by type, operator and instruction set. The compiler vectorises all
// loops but those of f16: with AVX2 these are written with intrinsics, for the conversions of F16C.
// All instruction sets give the same bits.
//
// Implements rule 31.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/Reduce.h"

#include "Elements.h"

#include <functional>

#ifdef __x86_64__
#include <immintrin.h>
#define CCL_AVX2 __attribute__((target("avx2,f16c")))
#endif

using namespace cclc;
using namespace cclc::elements;

namespace {
/// Signed overflow is undefined in C++ and wraps in hardware.
template <class T, class Fn> [[gnu::always_inline]] inline T wrapping(T a, T b, Fn fn) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    return static_cast<T>(fn(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return fn(a, b);
  }
}

struct Add {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return wrapping(a, b, std::plus<>());
  }
};
struct Multiply {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    return wrapping(a, b, std::multiplies<>());
  }
};
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint64_t>;

/// The operations minimum and maximum of IEEE 754-2019: -0 is less than +0, and a NaN prevails. So
/// neither the order of the operands nor that of the operations changes a bit of the result.
struct Minimum {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    T first = b < a ? b : a;
    if constexpr (!std::is_floating_point_v<T>)
      return first;
    else {
      // Equal zeros, of which one may be negative, or two operands of which one is a NaN.
      T second = a < b ? a : b;
      return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(first) | std::bit_cast<BitsOf<T>>(second));
    }
  }
};
struct Maximum {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return -Minimum::apply(-a, -b);
    else
      return a < b ? b : a;
  }
};

template <class Traits, class Op>
[[gnu::always_inline]] inline typename Traits::Stored combine(typename Traits::Stored x,
                                                              typename Traits::Stored y) {
  return Traits::store(Op::apply(Traits::load(x), Traits::load(y)));
}

/// dst is a, b or disjoint from both; separate loops let the compiler vectorise each case.
template <class Traits, class Op>
[[gnu::always_inline]] inline void reduceArray(void *dst, const void *a, const void *b,
                                               size_t count) {
  using Stored = typename Traits::Stored;
  auto *to = static_cast<Stored *>(dst);
  if (a == b) {
    auto *x = static_cast<const Stored *>(a);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine<Traits, Op>(x[i], x[i]);
  } else if (dst == a) {
    auto *__restrict y = static_cast<const Stored *>(b);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine<Traits, Op>(to[i], y[i]);
  } else if (dst == b) {
    auto *__restrict x = static_cast<const Stored *>(a);
    for (size_t i = 0; i < count; ++i)
      to[i] = combine<Traits, Op>(x[i], to[i]);
  } else {
    auto *__restrict out = to;
    auto *__restrict x = static_cast<const Stored *>(a);
    auto *__restrict y = static_cast<const Stored *>(b);
    for (size_t i = 0; i < count; ++i)
      out[i] = combine<Traits, Op>(x[i], y[i]);
  }
}

template <class Traits, class Op>
void reduceBaseline(void *dst, const void *a, const void *b, size_t count) {
  reduceArray<Traits, Op>(dst, a, b, count);
}

#ifdef __x86_64__
template <class Op> CCL_AVX2 inline __m256 applyVector(__m256 a, __m256 b) {
  if constexpr (std::is_same_v<Op, Add>)
    return _mm256_add_ps(a, b);
  else if constexpr (std::is_same_v<Op, Multiply>)
    return _mm256_mul_ps(a, b);
  // Of unordered or equal operands, the instruction returns the second.
  else if constexpr (std::is_same_v<Op, Minimum>)
    return _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a));
  else {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return _mm256_xor_ps(sign,
                         applyVector<Minimum>(_mm256_xor_ps(sign, a), _mm256_xor_ps(sign, b)));
  }
}

/// A vector is loaded before it is stored, so that dst may be a or b.
template <class Op>
CCL_AVX2 void reduceHalfAvx2(void *dst, const void *a, const void *b, size_t count) {
  constexpr size_t lanes = 8;
  auto *to = static_cast<uint16_t *>(dst);
  auto *x = static_cast<const uint16_t *>(a), *y = static_cast<const uint16_t *>(b);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i *>(x + i));
    __m128i right = _mm_loadu_si128(reinterpret_cast<const __m128i *>(y + i));
    __m256 result = applyVector<Op>(_mm256_cvtph_ps(left), _mm256_cvtph_ps(right));
    __m256 unordered = _mm256_cmp_ps(result, result, _CMP_UNORD_Q);
    result = _mm256_blendv_ps(result, _mm256_set1_ps(__builtin_nanf("")), unordered);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < count; ++i)
    to[i] = combine<Half, Op>(x[i], y[i]);
}

template <class Traits, class Op>
CCL_AVX2 void reduceAvx2(void *dst, const void *a, const void *b, size_t count) {
  reduceArray<Traits, Op>(dst, a, b, count);
}
#endif

template <class Traits, class Op> ReduceFn functionFor(InstructionSet set) {
#ifdef __x86_64__
  if (set == InstructionSet::Avx2) {
    if constexpr (std::is_same_v<Traits, Half>)
      return reduceHalfAvx2<Op>;
    else
      return reduceAvx2<Traits, Op>;
  }
#endif
  (void)set;
  return reduceBaseline<Traits, Op>;
}
} // namespace

InstructionSet cclc::bestInstructionSet() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
    return InstructionSet::Avx2;
#endif
  return InstructionSet::Baseline;
}

ReduceFn cclc::reduceFunction(DataType type, ReduceOp op, InstructionSet set) {
  return dispatch(type, [&](auto traits) -> ReduceFn {
    using Traits = decltype(traits);
    switch (op) {
    case ReduceOp::Sum:
    case ReduceOp::Avg:
      return functionFor<Traits, Add>(set);
    case ReduceOp::Prod:
      return functionFor<Traits, Multiply>(set);
    case ReduceOp::Min:
      return functionFor<Traits, Minimum>(set);
    case ReduceOp::Max:
      return functionFor<Traits, Maximum>(set);
    }
    llvm_unreachable("unknown operator");
  });
}

ReduceFn cclc::reduceFunction(DataType type, ReduceOp op) {
  static const InstructionSet best = bestInstructionSet();
  return reduceFunction(type, op, best);
}
