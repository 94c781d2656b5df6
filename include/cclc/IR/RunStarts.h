//===- RunStarts.h - The first cells of runs --------------------*- C++ -*-===//
//
// A partition of a range of cells into runs, as a set of bits with a summary: one bit for each cell
// that begins a run, and one for each word of 64 cells that has such a bit. Scanning skips 64 cells
// at a time, and 4,096 where no run begins.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_RUNSTARTS_H
#define CCL_IR_RUNSTARTS_H

#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace cclc {

class RunStarts {
public:
  /// One run of \p size cells.
  explicit RunStarts(uint64_t size) : words(size / 64 + 1), summary(words.size() / 64 + 1) {
    insert(0);
  }

  bool contains(uint64_t cell) const { return words[cell / 64] >> cell % 64 & 1; }

  void insert(uint64_t cell) {
    words[cell / 64] |= bit(cell);
    summary[cell / 4096] |= bit(cell / 64);
  }

  /// The first cell of the run of \p cell.
  uint64_t startOf(uint64_t cell) const {
    if (uint64_t here = words[cell / 64] & upTo(cell))
      return lastOf(cell / 64, here);
    uint64_t at = cell / 4096;
    uint64_t some = summary[at] & (upTo(cell / 64) >> 1);
    while (!some)
      some = summary[--at];
    uint64_t word = lastOf(at, some);
    return lastOf(word, words[word]);
  }

  /// The first cell of the run after that of \p cell, or \p end if no run begins before it.
  uint64_t next(uint64_t cell, uint64_t end) const {
    if (++cell >= end)
      return end;
    uint64_t word = cell / 64, here = words[word] & ~uint64_t(0) << cell % 64;
    if (!here) {
      uint64_t at = word / 64, some = summary[at] & ~upTo(word);
      while (!some) {
        if (++at * 4096 >= end)
          return end;
        some = summary[at];
      }
      word = at * 64 + std::countr_zero(some);
      here = words[word];
    }
    uint64_t start = word * 64 + std::countr_zero(here);
    return start < end ? start : end;
  }

  /// Joins all runs that begin in [\p begin, \p end) with the one before them.
  void erase(uint64_t begin, uint64_t end) {
    while (begin < end) {
      uint64_t stop = begin / 64 * 64 + 64;
      uint64_t mask = ~uint64_t(0) << begin % 64;
      if (end < stop)
        mask &= bit(end) - 1;
      words[begin / 64] &= ~mask;
      if (words[begin / 64] == 0)
        summary[begin / 4096] &= ~bit(begin / 64);
      begin = stop;
    }
  }

private:
  static uint64_t bit(uint64_t number) { return uint64_t(1) << number % 64; }
  /// The bits 0 to \p number % 64.
  static uint64_t upTo(uint64_t number) { return ~uint64_t(0) >> (63 - number % 64); }
  static uint64_t lastOf(uint64_t word, uint64_t bits) {
    return word * 64 + 63 - std::countl_zero(bits);
  }

  std::vector<uint64_t> words, summary;
};

} // namespace cclc

#endif // CCL_IR_RUNSTARTS_H
