//===- Filter.h - Parts of graphs -------------------------------*- C++ -*-===//

#ifndef CCL_VIEWS_DOT_FILTER_H
#define CCL_VIEWS_DOT_FILTER_H

#include "cclc/Support/Diagnostics.h"
#include "cclc/Views/Dot/Dot.h"

namespace cclc {

/// The part of a graph that is drawn, and how, by the options --dump-rank, --dump-chunk,
/// --dump-phase and --dump-fold.
struct DotFilter {
  std::optional<uint64_t> rank, chunk;
  std::optional<std::string> phase; ///< its name or number
  std::optional<std::string> fold;

  bool isAny() const { return rank || chunk || phase || fold; }
  /// Looks up what depends on the program at a stage; reports what it does not have.
  FailureOr<DotOptions> optionsFor(const ProgramInfo &info, DiagnosticEngine &diags) const;
};

} // namespace cclc

#endif // CCL_VIEWS_DOT_FILTER_H
