//===- VectorClocks.cpp - Sparse clocks in one pool ---------------------===//
//
// The clocks of a rank are rows of one pool, which is emptied for the next rank. Two clocks are
// joined by a merge of their rows. No row is added if one of the two covers the other, as it does
// where a threadblock waits for its first step, or for steps that wait for each other.
//
//===----------------------------------------------------------------------===//

#include "cclc/Schedule/VectorClocks.h"

#include <algorithm>

using namespace cclc;

void VectorClocks::beginRank(llvm::ArrayRef<uint32_t> steps) {
  ofThreadblock.assign(steps.size(), 0);
  firstStep.clear();
  uint32_t total = 0;
  for (uint32_t number : steps) {
    firstStep.push_back(total);
    total += number;
  }
  current.resize(total);
  including.assign(total, 0);
  begin = {0, 0};
  pool.clear();
}

uint32_t VectorClocks::endRow() {
  begin.push_back(pool.size());
  return begin.size() - 2;
}

/// The row that covers the rows \p a and \p b.
uint32_t VectorClocks::join(uint32_t a, uint32_t b) {
  if (a == b || begin[b] == begin[b + 1])
    return a;
  if (begin[a] == begin[a + 1])
    return b;
  bool aCovers = true, bCovers = true;
  uint32_t i = begin[a], j = begin[b], iEnd = begin[a + 1], jEnd = begin[b + 1];
  while (i < iEnd || j < jEnd) {
    Entry next{};
    if (j == jEnd || (i < iEnd && pool[i].threadblock < pool[j].threadblock)) {
      next = pool[i++];
      bCovers = false;
    } else if (i == iEnd || pool[j].threadblock < pool[i].threadblock) {
      next = pool[j++];
      aCovers = false;
    } else {
      aCovers &= pool[i].steps >= pool[j].steps;
      bCovers &= pool[j].steps >= pool[i].steps;
      next = {pool[i].threadblock, std::max(pool[i].steps, pool[j].steps)};
      ++i;
      ++j;
    }
    pool.push_back(next);
  }
  if (!aCovers && !bCovers)
    return endRow();
  pool.resize(begin.back());
  return aCovers ? a : b;
}

void VectorClocks::wait(uint32_t threadblock, uint32_t other, uint32_t index) {
  uint32_t step = firstStep[other] + index;
  if (!including[step]) {
    bool added = false;
    auto add = [&] {
      if (!added)
        pool.push_back({other, index + 1});
      added = true;
    };
    for (uint32_t at = begin[current[step]], end = begin[current[step] + 1]; at < end; ++at) {
      Entry entry = pool[at];
      if (entry.threadblock >= other)
        add();
      if (entry.threadblock != other)
        pool.push_back(entry);
    }
    add();
    including[step] = endRow();
  }
  ofThreadblock[threadblock] = join(ofThreadblock[threadblock], including[step]);
}

bool VectorClocks::knows(uint32_t threadblock, uint32_t other, uint32_t index) const {
  llvm::ArrayRef<Entry> known = clock(threadblock);
  const Entry *at =
      std::lower_bound(known.begin(), known.end(), other, [](const Entry &entry, uint32_t number) {
        return entry.threadblock < number;
      });
  return at != known.end() && at->threadblock == other && at->steps > index;
}
