//===- VectorClock.h - Vector clocks that share their values ----*- C++ -*-===//
//
// A vector clock (Fidge 1988, Mattern 1989) is copied with each signal and packet, and few of the
// copies change. Copies therefore share their values until one of them changes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H
#define CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cclc::mscclpp {

/// By actor: the number of its completed segments. An empty clock knows of none.
class VectorClock {
public:
  VectorClock() = default;
  explicit VectorClock(size_t actors) : shared(new Values(std::vector<uint32_t>(actors))) {}

  bool empty() const { return !shared; }
  void clear() { shared.reset(); }
  uint32_t operator[](size_t actor) const { return shared->counts[actor]; }

  /// Completes a segment of \p actor.
  void advance(size_t actor) { ++own()[actor]; }

  /// Learns what \p other knows.
  void join(const VectorClock &other) {
    if (other.empty() || shared == other.shared)
      return;
    if (empty()) {
      shared = other.shared;
      return;
    }
    std::vector<uint32_t> &counts = own();
    const uint32_t *theirs = other.shared->counts.data();
    for (size_t i = 0; i < counts.size(); ++i)
      counts[i] = counts[i] < theirs[i] ? theirs[i] : counts[i];
  }

private:
  struct Values : llvm::RefCountedBase<Values> {
    explicit Values(std::vector<uint32_t> counts) : counts(std::move(counts)) {}
    std::vector<uint32_t> counts;
  };

  std::vector<uint32_t> &own() {
    if (shared->UseCount() > 1)
      shared = new Values(shared->counts);
    return shared->counts;
  }

  llvm::IntrusiveRefCntPtr<Values> shared;
};

} // namespace cclc::mscclpp

#endif // CCL_LIB_MSCCLPP_PROOF_VECTORCLOCK_H
