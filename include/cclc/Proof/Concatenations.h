//===- Concatenations.h - Lists of runs as single runs ----------*- C++ -*-===//
//
// A gather accumulates values of many origins, which a step then moves as one range. A
// concatenation gives these values successive ids of its own, so that the range is one run again
// and moving it costs the same for any number of parts. Equal lists are one concatenation: ranks
// that hold the same range hold the same ids.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_PROOF_CONCATENATIONS_H
#define CCL_PROOF_CONCATENATIONS_H

#include "cclc/Proof/Values.h"

#include "llvm/ADT/DenseMap.h"

namespace cclc {

/// The values of a range of cells, as successive runs.
using ValueRuns = SmallVector<ValueRun, 4>;

/// The concatenations of one symbolic execution. Their ids are those that a ValueTable assigns
/// last.
class Concatenations {
public:
  bool empty() const { return starts.empty(); }
  bool contains(ValueId v) const { return v.index() >= firstId; }

  /// The first id of the values of \p runs, none of which is undefined; none if the ids are used
  /// up.
  std::optional<ValueId> join(ArrayRef<ValueRun> runs);

  /// Appends the values of \p run to \p parts, as runs without concatenations.
  void resolve(ValueRun run, ValueRuns &parts) const;
  ValueRuns resolve(ArrayRef<ValueRun> runs) const;
  /// The value itself, which is no element of a concatenation.
  ValueId resolve(ValueId v) const;

private:
  /// A run of a concatenation, which may be part of another one.
  struct Part {
    ValueId first;
    uint32_t offset; ///< its number in the concatenation
  };
  ArrayRef<Part> partsOf(uint32_t entry) const;
  bool equal(uint32_t entry, ArrayRef<ValueRun> runs) const;
  /// The concatenation that contains \p v.
  uint32_t entryOf(ValueId v) const;

  uint32_t firstId = UINT32_MAX;    ///< ids are assigned downwards
  std::vector<uint32_t> starts;     ///< by entry: its first id, descending
  std::vector<uint32_t> firstParts; ///< by entry: its first part
  std::vector<Part> parts;
  /// The last concatenation by hash of its list; lists are compared part by part.
  llvm::DenseMap<uint64_t, uint32_t> known;
};

} // namespace cclc

#endif // CCL_PROOF_CONCATENATIONS_H
