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
  FoldedRanks byFactor(group, sizes);
  std::set<Element> all;
  for (const Element &distance : distances)
    for (const Element &each : {distance, group.difference(group.identity(), distance)})
      if (each != group.identity())
        all.insert(each);
  FoldedRanks byNumber = numbered(group, all, (byFactor.quotient.order() - 1) / 2);
  return byNumber.numbers.empty() ? byFactor : byNumber;
}

/// Z_2 x ... x Z_2 x Z_n, with \p twos times Z_2. Their product with an odd n has 2^twos - 1
/// elements that are their own opposites, apart from the identity; with an even n, twice as many
/// and one.
static std::vector<uint32_t> sizesWithTwos(uint32_t twos, uint32_t n) {
  std::vector<uint32_t> sizes(twos, 2);
  sizes.push_back(n);
  return sizes;
}

FoldedRanks FoldedRanks::numbered(const RotationGroup &group, const std::set<Element> &distances,
                                  uint64_t most) {
  auto isOwnOpposite = [](const RotationGroup &of, const Element &element) {
    return of.difference(of.identity(), element) == element;
  };
  if (distances.size() >= most)
    return FoldedRanks(group, {});
  uint64_t own = 0;
  for (const Element &distance : distances)
    own += isOwnOpposite(group, distance);
  uint64_t pairs = (distances.size() - own) / 2;
  std::vector<uint32_t> best;
  for (uint32_t twos = 0; twos < 32 && (uint64_t(1) << twos) <= most; ++twos)
    for (uint64_t n = 1; n << twos <= most; ++n) {
      uint64_t owns = (uint64_t(1) << (twos + (n % 2 == 0))) - 1;
      if (owns < own || ((n << twos) - 1 - owns) / 2 < pairs)
        continue;
      most = (n << twos) - 1; // others must be smaller
      best = sizesWithTwos(twos, n);
      break;
    }
  if (best.empty())
    return FoldedRanks(group, {});
  FoldedRanks ranks(group, best);
  const RotationGroup &quotient = ranks.quotient;
  uint64_t nextOwn = 1, nextOther = 1;
  std::set<Element> used;
  for (const Element &distance : distances) {
    if (ranks.numbers.count(distance))
      continue; // the opposite of an earlier one
    bool isOwn = isOwnOpposite(group, distance);
    uint64_t &next = isOwn ? nextOwn : nextOther;
    while (isOwnOpposite(quotient, quotient.element(next)) != isOwn ||
           used.count(quotient.element(next)))
      ++next;
    Element number = quotient.element(next++),
            opposite = quotient.difference(quotient.identity(), number);
    used.insert({number, opposite});
    ranks.numbers.emplace(distance, number);
    ranks.numbers.emplace(group.difference(group.identity(), distance), opposite);
  }
  return ranks;
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
  if (auto number = numbers.find(distance); number != numbers.end())
    return rankOf(quotient.sum(element, number->second));
  if (!numbers.empty())
    return rank; // the identity is the only other distance
  for (size_t k = 0; k < element.size(); ++k)
    element[k] += foldDigit(distance[k], wholeSizes[k], quotient.factors()[k].size);
  return rankOf(element);
}

RankId FoldedRanks::between(RankId from, RankId to) const {
  return rankOf(quotient.difference(quotient.element(to.index()), quotient.element(from.index())));
}

RankId FoldedRanks::renumbered(RankId rank, const Element &element) const {
  return numbers.empty() ? at(rank, element) : rank;
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
  auto relative = [&](ChunkBuffer buffer, uint32_t index, const Element &element, uint32_t count) {
    return group.relativeIndex(buffer.kind(), index, element, count);
  };
  builder.reserve(program.ops.size() * ranks.ranks());
  for (const ChunkOp &op : program.ops) {
    Element src = group.elementOf(op.srcRank.index()), dst = group.elementOf(op.dstRank.index());
    ChunkOp folded = op;
    folded.srcIndex = relative(op.src, op.srcIndex, src, op.count);
    folded.dstIndex = relative(op.dst, op.dstIndex, dst, op.count);
    for (uint32_t r = 0; r < ranks.ranks(); ++r) {
      folded.srcRank = ranks.renumbered(RankId(r), src);
      folded.dstRank = ranks.at(folded.srcRank, program.distance(op));
      builder.add(folded);
    }
  }
  return std::move(builder).finish(diags);
}
