//===- Prefetch.h - Loads in advance ----------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_PREFETCH_H
#define CCL_SUPPORT_PREFETCH_H

namespace cclc {

/// Begins to load what follows the line of \p element of an array into the cache, which may be past
/// its end. Arrays that are read at a thousand places in turn are not recognised by the processor
/// as streams.
template <class T> void prefetchAhead(const T &element) {
  __builtin_prefetch(&element + 64 / sizeof(T));
}

} // namespace cclc

#endif // CCL_SUPPORT_PREFETCH_H
