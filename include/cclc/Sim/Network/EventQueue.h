//===- EventQueue.h - The event queue ---------------------------*- C++ -*-===//
//
// Ranks that execute the same program have many simultaneous events. These form batches: lists in
// the order in which they were scheduled. A heap of the batches works on distinct times only, and a
// table finds the batch that a new event extends. If the table has forgotten it, a second batch
// with this time follows it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SIM_NETWORK_EVENTQUEUE_H
#define CCL_SIM_NETWORK_EVENTQUEUE_H

#include "cclc/Support/Ids.h"
#include "cclc/Support/Units.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cclc {

/// A queue of events by time; simultaneous events have the order in which they were scheduled.
template <class Event> class EventQueue {
public:
  struct Entry {
    SimTime time;
    Event event;
  };

  bool empty() const { return heap.size() == size_t(hasHole); }

  /// The time of the next event; there must be one.
  SimTime nextTime() const {
    return hasHole ? heap[leastChild(0, heap.size())].time : heap.front().time;
  }

  void push(SimTime time, Event event) {
    ++pushed;
    uint32_t node = newNode(event);
    OpenBatch &batch = open[indexOf(time)];
    bool extends = batch.last && batch.time == time;
    if (extends)
      nodes[*batch.last].next = node;
    batch = {time, node};
    if (!extends)
      insert({time, batches++, node});
  }

  Entry pop() {
    if (std::exchange(hasHole, false)) {
      Batch last = heap.back();
      heap.pop_back();
      sink(last, heap.size());
    }
    Batch &first = heap.front();
    uint32_t node = first.node;
    Entry entry{first.time, nodes[node].event};
    if (OptionalIndex next = nodes[node].next) {
      first.node = *next;
    } else {
      OpenBatch &batch = open[indexOf(entry.time)];
      if (batch.last && *batch.last == node)
        batch.last = OptionalIndex();
      hasHole = true;
    }
    nodes[node].next = std::exchange(freeNodes, node);
    return entry;
  }

  uint64_t count() const { return pushed; }

private:
  struct Node {
    Event event;
    OptionalIndex next; ///< in its batch, or in the list of free nodes
  };
  /// A batch that new events with its time extend.
  struct OpenBatch {
    SimTime time;
    OptionalIndex last;
  };
  struct Batch {
    SimTime time;
    uint64_t order; ///< among those with the same time
    uint32_t node;  ///< its first event
    bool before(const Batch &other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };

  /// A multiplicative hash: the upper bits of the product depend on all bits of the time.
  size_t indexOf(SimTime time) const {
    return uint64_t(time.picoseconds()) * 0x9e3779b97f4a7c15 >> tableShift;
  }

  uint32_t newNode(Event event) {
    if (!freeNodes) {
      nodes.push_back({event, {}});
      return nodes.size() - 1;
    }
    uint32_t node = *freeNodes;
    freeNodes = nodes[node].next;
    nodes[node] = {event, {}};
    return node;
  }

  /// Nodes have four children, for fewer levels. Returns \p size if there is none.
  size_t leastChild(size_t at, size_t size) const {
    size_t least = std::min(4 * at + 1, size);
    for (size_t c = least + 1; c < std::min(4 * at + 5, size); ++c)
      if (heap[c].before(heap[least]))
        least = c;
    return least;
  }

  void insert(Batch batch) {
    if (std::exchange(hasHole, false))
      return sink(batch, heap.size());
    size_t at = heap.size();
    heap.push_back(batch);
    if (at == open.size()) {
      --tableShift;
      open.assign(2 * at, {});
    }
    for (; at > 0 && batch.before(heap[(at - 1) / 4]); at = (at - 1) / 4)
      heap[at] = heap[(at - 1) / 4];
    heap[at] = batch;
  }

  /// Moves \p batch from the root, which is free, to its place among the first \p size batches.
  void sink(Batch batch, size_t size) {
    size_t at = 0;
    for (size_t child; (child = leastChild(at, size)) < size && heap[child].before(batch);
         at = child)
      heap[at] = heap[child];
    heap[at] = batch;
  }

  std::vector<Node> nodes;
  OptionalIndex freeNodes;
  unsigned tableShift = 64 - 8;
  std::vector<OpenBatch> open = std::vector<OpenBatch>(256); ///< by a hash of the time
  std::vector<Batch> heap;
  bool hasHole = false; ///< the root is free: the next batch often replaces it
  uint64_t batches = 0, pushed = 0;
};

} // namespace cclc

#endif // CCL_SIM_NETWORK_EVENTQUEUE_H
