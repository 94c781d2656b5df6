//===- LintFiles.h - The lint of XML files ----------------------*- C++ -*-===//
//
// Whether the MSCCL runtimes load XML files and execute them as written, individually and as a set,
// and whether the plans are correct.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_LINTFILES_H
#define CCL_TOOLS_LINT_LINTFILES_H

#include "cclc/Tools/Lint/SizeRanges.h"

#include "cclc/Proof/PlanVerifier.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

struct LintResult {
  struct Proof {
    Verdict verdict; ///< with unlimited slots
    std::optional<uint32_t> slotsNeeded;
    Location loc; ///< location of the error
    std::string error;
  };

  std::vector<size_t> dialects; ///< the requested dialects, by number
  std::vector<std::string> files;
  std::vector<MscclLint> lints; ///< by file
  std::vector<Proof> proofs;    ///< by file
  std::vector<SizeRanges> sizes;
  std::vector<std::string> notes; ///< notes about the set of files
  bool complete = true;           ///< false if a file could not be read or is not XML

  /// The worst verdict of all files for the dialect.
  MscclVerdict worst(size_t dialect) const;
  /// Whether all files were read and verified, and at least one runtime loads all of them as
  /// written.
  bool isRight() const;
};

/// Lints files, and the files of folders that end in .xml, for \p dialect or, if it is unset, all
/// dialects. Files that cannot be read or are not XML are reported and skipped.
LintResult lintFiles(ArrayRef<std::string> paths, const std::optional<std::string> &dialect,
                     DiagnosticEngine &diags);

/// Prints a table, then the findings, then the sizes.
void printLint(const LintResult &report, raw_ostream &os);
/// Writes JSON; docs/CommandGuide/ccl-sim.md documents the keys.
void writeLintJson(const LintResult &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_LINT_LINTFILES_H
