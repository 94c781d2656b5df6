//===- Prefetch.h - Loads in advance ----------------------------*- C++ -*-===//

#ifndef CCL_SUPPORT_PREFETCH_H
#define CCL_SUPPORT_PREFETCH_H

namespace cclc {

/// Begins to load the line of \p address into the cache. The address need not be valid. Tables that
/// are read at a thousand places in turn are not recognised by the processor as so many streams.
inline void prefetch(const void *address) { __builtin_prefetch(address); }

} // namespace cclc

#endif // CCL_SUPPORT_PREFETCH_H
