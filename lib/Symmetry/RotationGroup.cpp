//===- RotationGroup.cpp - Arithmetic on digits of ranks and chunks -------===//
//
// A factor rotates the digit (value / stride) % size of a number and leaves the other digits. The
// class of a rank is the rank without the digits of the factors; these are removed from the highest
// stride downwards, and inserted from the lowest upwards.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/RotationGroup.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

static uint32_t rotateDigit(uint32_t value, uint32_t stride, uint32_t size, uint32_t by) {
  if (stride == 1 && value < size) // without divisions, as in the trace of every ring
    return value + by < size ? value + by : value + by - size;
  uint32_t digit = value / stride % size;
  return value - digit * stride + (digit + by) % size * stride;
}

/// The stride of the factor's digit of chunk indices; 0 if it keeps them.
static uint32_t strideIn(const RotationFactor &factor, Buffer buffer) {
  return buffer == Buffer::Scratch || factor.size == 1
             ? 0
             : factor.chunkStride[static_cast<unsigned>(buffer)];
}

/// Whether the range is not between two multiples of the factor's stride, so that its chunks have
/// different digits.
static bool divides(const RotationFactor &factor, Buffer buffer, uint32_t index, uint32_t count) {
  uint32_t stride = strideIn(factor, buffer);
  return count > 1 && stride != 0 && index / stride != (index + count - 1) / stride;
}

/// Whether the range has whole periods of the factor's digit, so that only its order changes.
static bool hasPeriods(const RotationFactor &factor, Buffer buffer, uint32_t index,
                       uint32_t count) {
  uint64_t period = uint64_t(strideIn(factor, buffer)) * factor.size;
  return period != 0 && count >= period && index % period == 0 && count % period == 0;
}

RotationFactor RotationGroup::factorFor(const Collective &collective, uint32_t size,
                                        uint32_t rankStride, uint32_t chunkStride) {
  bool perRank[2] = {collective.kind() == CollectiveKind::ReduceScatter ||
                         collective.kind() == CollectiveKind::AllToAll ||
                         collective.kind() == CollectiveKind::Scatter,
                     collective.kind() == CollectiveKind::AllGather ||
                         collective.kind() == CollectiveKind::AllToAll ||
                         collective.kind() == CollectiveKind::Gather};
  bool any = perRank[0] || perRank[1];
  RotationFactor factor{size, rankStride};
  for (unsigned b = 0; b < 2; ++b)
    factor.chunkStride[b] = perRank[b] ? rankStride * collective.chunks() : (any ? 0 : chunkStride);
  return factor;
}

std::vector<uint32_t> RotationGroup::byStride() const {
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < theFactors.size(); ++k)
    order.push_back(k);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(theFactors[a].rankStride, a) < std::pair(theFactors[b].rankStride, b);
  });
  return order;
}

std::string RotationGroup::findFault(const Collective &collective) const {
  for (const RotationFactor &factor : theFactors)
    if (factor.size == 0 || factor.rankStride == 0)
      return "the number of ranks and the stride of a rotation must be at least 1";
  // Rotated digits of ranks (list 0), of input and of output chunks.
  const char *things[] = {"rank", "input chunk", "output chunk"};
  uint32_t ends[] = {collective.ranks(), collective.inputChunks(), collective.outputChunks()};
  for (unsigned list = 0; list < 3; ++list) {
    std::vector<std::pair<uint64_t, uint64_t>> digits; ///< stride, and its product with the size
    for (const RotationFactor &factor : theFactors) {
      uint64_t stride = list == 0 ? factor.rankStride : factor.chunkStride[list - 1];
      if (stride != 0 && factor.size > 1)
        digits.emplace_back(stride, stride * factor.size);
    }
    std::sort(digits.begin(), digits.end());
    for (size_t d = 0; d < digits.size(); ++d) {
      auto [stride, end] = digits[d];
      if (ends[list] % end != 0)
        return formatv("a rotation of {0} {1}s with stride {2} does not fit {3} {1}s", end / stride,
                       things[list], stride, ends[list]);
      if (d > 0 && stride % digits[d - 1].second != 0)
        return formatv("two rotations of {0}s overlap: {1} with stride {2} and {3} with stride {4}",
                       things[list], digits[d - 1].second / digits[d - 1].first,
                       digits[d - 1].first, end / stride, stride);
    }
  }
  return "";
}

uint64_t RotationGroup::order() const {
  uint64_t order = 1;
  for (const RotationFactor &factor : theFactors)
    order *= factor.size;
  return order;
}

RotationGroup::Element RotationGroup::element(uint64_t number) const {
  Element element = identity();
  for (size_t k = theFactors.size(); k-- > 0;) {
    element[k] = number % theFactors[k].size;
    number /= theFactors[k].size;
  }
  return element;
}

RotationGroup::Element RotationGroup::sum(const Element &a, const Element &b) const {
  Element result = a;
  for (size_t k = 0; k < theFactors.size(); ++k)
    result[k] = (a[k] + b[k]) % theFactors[k].size;
  return result;
}

RotationGroup::Element RotationGroup::difference(const Element &a, const Element &b) const {
  Element result = a;
  for (size_t k = 0; k < theFactors.size(); ++k)
    result[k] = (a[k] + theFactors[k].size - b[k]) % theFactors[k].size;
  return result;
}

uint32_t RotationGroup::rotateRank(uint32_t rank, const Element &by) const {
  for (size_t k = 0; k < theFactors.size(); ++k)
    rank = rotateDigit(rank, theFactors[k].rankStride, theFactors[k].size, by[k]);
  return rank;
}

uint32_t RotationGroup::rotateIndex(Buffer buffer, uint32_t index, const Element &by,
                                    uint32_t count) const {
  for (size_t k = 0; k < theFactors.size(); ++k)
    if (uint32_t stride = strideIn(theFactors[k], buffer);
        stride != 0 && by[k] != 0 &&
        (count == 1 || !hasPeriods(theFactors[k], buffer, index, count)))
      index = rotateDigit(index, stride, theFactors[k].size, by[k]);
  return index;
}

bool RotationGroup::keepsRange(Buffer buffer, uint32_t index, uint32_t count) const {
  return llvm::none_of(theFactors, [&](const RotationFactor &factor) {
    return divides(factor, buffer, index, count) && !hasPeriods(factor, buffer, index, count);
  });
}

bool RotationGroup::keepsOrder(Buffer buffer, uint32_t index, uint32_t count) const {
  return llvm::none_of(theFactors, [&](const RotationFactor &factor) {
    return divides(factor, buffer, index, count);
  });
}

bool RotationGroup::permutesAlike(Buffer a, uint32_t indexOfA, Buffer b, uint32_t indexOfB,
                                  uint32_t count) const {
  for (const RotationFactor &factor : theFactors) {
    bool permutesA = hasPeriods(factor, a, indexOfA, count),
         permutesB = hasPeriods(factor, b, indexOfB, count);
    if (permutesA != permutesB || (permutesA && strideIn(factor, a) != strideIn(factor, b)))
      return false;
  }
  return true;
}

RotationGroup::Element RotationGroup::elementOf(uint32_t rank) const {
  Element element = identity();
  for (size_t k = 0; k < theFactors.size(); ++k)
    element[k] = rank / theFactors[k].rankStride % theFactors[k].size;
  return element;
}

uint32_t RotationGroup::classOf(uint32_t rank) const {
  std::vector<uint32_t> order = byStride();
  for (size_t k = order.size(); k-- > 0;) {
    const RotationFactor &factor = theFactors[order[k]];
    uint32_t above = rank / factor.rankStride / factor.size;
    rank = above * factor.rankStride + rank % factor.rankStride;
  }
  return rank;
}

uint32_t RotationGroup::rankOf(uint32_t rankClass, const Element &element) const {
  uint32_t rank = rankClass;
  for (uint32_t k : byStride()) {
    const RotationFactor &factor = theFactors[k];
    uint32_t above = rank / factor.rankStride;
    rank = (above * factor.size + element[k]) * factor.rankStride + rank % factor.rankStride;
  }
  return rank;
}
