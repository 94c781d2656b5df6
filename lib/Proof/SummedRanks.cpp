//===- SummedRanks.cpp - Unions of intervals of ranks ---------------------===//
//
// Entries are visited in the order of the table, operands first. The union of the operands'
// intervals is a merge of two sorted lists, which fails at the first overlap.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/SummedRanks.h"

using namespace cclc;

SummedRanks::Contributions SummedRanks::of(ValueId v, uint32_t length) const {
  if (!values.isSum(v)) {
    Contribution c = values.asContribution(v);
    if (values.asContribution(ValueTable::advanced(v, length - 1)).rank != c.rank)
      return {};
    return {c.index, 1, {{{c.rank.index(), c.rank.index() + 1}}}};
  }
  ValueTable::Place at = values.place(v);
  if (at.offset + length > values.entry(at.entry).length)
    return {};
  Contributions result = ofEntry[at.entry];
  result.index += at.offset;
  return result;
}

SummedRanks::Contributions SummedRanks::sum(const Contributions &lhs, const Contributions &rhs) {
  if (lhs.count == 0 || rhs.count == 0 || lhs.index != rhs.index)
    return {};
  Contributions result;
  result.index = lhs.index;
  for (uint32_t left = 0, right = 0; left < lhs.count || right < rhs.count;) {
    bool fromLeft = right == rhs.count ||
                    (left < lhs.count && lhs.intervals[left].first < rhs.intervals[right].first);
    Interval next = fromLeft ? lhs.intervals[left++] : rhs.intervals[right++];
    if (result.count > 0 && next.first <= result.intervals[result.count - 1].end) {
      Interval &last = result.intervals[result.count - 1];
      if (next.first < last.end)
        return {};
      last.end = next.end;
      continue;
    }
    if (result.count == result.intervals.size())
      return {};
    result.intervals[result.count++] = next;
  }
  return result;
}

std::optional<bool> SummedRanks::addsAll(ValueId sumId, uint32_t index, uint32_t ranks) {
  uint32_t last = values.place(sumId).entry;
  ofEntry.reserve(values.numEntries());
  for (uint32_t e = ofEntry.size(); e <= last; ++e) {
    ValueTable::Entry entry = values.entry(e);
    ofEntry.push_back(sum(of(entry.lhs, entry.length), of(entry.rhs, entry.length)));
  }
  Contributions all = of(sumId, 1);
  if (all.count == 0)
    return std::nullopt;
  return all.count == 1 && all.intervals[0].first == 0 && all.intervals[0].end == ranks &&
         all.index == index;
}
