//===- InputData.cpp - The data of a test ---------------------------------===//
//
// Implements rule 33.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Data/InputData.h"

#include "cclc/Support/MixBits.h"
#include "cclc/Support/Units.h"

#include <array>

using namespace cclc;

namespace {
uint64_t mix(uint64_t x) { return mixBits(x + goldenBits); }

/// A salt that makes the inputs of runs differ.
uint64_t saltOf(uint32_t run) { return run == 0 ? 0 : mix(run); }

/// All integers up to this one are exact in the type.
int64_t exactUpTo(DataType type) {
  switch (type) {
  case DataType::F16:
    return 2048;
  case DataType::BF16:
    return 256;
  case DataType::I8:
    return 127;
  case DataType::U8:
    return 255;
  default:
    return 1 << 24;
  }
}

/// All powers of two up to this exponent are exact in the type.
uint32_t exactExponent(DataType type) {
  switch (type) {
  case DataType::I8:
    return 6;
  case DataType::U8:
    return 7;
  case DataType::F16:
    return 15;
  case DataType::I32:
    return 30;
  case DataType::I64:
    return 62;
  default:
    return 100;
  }
}
} // namespace

void InputData::exactValues(MutableArrayRef<int32_t> values, uint32_t rank, uint64_t element,
                            uint32_t run) const {
  int64_t limit = exactUpTo(type);
  // One hash provides 16 bits for each of four elements.
  auto fill = [&](auto value) {
    auto hash = [&] { return mix(saltOf(run) ^ uint64_t(rank) << 40 ^ element / 4); };
    uint64_t bits = hash() >> 16 * (element % 4);
    for (int32_t &place : values) {
      place = value(uint32_t(bits & 0xffff), element++);
      bits = element % 4 == 0 ? hash() : bits >> 16;
    }
  };
  // Maps 16 bits to [0, bound), for bounds of at most 65536, by multiplication instead of division.
  auto below = [](uint32_t bound) {
    return [bound](uint32_t bits, uint64_t) -> int32_t { return uint64_t(bits) * bound >> 16; };
  };
  if (!reduces)
    return fill(below(std::min<int64_t>(limit, 65536)));
  // Whether the rank contributes a special value to an element.
  auto isChosen = [=](uint64_t element, uint64_t share) {
    return (rank + element + run) % share == 0;
  };
  switch (op) {
  case ReduceOp::Sum:
  case ReduceOp::Avg: {
    if (int64_t largest = limit / ranks; largest > 0)
      return fill(below(std::min<int64_t>(largest, 99) + 1));
    uint64_t share = ceilDiv(ranks, limit);
    return fill([=](uint32_t, uint64_t element) { return isChosen(element, share) ? 1 : 0; });
  }
  case ReduceOp::Prod: {
    // Never all ranks, because equal data would hide errors.
    uint64_t share = std::max<uint64_t>(ceilDiv(ranks, exactExponent(type)), 2);
    bool isSigned = type != DataType::U8;
    return fill([=](uint32_t bits, uint64_t element) {
      int32_t magnitude = isChosen(element, share) ? 2 : 1;
      return isSigned && bits % 2 ? -magnitude : magnitude;
    });
  }
  case ReduceOp::Min:
  case ReduceOp::Max:
    return fill(below(100));
  }
  llvm_unreachable("unknown operator");
}

void InputData::store(void *place, RankId rank, uint64_t element, uint64_t count,
                      uint32_t run) const {
  constexpr size_t block = 256;
  auto *to = static_cast<std::byte *>(place);
  for (; count > 0; to += block * sizeOf(type)) {
    size_t n = std::min<uint64_t>(count, block);
    if (!seed) {
      std::array<int32_t, block> values;
      MutableArrayRef part = MutableArrayRef(values).take_front(n);
      exactValues(part, rank.index(), element, run);
      storeIntegers(type, to, part);
    } else {
      bool isReal = type == DataType::F16 || type == DataType::BF16 || type == DataType::F32 ||
                    type == DataType::F64;
      std::array<double, block> values;
      for (size_t i = 0; i < n; ++i) {
        uint64_t hash =
            mix(mix(*seed) ^ saltOf(run) ^ (uint64_t(rank.index()) << 40) ^ (element + i));
        values[i] = isReal ? double(hash >> 11) * 0x1p-52 - 1 // in [-1, 1)
                           : double(hash % 200) - (type == DataType::U8 ? 0 : 100);
      }
      storeReals(type, to, ArrayRef(values).take_front(n));
    }
    element += n;
    count -= n;
  }
}

void cclc::finishReduction(const Expectation &expectation, DataType type, ReduceOp op, void *sum,
                           size_t elements) {
  if (op != ReduceOp::Avg)
    return;
  if (expectation.kind == Expectation::Kind::Sum)
    divide(type, sum, elements, expectation.rank.index() + 1);
  else if (expectation.kind == Expectation::Kind::SumList && expectation.list.size() > 1)
    divide(type, sum, elements, expectation.list.size());
}
