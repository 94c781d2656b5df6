//===- Lint.h - Static check of a file against the runtimes -----*- C++ -*-===//
//
// Follows the loaders of the runtimes and not the format: a file that is not a valid plan is
// checked as far as possible.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_FORMATS_MSCCL_LINT_H
#define CCL_FORMATS_MSCCL_LINT_H

#include "cclc/Formats/Msccl/Dialect.h"

#include <bitset>
#include <string>

namespace cclc {

/// The consequence of a finding for a runtime; the worst one is the verdict on the file.
enum class MscclVerdict : uint8_t {
  Loads,
  Misreads, ///< loads it, but does not execute it as written
  Refuses,
};
/// "loads", "misreads", "refuses".
StringRef mscclVerdictName(MscclVerdict verdict);

struct MscclFinding {
  MscclVerdict verdict;    ///< Loads: advice
  std::bitset<8> dialects; ///< the affected runtimes, in the order of mscclDialects()
  uint32_t line = 0, column = 0;
  std::string text, remedy;
  uint64_t more = 0; ///< number of further findings of the same kind
};

/// Bytes from `from` to `to`, inclusive; `to` unset: unlimited.
struct MscclRange {
  uint64_t from;
  std::optional<uint64_t> to;
};

/// The conditions under which a runtime uses the algorithm.
struct MscclUse {
  std::string collective; ///< in the spelling of the file
  int64_t ranks = 0;
  std::optional<Protocol> protocol;
  std::optional<int64_t> inPlace, outOfPlace, minBytes, maxBytes;

  bool worksIn(Placement placement, const MscclDialect &dialect) const;
  /// None if the range is empty.
  std::optional<MscclRange> sizes(const MscclDialect &dialect) const;
};

struct MscclLint {
  std::optional<MscclUse> use;        ///< unset without an `algo` element
  std::vector<MscclFinding> findings; ///< by position
  /// In the order of mscclDialects().
  std::vector<MscclVerdict> verdicts;
};

/// Returns the first finding of each kind for each runtime.
MscclLint lintMsccl(StringRef text);

} // namespace cclc

#endif // CCL_FORMATS_MSCCL_LINT_H
