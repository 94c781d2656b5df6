//===- Grouped.h - Items by a key -------------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_GROUPED_H
#define CCL_SUPPORT_GROUPED_H

#include "cclc/Support/LLVM.h"

#include <numeric>
#include <vector>

namespace cclc {

/// Values grouped by a key, in the order of their arrival within each group: a stable counting
/// sort, linear in values and keys.
template <class Value> class GroupedValues {
public:
  /// No groups.
  GroupedValues() = default;
  /// \p forAll calls its argument with the key, below \p keys, and every value. It is called twice.
  template <class ForAll> GroupedValues(uint32_t keys, ForAll forAll) : first(keys + 1) {
    forAll([&](uint32_t key, const Value &) { ++first[key + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    ordered.resize(first.back());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    forAll([&](uint32_t key, const Value &value) { ordered[next[key]++] = value; });
  }
  /// The numbers from 0 to below \p items. \p keyOf maps one to its key.
  template <class Key>
  GroupedValues(uint32_t keys, uint32_t items, Key keyOf)
      : GroupedValues(keys, [&](auto add) {
          for (uint32_t i = 0; i < items; ++i)
            add(keyOf(i), i);
        }) {}

  uint32_t size() const { return first.size() - 1; }
  ArrayRef<Value> operator[](uint32_t key) const {
    return {ordered.data() + first[key], ordered.data() + first[key + 1]};
  }
  /// All of them, by key.
  ArrayRef<Value> all() const { return ordered; }
  std::vector<Value> takeAll() && { return std::move(ordered); }

private:
  std::vector<uint32_t> first;
  std::vector<Value> ordered;
};

using Grouped = GroupedValues<uint32_t>;

/// \p numbers in stable ascending order of \p keyOf, below \p keys.
template <class Key>
std::vector<uint32_t> sortedBy(ArrayRef<uint32_t> numbers, uint32_t keys, Key keyOf) {
  return Grouped(keys,
                 [&](auto add) {
                   for (uint32_t number : numbers)
                     add(keyOf(number), number);
                 })
      .takeAll();
}

} // namespace cclc

#endif // CCL_SUPPORT_GROUPED_H
