//===- PlanCover.cpp - A small cover by sets ------------------------------===//
//
// The largest sets are taken until all cells are covered, and those that became superfluous leave.
// Then fewer and fewer sets are tried: a cell that few sets contain needs one of them.
//
//===----------------------------------------------------------------------===//

#include "PlanCover.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

namespace {
class SetCover {
public:
  SetCover(size_t cells, ArrayRef<std::vector<size_t>> sets) : sets(sets), setsOf(cells) {
    for (size_t set = 0; set < sets.size(); ++set)
      for (size_t cell : sets[set])
        setsOf[cell].push_back(set);
    times.assign(cells, 0);
  }

  std::vector<size_t> find() {
    std::vector<size_t> best = takeLargest();
    while (best.size() > 1) {
      chosen.clear();
      times.assign(times.size(), 0);
      if (!choose(best.size() - 1))
        break;
      best = chosen;
    }
    llvm::sort(best);
    return best;
  }

private:
  void take(size_t set) {
    chosen.push_back(set);
    for (size_t cell : sets[set])
      ++times[cell];
  }
  void leave(size_t set) {
    for (size_t cell : sets[set])
      --times[cell];
  }
  size_t gain(size_t set) const {
    return llvm::count_if(sets[set], [&](size_t cell) { return times[cell] == 0; });
  }

  std::vector<size_t> takeLargest() {
    while (llvm::is_contained(times, 0u)) {
      size_t largest = 0;
      for (size_t set = 1; set < sets.size(); ++set)
        if (gain(set) > gain(largest))
          largest = set;
      take(largest);
    }
    llvm::erase_if(chosen, [&](size_t set) {
      const bool isNeeded = llvm::any_of(sets[set], [&](size_t cell) { return times[cell] == 1; });
      if (!isNeeded)
        leave(set);
      return !isNeeded;
    });
    return chosen;
  }

  /// Whether \p most further sets cover the rest.
  bool choose(size_t most) {
    std::optional<size_t> rarest;
    for (size_t cell = 0; cell < setsOf.size(); ++cell)
      if (times[cell] == 0 && (!rarest || setsOf[cell].size() < setsOf[*rarest].size()))
        rarest = cell;
    if (!rarest)
      return true;
    if (most == 0 || ++steps > maxSteps)
      return false;
    for (size_t set : setsOf[*rarest]) {
      take(set);
      if (choose(most - 1))
        return true;
      leave(set);
      chosen.pop_back();
    }
    return false;
  }

  static constexpr size_t maxSteps = 100'000;

  ArrayRef<std::vector<size_t>> sets;
  std::vector<std::vector<size_t>> setsOf; ///< by cell
  std::vector<uint32_t> times;             ///< by cell: how often it is covered
  std::vector<size_t> chosen;
  size_t steps = 0;
};
} // namespace

std::vector<size_t> cclc::fewestSets(size_t cells, ArrayRef<std::vector<size_t>> sets) {
  return SetCover(cells, sets).find();
}
