//===- ValueHashes.h - Hashes of symbolic values ----------------*- C++ -*-===//
//
// Equal for equal expressions over equal contributions, operands in order, in
// whatever table they are: equal hash, bit-equal result.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_SEMANTICS_VALUEHASHES_H
#define CCL_SEMANTICS_VALUEHASHES_H

#include "cclc/Semantics/Values.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cclc {

class ValueHashes {
public:
  /// Of a table that no longer changes.
  explicit ValueHashes(const ValueTable &values);

  uint64_t of(ValueId v);
  /// Calls fn with the hashes of a run, in blocks.
  void forBlocks(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn);

private:
  /// A value of an expression, with its operands as numbers in the list.
  struct Term {
    ValueId value;
    uint32_t lhs = 0, rhs = 0;
  };
  uint64_t known(ValueId v) const;
  void collect(ValueId root);
  void evaluate(ValueRun run, llvm::function_ref<void(ArrayRef<uint64_t>)> fn);

  const ValueTable &values;
  /// Of all sums, unless those are very many for the entries of the table.
  std::optional<std::vector<uint64_t>> sums;

  // Else. Ranks often hold the same values: what was evaluated is kept.
  std::vector<Term> terms;
  llvm::DenseMap<uint32_t, uint32_t> termOf; ///< by value
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, size_t> kept;
  std::vector<uint64_t> pool;
};

} // namespace cclc

#endif // CCL_SEMANTICS_VALUEHASHES_H
