//===- Grouped.h - Numbers of items by a key --------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_GROUPED_H
#define CCL_SUPPORT_GROUPED_H

#include "cclc/Support/LLVM.h"

#include <numeric>
#include <vector>

namespace cclc {

/// The numbers from 0 to below that of the items, grouped by a key, in ascending order within each
/// group: a stable counting sort, linear in items and keys.
class Grouped {
public:
  /// \p keyOf maps the number of an item to its key, below \p keys.
  template <class Key> Grouped(uint32_t keys, uint32_t items, Key keyOf) : first(keys + 1) {
    for (uint32_t i = 0; i < items; ++i)
      ++first[keyOf(i) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    ordered.resize(items);
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (uint32_t i = 0; i < items; ++i)
      ordered[next[keyOf(i)]++] = i;
  }

  ArrayRef<uint32_t> operator[](uint32_t key) const {
    return ArrayRef(ordered).slice(first[key], first[key + 1] - first[key]);
  }
  /// All of them, by key.
  ArrayRef<uint32_t> all() const { return ordered; }

private:
  std::vector<uint32_t> first, ordered;
};

} // namespace cclc

#endif // CCL_SUPPORT_GROUPED_H
