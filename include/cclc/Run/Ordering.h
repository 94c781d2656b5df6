//===- Ordering.h - The order that events create ----------------*- C++ -*-===//
//
// A thread waits for an event, a step or a message, by reading a counter. If it reads late, the
// counter has passed the event, and what its writer did afterwards is ordered as well, by chance.
// ThreadSanitizer would then miss races of the plan: for it, the counters order nothing, and each
// event orders exactly what the plan says.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_RUN_ORDERING_H
#define CCL_RUN_ORDERING_H

#include <atomic>
#include <cstdint>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define CCL_THREAD_SANITIZER
#endif
#endif
#ifdef CCL_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace cclc::run {

#ifdef CCL_THREAD_SANITIZER
/// It distinguishes 255 threads at a time, and misses races between others.
inline constexpr uint32_t mostThreads = 200;
/// The orders of counters.
inline constexpr std::memory_order published = std::memory_order_relaxed;
inline constexpr std::memory_order observed = std::memory_order_relaxed;
/// The event at an address happens, or has been waited for.
inline void happens(const void *event) { __tsan_release(const_cast<void *>(event)); }
inline void awaited(const void *event) { __tsan_acquire(const_cast<void *>(event)); }
#else
inline constexpr uint32_t mostThreads = UINT32_MAX;
inline constexpr std::memory_order published = std::memory_order_release;
inline constexpr std::memory_order observed = std::memory_order_acquire;
inline void happens(const void *) {}
inline void awaited(const void *) {}
#endif

} // namespace cclc::run

#endif // CCL_RUN_ORDERING_H
