//===- RunMap.h - A map from cells to values, stored as runs ----*- C++ -*-===//
//
// Steps move ranges of cells, and the values of successive cells in a range are usually successive
// as well: `T::advanced(n)` is the value n cells later. A RunMap stores one value for each run of
// such cells, so that a step of a million chunks costs as much as a step of one chunk.
//
// If the number of runs approaches the number of cells, a map costs more than an array. It is
// converted to an array as soon as it has one run per eight cells, or from the start on request.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SUPPORT_RUNMAP_H
#define CCL_SUPPORT_RUNMAP_H

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <vector>

namespace cclc {

template <class T> class RunMap {
public:
  /// Makes a map of \p size cells with the values \p first, its successor and so on.
  RunMap(uint32_t size, const T &first, bool cellwise) : theSize(size) {
    if (size == 0)
      return;
    runs.emplace(0, first);
    if (cellwise)
      makeCells();
  }

  uint32_t size() const { return theSize; }
  bool isCellwise() const { return !cells.empty(); }

  T at(uint32_t cell) const {
    if (!cells.empty())
      return cells[cell];
    auto it = std::prev(runs.upper_bound(cell));
    return it->second.advanced(cell - it->first);
  }

  void set(uint32_t cell, const T &value) {
    cells.empty() ? assign(cell, 1, value) : void(cells[cell] = value);
  }

  /// Calls fn(cell, length, value of the first) for every run in [\p begin, \p begin +
  /// \p count), ascending.
  template <class Fn> void forRuns(uint32_t begin, uint32_t count, Fn fn) const {
    assert(count <= theSize && begin <= theSize - count);
    if (!cells.empty()) {
      for (uint32_t cell = begin; cell < begin + count; ++cell)
        fn(cell, 1, cells[cell]);
      return;
    }
    if (count == 0)
      return;
    uint32_t end = begin + count;
    for (auto it = std::prev(runs.upper_bound(begin)); begin < end; ++it) {
      uint32_t stop = std::min(end, endOf(it));
      fn(begin, stop - begin, it->second.advanced(begin - it->first));
      begin = stop;
    }
  }

  /// The same, but fn takes a reference and may change the value of the whole run.
  template <class Fn> void update(uint32_t begin, uint32_t count, Fn fn) {
    assert(count <= theSize && begin <= theSize - count);
    if (cells.empty() && count > 0) {
      split(begin);
      split(begin + count);
      if (!shouldBeCells(runs.size())) {
        for (auto it = runs.find(begin); it != runs.end() && it->first < begin + count; ++it)
          fn(it->first, endOf(it) - it->first, it->second);
        return;
      }
      makeCells();
    }
    for (uint32_t cell = begin; cell < begin + count; ++cell)
      fn(cell, 1, cells[cell]);
  }

  /// Called before \p runsToCome runs are assigned to successive ranges.
  void expect(size_t runsToCome) {
    if (cells.empty() && shouldBeCells(runsToCome))
      makeCells();
  }

  void assign(uint32_t begin, uint32_t count, const T &first) {
    assert(count <= theSize && begin <= theSize - count);
    for (uint32_t i = 0; !cells.empty() && i < count; ++i)
      cells[begin + i] = first.advanced(i);
    if (!cells.empty() || count == 0)
      return;
    // The rest of the last run keeps its value; the other runs are replaced.
    uint32_t end = begin + count;
    auto it = std::prev(runs.upper_bound(begin));
    auto last = it, next = std::next(it);
    for (; next != runs.end() && next->first < end; ++next)
      last = next;
    if (end < theSize && (next == runs.end() || next->first != end))
      next = runs.emplace_hint(next, end, last->second.advanced(end - last->first));
    runs.erase(std::next(it), next);
    if (it->first == begin)
      it->second = first;
    else
      runs.emplace_hint(next, begin, first);
    if (shouldBeCells(runs.size()))
      makeCells();
  }

private:
  using Runs = std::map<uint32_t, T>;

  uint32_t endOf(typename Runs::const_iterator it) const {
    auto next = std::next(it);
    return next == runs.end() ? theSize : next->first;
  }

  /// Makes a run begin at \p cell.
  void split(uint32_t cell) {
    if (cell == theSize)
      return;
    auto next = runs.lower_bound(cell);
    if (next != runs.end() && next->first == cell)
      return;
    auto it = std::prev(next);
    runs.emplace_hint(next, cell, it->second.advanced(cell - it->first));
  }

  bool shouldBeCells(size_t number) const { return number > 32 && number > theSize / 8; }

  void makeCells() {
    cells.reserve(theSize);
    for (auto it = runs.begin(); it != runs.end(); ++it)
      for (uint32_t i = 0, length = endOf(it) - it->first; i < length; ++i)
        cells.push_back(it->second.advanced(i));
    runs.clear();
  }

  uint32_t theSize;
  Runs runs; ///< by first cell; empty if `cells` is used
  std::vector<T> cells;
};

} // namespace cclc

#endif // CCL_SUPPORT_RUNMAP_H
