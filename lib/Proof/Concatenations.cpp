//===- Concatenations.cpp - Hash-consed lists of runs ---------------------===//
//
// Lists are hash-consed (Ershov, CACM 1(8), 1958), and nested: a part may be a range of an earlier
// concatenation. The element with a given number is found by binary search among the parts, and a
// range is resolved with an explicit stack, as concatenations may be nested thousands deep.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Concatenations.h"

#include <algorithm>

using namespace cclc;

/// Sums have at least the lower half of the ids.
static constexpr uint32_t lowestId = UINT32_MAX / 2 + 1;

ArrayRef<Concatenations::Part> Concatenations::partsOf(uint32_t entry) const {
  size_t end = entry + 1 < firstParts.size() ? firstParts[entry + 1] : parts.size();
  return ArrayRef(parts).slice(firstParts[entry], end - firstParts[entry]);
}

bool Concatenations::equal(uint32_t entry, ArrayRef<ValueRun> runs) const {
  ArrayRef<Part> list = partsOf(entry);
  if (list.size() != runs.size())
    return false;
  uint32_t offset = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (list[i].first != runs[i].first || list[i].offset != offset)
      return false;
    offset += runs[i].length;
  }
  uint32_t end = entry == 0 ? UINT32_MAX : starts[entry - 1];
  return offset == end - starts[entry];
}

std::optional<ValueId> Concatenations::join(ArrayRef<ValueRun> runs) {
  uint64_t hash = 0, length = 0;
  for (const ValueRun &run : runs) {
    hash = (hash ^ (uint64_t(run.first.index()) << 32 | run.length)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
    length += run.length;
  }
  hash >>= 1; // the map reserves the largest keys
  auto it = known.find(hash);
  if (it != known.end() && equal(it->second, runs))
    return ValueId(starts[it->second]);
  if (length > firstId - lowestId)
    return std::nullopt;
  known[hash] = uint32_t(starts.size());
  firstId -= uint32_t(length);
  starts.push_back(firstId);
  firstParts.push_back(uint32_t(parts.size()));
  uint32_t offset = 0;
  for (const ValueRun &run : runs) {
    parts.push_back({run.first, offset});
    offset += run.length;
  }
  return ValueId(firstId);
}

uint32_t Concatenations::entryOf(ValueId v) const {
  auto it = std::partition_point(starts.begin(), starts.end(),
                                 [&](uint32_t start) { return start > v.index(); });
  return uint32_t(it - starts.begin());
}

void Concatenations::resolve(ValueRun run, ValueRuns &result) const {
  ValueRuns stack = {run};
  while (!stack.empty()) {
    ValueRun top = stack.pop_back_val();
    if (!contains(top.first)) {
      result.push_back(top);
      continue;
    }
    uint32_t entry = entryOf(top.first);
    uint32_t begin = top.first.index() - starts[entry], end = begin + top.length;
    ArrayRef<Part> list = partsOf(entry);
    auto last = std::partition_point(list.begin(), list.end(),
                                     [&](const Part &part) { return part.offset < end; });
    // The last part first, so that the first one is on top of the stack.
    while (begin < end) {
      --last;
      uint32_t from = std::max(begin, last->offset);
      stack.push_back({ValueTable::advanced(last->first, from - last->offset), end - from});
      end = from;
    }
  }
}

ValueRuns Concatenations::resolve(ArrayRef<ValueRun> runs) const {
  ValueRuns result;
  for (const ValueRun &run : runs)
    resolve(run, result);
  return result;
}

ValueId Concatenations::resolve(ValueId v) const {
  while (contains(v)) {
    uint32_t entry = entryOf(v), offset = v.index() - starts[entry];
    ArrayRef<Part> list = partsOf(entry);
    auto next = std::partition_point(list.begin(), list.end(),
                                     [&](const Part &part) { return part.offset <= offset; });
    v = ValueTable::advanced(std::prev(next)->first, offset - std::prev(next)->offset);
  }
  return v;
}
