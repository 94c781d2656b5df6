//===- EventQueue.h - The event queue ---------------------------*- C++ -*-===//

#ifndef CCL_NETWORK_EVENTQUEUE_H
#define CCL_NETWORK_EVENTQUEUE_H

#include "cclc/Support/Units.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace cclc {

/// A queue of events by time; simultaneous events have the order in which they were scheduled.
template <class Event> class EventQueue {
public:
  struct Entry {
    SimTime time;
    uint64_t order;
    Event event;
    bool before(const Entry &other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };

  bool empty() const { return !hasNext && heap.empty(); }

  /// The time of the next event; there must be one.
  SimTime nextTime() const { return hasNext ? next.time : heap.front().time; }

  void push(SimTime time, Event event) {
    Entry entry{time, pushed++, event};
    // The last event to be scheduled is often the next one, so it bypasses the heap.
    if (hasNext) {
      if (entry.before(next))
        std::swap(entry, next);
    } else if (heap.empty() || entry.before(heap.front())) {
      next = entry;
      hasNext = true;
      return;
    }
    size_t at = heap.size();
    heap.push_back(entry);
    // Four children per node halve the number of levels, and the children of a node share one or
    // two cache lines.
    while (at > 0) {
      size_t parent = (at - 1) / 4;
      if (!entry.before(heap[parent]))
        break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = entry;
  }

  Entry pop() {
    if (hasNext) {
      hasNext = false;
      return next;
    }
    Entry top = heap.front();
    Entry last = heap.back();
    heap.pop_back();
    if (!heap.empty()) {
      size_t at = 0, size = heap.size();
      while (true) {
        size_t child = 4 * at + 1;
        if (child >= size)
          break;
        size_t least = child;
        for (size_t c = child + 1; c < std::min(child + 4, size); ++c)
          if (heap[c].before(heap[least]))
            least = c;
        if (!heap[least].before(last))
          break;
        heap[at] = heap[least];
        at = least;
      }
      heap[at] = last;
    }
    return top;
  }

  uint64_t count() const { return pushed; }

private:
  Entry next{}; ///< precedes the heap, if hasNext
  bool hasNext = false;
  std::vector<Entry> heap;
  uint64_t pushed = 0;
};

} // namespace cclc

#endif // CCL_NETWORK_EVENTQUEUE_H
