//===- PostCondition.cpp - Counting contributions -------------------------===//
//
// A sum whose ranks are not known without expansion is expanded with an explicit stack, as
// reductions may be thousands deep. Expansion of a correct sum visits each rank once. A mark for
// each rank detects the first repetition and ends the expansion, which takes O(ranks) even for
// expressions of exponential size. The explanation of a wrong value compares multisets of
// contributions.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/PostCondition.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

using namespace cclc;
using llvm::formatv;

PostCondition::PostCondition(const Collective &collective, const ValueTable &values)
    : collective(collective), values(values), met(collective.ranks()) {
  if (collective.kind() == CollectiveKind::AllReduce)
    lastSum.assign(collective.outputChunks(), ValueTable::undefined());
  // Each of the sums over all ranks is expanded at least once, as is that of each rank in a scan;
  // an entry takes as long as four leaves.
  if (isScan(collective.kind()) ||
      uint64_t(collective.chunks()) * collective.ranks() > 4 * uint64_t(values.numEntries()))
    summed.emplace(values);
}

bool PostCondition::isSameForAllRanks(const Collective &collective) {
  return collective.kind() == CollectiveKind::AllReduce ||
         collective.kind() == CollectiveKind::AllGather ||
         collective.kind() == CollectiveKind::Broadcast;
}

bool PostCondition::isSumOver(uint32_t ranks, ValueId value, uint32_t index) {
  // The values of an entry are sums of successive chunks.
  OptionalIndex entry;
  std::pair<uint32_t, uint32_t> sum{0, ranks};
  if (values.isSum(value)) {
    if (summed)
      if (std::optional<bool> adds = summed->addsAll(value, index, ranks))
        return *adds;
    ValueTable::Place at = values.place(value);
    if (at.offset > index)
      return false;
    sum.first = index - at.offset;
    entry = at.entry;
    if (auto known = sumOf.find(at.entry); known != sumOf.end() && known->second == sum)
      return true;
  }
  // The walk ends at the first leaf that is counted twice, so it visits at most one leaf more than
  // there are ranks, even if parts of the expression are shared.
  ++expansion;
  uint32_t count = 0;
  SmallVector<ValueId, 32> stack = {value};
  while (!stack.empty()) {
    ValueId top = stack.pop_back_val();
    if (values.isSum(top)) {
      auto [lhs, rhs] = values.operands(top);
      stack.push_back(rhs);
      stack.push_back(lhs);
      continue;
    }
    if (!values.isContribution(top))
      return false;
    Contribution c = values.asContribution(top);
    if (c.index != index || c.rank.index() >= ranks || met[c.rank.index()] == expansion)
      return false;
    met[c.rank.index()] = expansion;
    ++count;
  }
  if (count != ranks)
    return false;
  if (entry)
    sumOf[*entry] = sum;
  return true;
}

uint32_t PostCondition::alike(RankId rank, uint32_t index, ValueId value) const {
  return value == ValueTable::undefined() ? collective.constraintRun(rank, index)
                                          : collective.expectationRun(rank, index);
}

std::vector<Contribution> PostCondition::wanted(const Expectation &expectation) const {
  switch (expectation.kind) {
  case Expectation::Kind::Anything:
    return {};
  case Expectation::Kind::Chunk:
    return {{expectation.rank, expectation.index}};
  case Expectation::Kind::Sum: {
    std::vector<Contribution> all;
    for (uint32_t r = 0; r <= expectation.rank.index(); ++r)
      all.push_back({RankId(r), expectation.index});
    return all;
  }
  case Expectation::Kind::SumList:
    return expectation.list.vec();
  }
  llvm_unreachable("unknown expectation");
}

bool PostCondition::holds(RankId rank, uint32_t index, ValueId value) {
  if (!lastSum.empty() && lastSum[index] == value && value != ValueTable::undefined())
    return true;
  Expectation expectation = collective.expected(rank, index);
  switch (expectation.kind) {
  case Expectation::Kind::Anything:
    return true;
  case Expectation::Kind::Chunk:
    return value == values.contribution({expectation.rank, expectation.index});
  case Expectation::Kind::Sum:
    if (!isSumOver(expectation.rank.index() + 1, value, expectation.index))
      return false;
    if (!lastSum.empty())
      lastSum[index] = value;
    return true;
  case Expectation::Kind::SumList:
    break;
  }
  if (value == ValueTable::undefined())
    return false;
  std::vector<Contribution> want = wanted(expectation);
  std::vector<Contribution> have = values.contributions(value, want.size() + 1);
  std::sort(want.begin(), want.end());
  std::sort(have.begin(), have.end());
  return want == have;
}

namespace {
/// "r0:i[3]", "r0:i[3] and r1:i[3]", "r0:i[3], r1:i[3] and 5 more".
std::string listContributions(ArrayRef<Contribution> list) {
  constexpr size_t shown = 3;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t i = 0; i < std::min(list.size(), shown); ++i) {
    if (i > 0)
      os << (i + 1 == list.size() ? " and " : ", ");
    os << list[i].rank << ":i[" << list[i].index << ']';
  }
  if (list.size() > shown)
    os << " and " << list.size() - shown << " more";
  return text;
}
} // namespace

PostCondition::Differences PostCondition::compare(ArrayRef<Contribution> wanted,
                                                  ValueId value) const {
  std::vector<Contribution> want = wanted.vec();
  std::map<Contribution, int> count;
  for (Contribution c : want)
    --count[c];
  for (Contribution c : values.contributions(value, 2 * want.size() + 64))
    ++count[c];
  std::sort(want.begin(), want.end());
  Differences found;
  for (auto [c, surplus] : count) {
    bool isWanted = std::binary_search(want.begin(), want.end(), c);
    if (surplus < 0)
      found.missing.push_back(c);
    else if (surplus > 0)
      (isWanted ? found.repeated : found.foreign).push_back(c);
  }
  return found;
}

std::optional<Culprit> PostCondition::culprit(RankId rank, uint32_t index, ValueId value) const {
  std::vector<Contribution> want = wanted(collective.expected(rank, index));
  Differences found = compare(want, value);
  std::sort(want.begin(), want.end());
  if (!found.foreign.empty())
    return findCulprit(values, value, found.foreign.front(), /*repeated=*/false, want);
  if (!found.repeated.empty())
    return findCulprit(values, value, found.repeated.front(), /*repeated=*/true, want);
  return std::nullopt;
}

std::string PostCondition::explain(RankId rank, uint32_t index, ValueId value) const {
  Expectation expectation = collective.expected(rank, index);
  std::vector<Contribution> want = wanted(expectation);
  std::string text = formatv("r{0}:o[{1}]: expected ", rank.index(), index);
  if (expectation.kind == Expectation::Kind::Sum)
    text += want.size() == collective.ranks()
                ? formatv("the reduction of chunk {0} over all {1} ranks", expectation.index,
                          collective.ranks())
                : formatv("the reduction of chunk {0} over ranks 0 to {1}", expectation.index,
                          expectation.rank.index());
  else if (want.size() == 1)
    text += listContributions(want);
  else
    text += "the reduction of " + listContributions(want);

  if (value == ValueTable::undefined())
    return text + ", but it is undefined";
  if (values.isContribution(value) && want.size() == 1)
    return text + ", but it holds " + listContributions(values.asContribution(value));

  auto [missing, repeated, foreign] = compare(want, value);
  const char *separator = ", but ";
  auto clause = [&](ArrayRef<Contribution> list, const char *what) {
    if (list.empty())
      return;
    text += separator + listContributions(list) + (list.size() == 1 ? " is " : " are ") + what;
    separator = ", and ";
  };
  clause(missing, "missing");
  clause(repeated, "contained more than once");
  clause(foreign, "contained but must not be");
  return text;
}
