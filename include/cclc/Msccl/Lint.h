//===- Lint.h - Which runtime loads a file ----------------------*- C++ -*-===//
//
// Follows the runtimes' loaders rather than the format: a file that is not a plan is checked as
// far as possible.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_MSCCL_LINT_H
#define CCL_MSCCL_LINT_H

#include "cclc/Msccl/Dialect.h"

#include <bitset>
#include <string>

namespace cclc {

/// What a finding means to a runtime, and what the worst one makes of the file.
enum class MscclVerdict : uint8_t {
  Loads,
  Misreads, ///< loads it, and then executes something else than stands there, or nothing
  Refuses,
};
/// "loads", "misreads", "refuses".
StringRef mscclVerdictName(MscclVerdict verdict);

struct MscclFinding {
  MscclVerdict verdict;    ///< Loads: an advice
  std::bitset<8> dialects; ///< whom it concerns, in the order of mscclDialects()
  uint32_t line = 0, column = 0;
  std::string text, remedy;
  uint64_t more = 0; ///< others of the same kind
};

/// Bytes from `from` to `to`, both included; `to` unset: any.
struct MscclRange {
  uint64_t from;
  std::optional<uint64_t> to;
};

/// When a runtime uses the algorithm.
struct MscclUse {
  std::string collective; ///< as the file calls it
  int64_t ranks = 0;
  std::optional<Protocol> protocol;
  std::optional<int64_t> inPlace, outOfPlace, minBytes, maxBytes;

  bool worksIn(Placement placement, const MscclDialect &dialect) const;
  /// None: at no size at all.
  std::optional<MscclRange> sizes(const MscclDialect &dialect) const;
};

struct MscclLint {
  std::optional<MscclUse> use;        ///< unset where there is no `algo`
  std::vector<MscclFinding> findings; ///< by position
  /// Indexed as mscclDialects().
  std::vector<MscclVerdict> verdicts;
};

/// One finding of each kind and runtime, the first one.
MscclLint lintMsccl(StringRef text);

} // namespace cclc

#endif // CCL_MSCCL_LINT_H
