//===- HeapMoves.h - Heaps that know the places of their items --*- C++ -*-===//

#ifndef CCL_LIB_SIM_NETWORK_HEAPMOVES_H
#define CCL_LIB_SIM_NETWORK_HEAPMOVES_H

#include "cclc/Support/LLVM.h"

#include <algorithm>
#include <cstdint>

namespace cclc {

/// Restores the order of the 4-ary \p heap after a change of \p item, which is at index \p at:
/// before(a, b) compares two items, and moved(item, at) is called for each item with its new index.
template <class Item, class Before, class Moved>
void moveInHeap(MutableArrayRef<Item> heap, Item item, size_t at, Before before, Moved moved) {
  auto put = [&](const Item &other) {
    heap[at] = other;
    moved(other, at);
  };
  for (size_t parent; at > 0 && before(item, heap[parent = (at - 1) / 4]); at = parent)
    put(heap[parent]);
  while (true) {
    size_t child = 4 * at + 1, least = child;
    if (child >= heap.size())
      break;
    for (size_t other = child + 1; other < std::min(child + 4, heap.size()); ++other)
      if (before(heap[other], heap[least]))
        least = other;
    if (!before(heap[least], item))
      break;
    put(heap[least]);
    at = least;
  }
  put(item);
}

} // namespace cclc

#endif // CCL_LIB_SIM_NETWORK_HEAPMOVES_H
