//===- RolledForm.cpp - Comparing ranks with their predecessors -----------===//
//
// Every rank is compared with the rank that has one digit of its group element less, so that one
// rotation, whose indices are in a table, is enough for each factor: by induction, all ranks are
// what rotations make of rank 0.
//
//===----------------------------------------------------------------------===//

#include "cclc/Symmetry/Rolled/RolledForm.h"

#include "MatchThreadblocks.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

using Element = RotationGroup::Element;

RolledForm cclc::formOfUnrolled(const RolledPlan &plan) {
  RolledForm form{plan, {}};
  form.threadblocks.resize(plan.threadblocks.size() * plan.info.ranks());
  for (size_t t = 0; t < form.threadblocks.size(); ++t)
    form.threadblocks[t] = t % plan.threadblocks.size();
  return form;
}

namespace {
/// The indices of chunks after one step of a factor.
class Rotation {
public:
  Rotation(const RotationGroup &group, size_t factor, const Collective &collective) : group(group) {
    by = group.identity();
    by[factor] = 1 % group.factors()[factor].size;
    for (Buffer buffer : {Buffer::Input, Buffer::Output}) {
      std::vector<uint32_t> &indices = next[size_t(buffer)];
      indices.resize(buffer == Buffer::Input ? collective.inputChunks()
                                             : collective.outputChunks());
      for (uint32_t i = 0; i < indices.size(); ++i)
        indices[i] = group.rotateIndex(buffer, i, by);
    }
  }
  /// Whether \p after is what the rotation makes of \p before.
  bool maps(Operand before, Operand after, uint32_t count) const {
    if (before.isNone() || after.isNone() || before.buffer() == Buffer::Scratch)
      return before == after;
    uint32_t index = count == 1 ? next[size_t(before.buffer())][before.index()]
                                : group.rotateIndex(before.buffer(), before.index(), by, count);
    return after.buffer() == before.buffer() && after.index() == index;
  }

private:
  const RotationGroup &group;
  Element by;
  std::vector<uint32_t> next[2];
};

/// Looks for the form of one plan under one group.
class FormSearch {
public:
  explicit FormSearch(const ExecPlan &plan) : plan(plan) {}

  /// With the rotations of these digits of ranks: sizes and strides.
  std::optional<RolledForm> find(ArrayRef<std::pair<uint32_t, uint32_t>> digits);

private:
  bool matchRank(const ThreadblockMatcher &matcher, RankId rank);
  bool rotates(RankId before, RankId after, const Rotation &rotation) const;
  std::optional<uint32_t> chunkStride(uint32_t size, RankId next) const;
  RankId predecessor(RankId rank, size_t &factor) const;

  std::optional<Element> distance(RankId rank, OptionalId<RankId> peer) const {
    if (!peer)
      return std::nullopt;
    return group.difference(group.elementOf((*peer).index()), group.elementOf(rank.index()));
  }
  /// The threadblock of \p rank that number \p t of the rolled plan stands for.
  const Threadblock &threadblock(RankId rank, uint32_t t) const {
    return plan.threadblocks(rank)[order[rank.index() * size + t]];
  }

  const ExecPlan &plan;
  RotationGroup group;
  uint32_t size = 0;                            ///< threadblocks of a rank
  std::vector<RolledPlan::Threadblock> ofFirst; ///< of rank 0
  std::vector<uint32_t> order;                  ///< by rank and number in the rolled plan
  std::vector<uint32_t> numbers;                ///< the reverse
};
} // namespace

/// Finds which threadblocks of \p rank are those of rank 0.
bool FormSearch::matchRank(const ThreadblockMatcher &matcher, RankId rank) {
  ArrayRef<Threadblock> theirs = plan.threadblocks(rank);
  auto matched =
      matcher.match(theirs, [&](OptionalId<RankId> peer) { return distance(rank, peer); });
  if (!matched || plan.scratchChunks()[rank.index()] != plan.scratchChunks()[0])
    return false;
  size_t first = size_t(rank.index()) * size;
  for (uint32_t t = 0; t < size; ++t) {
    const uint32_t f = (*matched)[t];
    if (ofFirst[f].numSteps != theirs[t].numSteps)
      return false;
    numbers[first + t] = f;
    order[first + f] = t;
  }
  return true;
}

/// The distance by which indices grow from rank 0 to \p next, if there is an index that differs.
std::optional<uint32_t> FormSearch::chunkStride(uint32_t factorSize, RankId next) const {
  for (uint32_t t = 0; t < size; ++t)
    for (auto [a, b] :
         llvm::zip(plan.steps(threadblock(RankId(0), t)), plan.steps(threadblock(next, t))))
      for (auto [before, after] : {std::pair(a.src, b.src), std::pair(a.dst, b.dst)}) {
        if (before.isNone() || after.isNone() || before.buffer() == Buffer::Scratch ||
            after.buffer() != before.buffer() || before.index() == after.index())
          continue;
        return before.index() < after.index()
                   ? after.index() - before.index()
                   : (before.index() - after.index()) / std::max(factorSize - 1, 1u);
      }
  return std::nullopt;
}

/// The rank with one less in the digit of \p factor, the first that is not 0.
RankId FormSearch::predecessor(RankId rank, size_t &factor) const {
  Element by = group.elementOf(rank.index());
  factor = 0;
  while (by[factor] == 0)
    ++factor;
  by = group.identity();
  by[factor] = group.factors()[factor].size - 1;
  return RankId(group.rotateRank(rank.index(), by));
}

bool FormSearch::rotates(RankId before, RankId after, const Rotation &rotation) const {
  size_t ofBefore = size_t(before.index()) * size, ofAfter = size_t(after.index()) * size;
  auto sameWait = [&](const Step &a, const Step &b) {
    if (!a.waits() || !b.waits())
      return a.waits() == b.waits();
    Wait x = *a.wait(), y = *b.wait();
    return x.step == y.step && numbers[ofBefore + x.tb.index()] == numbers[ofAfter + y.tb.index()];
  };
  for (uint32_t t = 0; t < size; ++t)
    for (auto [a, b] :
         llvm::zip(plan.steps(threadblock(before, t)), plan.steps(threadblock(after, t))))
      if (a.op != b.op || a.count != b.count || a.phase != b.phase || a.publishes != b.publishes ||
          !rotation.maps(a.src, b.src, a.count) || !rotation.maps(a.dst, b.dst, a.count) ||
          !sameWait(a, b))
        return false;
  return true;
}

std::optional<RolledForm> FormSearch::find(ArrayRef<std::pair<uint32_t, uint32_t>> digits) {
  const Collective &collective = plan.info().collective;
  uint32_t ranks = plan.ranks();
  auto rotations = [&](ArrayRef<uint32_t> strides) {
    std::vector<RotationFactor> factors;
    for (auto [k, digit] : llvm::enumerate(digits))
      factors.push_back(RotationGroup::factorFor(collective, digit.first, digit.second,
                                                 strides.empty() ? 0 : strides[k]));
    return RotationGroup(std::move(factors));
  };
  group = rotations({});
  size = plan.threadblocks(RankId(0)).size();
  order.assign(uint64_t(size) * ranks, 0);
  numbers.assign(uint64_t(size) * ranks, 0);
  ofFirst.clear();
  uint32_t steps = 0;
  for (const Threadblock &tb : plan.threadblocks(RankId(0))) {
    ofFirst.push_back({distance(RankId(0), tb.sendPeer), distance(RankId(0), tb.recvPeer),
                       tb.channel, steps, tb.numSteps});
    steps += tb.numSteps;
  }
  const ThreadblockMatcher matcher(ofFirst);
  for (uint32_t r = 0; r < ranks; ++r)
    if (!matchRank(matcher, RankId(r)))
      return std::nullopt;
  std::vector<uint32_t> strides;
  for (auto [factorSize, rankStride] : digits)
    strides.push_back(chunkStride(factorSize, RankId(rankStride)).value_or(0));
  group = rotations(strides);
  if (!group.findFault(collective).empty() || !findAsymmetry(collective, group).empty())
    return std::nullopt;

  RolledForm form{{plan.info(), group, plan.scratchChunks()[0], ofFirst, {}}, {}};
  form.plan.steps.reserve(steps);
  for (const Threadblock &tb : plan.threadblocks(RankId(0)))
    llvm::append_range(form.plan.steps, plan.steps(tb));
  if (!keepsOrder(form.plan))
    return std::nullopt;
  std::vector<Rotation> ofFactors;
  for (size_t k = 0; k < digits.size(); ++k)
    ofFactors.emplace_back(group, k, collective);
  for (uint32_t r = 1; r < ranks; ++r) {
    size_t factor;
    RankId before = predecessor(RankId(r), factor);
    if (!rotates(before, RankId(r), ofFactors[factor]))
      return std::nullopt;
  }
  form.threadblocks = std::move(numbers);
  return form;
}

std::optional<RolledForm> cclc::findRolledForm(const ExecPlan &plan) {
  uint32_t ranks = plan.ranks();
  if (ranks < 2 || plan.usesSwitches() || plan.threadblocks(RankId(0)).empty())
    return std::nullopt;
  FormSearch search(plan);
  if (std::optional<RolledForm> form = search.find({{ranks, 1}}))
    return form;
  const Geometry &geometry = plan.info().geometry;
  if (geometry.levels.empty() || geometry.ranks() != ranks)
    return std::nullopt;
  std::vector<std::pair<uint32_t, uint32_t>> digits;
  uint32_t stride = 1;
  for (const GridLevel &level : llvm::reverse(geometry.levels))
    for (uint32_t length : {level.width, level.height}) {
      if (length > 1)
        digits.emplace_back(length, stride);
      stride *= length;
    }
  return search.find(digits);
}
