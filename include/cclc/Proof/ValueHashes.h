//===- ValueHashes.h - Hashes of symbolic values ----------------*- C++ -*-===//
//
// Hashes depend on the expression and the order of its operands, but not on the table: equal hashes
// imply bit-equal results.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_VALUEHASHES_H
#define CCL_PROOF_VALUEHASHES_H

#include "cclc/Proof/Values.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

class ValueHashes {
public:
  /// Makes hashes for a table that no longer changes.
  explicit ValueHashes(const ValueTable &values);

  uint64_t of(ValueId v);
  /// Calls fn with the hashes of a run, in blocks.
  void forBlocks(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn);

private:
  /// A node of an expression, whose operands are indices into `terms`.
  struct Term {
    ValueId value;
    uint32_t lhs = 0, rhs = 0;
  };
  uint64_t known(ValueId v) const;
  void collect(ValueId root);
  void evaluate(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn);

  const ValueTable &values;
  /// The hashes of all sums, unless the table has very many sums per entry.
  std::optional<std::vector<uint64_t>> sums;

  // Used without `sums`. Ranks often have the same values, so results are cached.
  std::vector<Term> terms;
  llvm::DenseMap<uint32_t, uint32_t> termOf; ///< by value
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, size_t> kept;
  std::vector<uint64_t> pool;
};

} // namespace cclc

#endif // CCL_PROOF_VALUEHASHES_H
