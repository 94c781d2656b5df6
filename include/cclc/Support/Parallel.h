//===- Parallel.h - Independent tasks on several threads --------*- C++ -*-===//

#ifndef CCL_SUPPORT_PARALLEL_H
#define CCL_SUPPORT_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace cclc {

/// Calls fn(0) to fn(\p count - 1), each once, up to \p jobs at a time, and returns when all have
/// returned. With one job they are called in order. An exception of a call is rethrown.
template <class Fn> void parallelFor(unsigned jobs, size_t count, Fn fn) {
  if (jobs <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i)
      fn(i);
    return;
  }
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> thrown(count);
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++)
      try {
        fn(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
  };
  {
    std::vector<std::jthread> threads;
    for (size_t t = 1; t < std::min<size_t>(jobs, count); ++t)
      threads.emplace_back(work);
    work();
  }
  for (const std::exception_ptr &exception : thrown)
    if (exception)
      std::rethrow_exception(exception);
}

} // namespace cclc

#endif // CCL_SUPPORT_PARALLEL_H
