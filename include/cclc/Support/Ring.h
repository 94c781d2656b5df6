//===- Ring.h - A queue that keeps its storage ------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_RING_H
#define CCL_SUPPORT_RING_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cclc {

template <class T> class Ring {
public:
  bool empty() const { return head == tail; }
  size_t size() const { return tail - head; }
  void push(T value) {
    if (tail - head == data.size())
      grow();
    data[tail++ & (data.size() - 1)] = value;
  }
  T pop() { return data[head++ & (data.size() - 1)]; }
  T &front() { return data[head & (data.size() - 1)]; }
  const T &front() const { return data[head & (data.size() - 1)]; }

private:
  void grow() {
    std::vector<T> larger(std::max<size_t>(2 * data.size(), 1));
    for (size_t i = head; i != tail; ++i)
      larger[i - head] = data[i & (data.size() - 1)];
    tail -= head;
    head = 0;
    data = std::move(larger);
  }
  std::vector<T> data; ///< its size is a power of two
  size_t head = 0, tail = 0;
};

} // namespace cclc

#endif // CCL_SUPPORT_RING_H
