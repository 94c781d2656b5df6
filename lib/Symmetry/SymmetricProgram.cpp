//===- SymmetricProgram.cpp - Folding programs onto few ranks -------------===//
//
// The operations of the folded program are those of the first repetition, each repeated for all
// folded ranks before the next one, so that operations of one rank that are equal in all other
// respects are ordered by their place in the body, which is the same order on every rank.
//
// In place, the smaller of input and output is the first part of the larger one: the own part of a
// rank has the relative index 0.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/SymmetricProgram.h"

#include <algorithm>
#include <set>

using namespace cclc;

using Element = RotationGroup::Element;

std::string cclc::findAsymmetry(const Collective &collective, const RotationGroup &group) {
  if (group.order() != collective.ranks())
    return "the rotations of the orbits do not map every rank to every other one";
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    break;
  default:
    return "the collective is not symmetric under rotations";
  }
  for (const RotationFactor &factor : group.factors())
    if (RotationGroup::factorFor(collective, factor.size, factor.rankStride,
                                 factor.chunkStride[0]) != factor)
      return "the rotations of ranks and chunks do not fit the collective";
  return "";
}

static RotationGroup sizesOnly(const std::vector<uint32_t> &sizes) {
  std::vector<RotationFactor> factors;
  for (uint32_t size : sizes)
    factors.push_back({size, 1, {0, 0}});
  return RotationGroup(std::move(factors));
}

FoldedRanks::FoldedRanks(const RotationGroup &group, const std::vector<uint32_t> &sizes)
    : quotient(sizesOnly(sizes)) {
  for (const RotationFactor &factor : group.factors())
    wholeSizes.push_back(factor.size);
}

/// The number modulo \p folded that stands for the distance \p digit of \p size ranks. Opposite
/// distances have opposite numbers.
static uint32_t foldDigit(uint32_t digit, uint32_t size, uint32_t folded) {
  return digit <= size / 2 ? digit % folded : (folded - (size - digit) % folded) % folded;
}

FoldedRanks FoldedRanks::smallest(const RotationGroup &group, ArrayRef<Element> distances) {
  std::vector<uint32_t> sizes;
  for (size_t k = 0; k < group.factors().size(); ++k) {
    uint32_t size = group.factors()[k].size;
    std::set<uint32_t> digits = {0};
    for (const Element &distance : distances) {
      digits.insert(distance[k]);
      digits.insert((size - distance[k]) % size);
    }
    // Half of the ranks is its own opposite, and stays so in divisors of the size only.
    bool half = size % 2 == 0 && digits.count(size / 2);
    auto keepsApart = [&](uint32_t folded) {
      std::set<uint32_t> rests;
      bool differ = std::all_of(digits.begin(), digits.end(), [&](uint32_t digit) {
        return rests.insert(foldDigit(digit, size, folded)).second;
      });
      return differ && !(half && size % folded != 0);
    };
    uint32_t folded = digits.size();
    while (folded < size && !keepsApart(folded))
      ++folded;
    sizes.push_back(folded);
  }
  return FoldedRanks(group, sizes);
}

std::vector<uint32_t> FoldedRanks::sizes() const {
  std::vector<uint32_t> sizes;
  for (const RotationFactor &factor : quotient.factors())
    sizes.push_back(factor.size);
  return sizes;
}

RankId FoldedRanks::rankOf(const Element &element) const {
  uint64_t number = 0;
  for (size_t k = 0; k < element.size(); ++k) {
    uint32_t size = quotient.factors()[k].size;
    number = number * size + element[k] % size;
  }
  return RankId(number);
}

RankId FoldedRanks::at(RankId rank, const Element &distance) const {
  Element element = quotient.element(rank.index());
  for (size_t k = 0; k < element.size(); ++k)
    element[k] += foldDigit(distance[k], wholeSizes[k], quotient.factors()[k].size);
  return rankOf(element);
}

Collective FoldedRanks::fold(const Collective &collective) const {
  CustomSpec spec;
  spec.inputChunks = collective.inputChunks();
  spec.outputChunks = collective.outputChunks();
  spec.outputs.reserve(uint64_t(ranks()) * spec.outputChunks);
  for (uint32_t r = 0; r < ranks(); ++r)
    for (uint32_t c = 0; c < spec.outputChunks; ++c)
      spec.outputs.push_back({RankId(r), c, {{RankId(r), 0}}});
  return Collective(ranks(), std::move(spec));
}

FoldedRanks cclc::foldedRanks(const SymmetricProgram &program) {
  std::set<Element> distances;
  for (const ChunkOp &op : program.ops)
    distances.insert(program.distance(op));
  return FoldedRanks::smallest(program.group,
                               std::vector<Element>(distances.begin(), distances.end()));
}

FailureOr<ChunkProgram> cclc::fold(const SymmetricProgram &program, const FoldedRanks &ranks,
                                   DiagnosticEngine &diags) {
  const RotationGroup &group = program.group;
  ProgramInfo info = program.info;
  info.collective = ranks.fold(program.info.collective);
  info.geometry = {};
  info.placementOnTarget.clear();
  ChunkProgramBuilder builder(std::move(info));
  for (const auto &[name, chunks] : program.scratch) {
    uint16_t buffer = builder.scratchBuffer(name);
    for (uint32_t r = 0; r < ranks.ranks(); ++r)
      builder.growScratch(buffer, RankId(r), chunks);
  }
  auto relative = [&](ChunkBuffer buffer, uint32_t index, const Element &element) {
    if (buffer.isScratch())
      return index;
    return group.relativeIndex(buffer == ChunkBuffer::input() ? Buffer::Input : Buffer::Output,
                               index, element);
  };
  builder.reserve(program.ops.size() * ranks.ranks());
  for (const ChunkOp &op : program.ops) {
    Element src = group.elementOf(op.srcRank.index()), dst = group.elementOf(op.dstRank.index());
    ChunkOp folded = op;
    folded.srcIndex = relative(op.src, op.srcIndex, src);
    folded.dstIndex = relative(op.dst, op.dstIndex, dst);
    for (uint32_t r = 0; r < ranks.ranks(); ++r) {
      folded.srcRank = ranks.at(RankId(r), src);
      folded.dstRank = ranks.at(folded.srcRank, program.distance(op));
      builder.add(folded);
    }
  }
  return std::move(builder).finish(diags);
}
