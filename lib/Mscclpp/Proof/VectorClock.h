//===- VectorClock.h - Vector clocks that share their values ----*- C++ -*-===//
//
// A vector clock (Fidge 1988, Mattern 1989) is copied with each signal, and few of the copies
// change. Copies therefore share their values until one of them changes. Values are stored for a
// range of actors alone, since few actors hear of each other in plans with many instances.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H
#define CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cclc::mscclpp {

/// By actor: the number of its segments that are complete. An empty clock knows of none.
class VectorClock {
public:
  bool empty() const { return !shared; }
  void clear() { shared.reset(); }
  uint32_t operator[](size_t actor) const {
    // An actor before the first one wraps around.
    return shared && actor - shared->first < shared->counts.size()
               ? shared->counts[actor - shared->first]
               : 0;
  }

  /// Learns that \p segments of \p actor are complete, at least as many as it knew of.
  void set(size_t actor, uint32_t segments) {
    own(actor, actor + 1);
    shared->counts[actor - shared->first] = segments;
  }

  /// Learns what \p other knows.
  void join(const VectorClock &other) {
    if (other.empty() || shared == other.shared)
      return;
    if (empty()) {
      shared = other.shared;
      return;
    }
    const std::vector<uint32_t> &theirs = other.shared->counts;
    own(other.shared->first, other.shared->first + theirs.size());
    uint32_t *counts = shared->counts.data() + (other.shared->first - shared->first);
    for (size_t i = 0; i < theirs.size(); ++i)
      counts[i] = counts[i] < theirs[i] ? theirs[i] : counts[i];
  }

private:
  struct Values : llvm::RefCountedBase<Values> {
    size_t first = 0; ///< actor
    std::vector<uint32_t> counts;
  };

  /// Makes values that no copy shares, at least those of the actors from \p first to \p end.
  void own(size_t first, size_t end) {
    if (empty()) {
      shared = new Values;
      shared->first = first;
    }
    const size_t before = shared->first, size = shared->counts.size();
    const size_t newFirst = std::min(before, first), newEnd = std::max(before + size, end);
    const bool isWider = newEnd - newFirst > size;
    if (shared->UseCount() == 1 && !isWider)
      return;
    llvm::IntrusiveRefCntPtr<Values> values = new Values;
    values->first = newFirst;
    values->counts.reserve(newEnd - newFirst);
    values->counts.resize(before - newFirst);
    values->counts.insert(values->counts.end(), shared->counts.begin(), shared->counts.end());
    values->counts.resize(newEnd - newFirst);
    shared = std::move(values);
  }

  llvm::IntrusiveRefCntPtr<Values> shared;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H
