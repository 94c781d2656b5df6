//===- HeapMoves.h - Heaps that know the places of their items --*- C++ -*-===//

#ifndef CCL_LIB_NETWORK_HEAPMOVES_H
#define CCL_LIB_NETWORK_HEAPMOVES_H

#include "cclc/Support/LLVM.h"

#include <algorithm>
#include <cstdint>

namespace cclc {

/// Restores the order of the 4-ary \p heap after a change of \p item, which is at index \p at:
/// before(a, b) compares two items, and put(item, at) stores an item and its index.
template <class Before, class Put>
void moveInHeap(ArrayRef<uint32_t> heap, uint32_t item, size_t at, Before before, Put put) {
  while (at > 0 && before(item, heap[(at - 1) / 4])) {
    put(heap[(at - 1) / 4], at);
    at = (at - 1) / 4;
  }
  while (true) {
    size_t child = 4 * at + 1, least = child;
    if (child >= heap.size())
      break;
    for (size_t other = child + 1; other < std::min(child + 4, heap.size()); ++other)
      if (before(heap[other], heap[least]))
        least = other;
    if (!before(heap[least], item))
      break;
    put(heap[least], at);
    at = least;
  }
  put(item, at);
}

} // namespace cclc

#endif // CCL_LIB_NETWORK_HEAPMOVES_H
