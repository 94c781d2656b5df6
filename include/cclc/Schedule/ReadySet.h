//===- ReadySet.h - A priority queue of small numbers -----------*- C++ -*-===//
//
// A set of numbers below a bound, as a bit set with summaries: one bit of a level stands for a word
// of the level below. Insertion and removal of the smallest number touch one word of each level,
// and there are at most six levels.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SCHEDULE_READYSET_H
#define CCL_SCHEDULE_READYSET_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cclc {

class ReadySet {
public:
  explicit ReadySet(uint64_t bound) {
    do {
      bound = bound / 64 + 1;
      levels.emplace_back(bound);
    } while (bound > 1);
  }

  bool empty() const { return levels.back()[0] == 0; }

  void insert(uint64_t number) {
    for (std::vector<uint64_t> &level : levels) {
      uint64_t &word = level[number / 64], before = word;
      word |= uint64_t(1) << number % 64;
      if (before)
        return;
      number /= 64;
    }
  }

  /// Removes the smallest number of a set that is not empty.
  uint64_t pop() {
    uint64_t number = 0;
    for (std::size_t l = levels.size(); l-- > 0;)
      number = number * 64 + std::countr_zero(levels[l][number]);
    uint64_t at = number;
    for (std::vector<uint64_t> &level : levels) {
      uint64_t &word = level[at / 64];
      word &= word - 1; // the number has the lowest bit
      if (word)
        break;
      at /= 64;
    }
    return number;
  }

private:
  std::vector<std::vector<uint64_t>> levels;
};

} // namespace cclc

#endif // CCL_SCHEDULE_READYSET_H
