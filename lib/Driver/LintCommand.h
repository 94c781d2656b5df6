//===- LintCommand.h - ccl-sim --lint ---------------------------*- C++ -*-===//
//
// Whether the MSCCL runtimes load files of XML and execute what stands in them, alone and
// together; and whether what stands there is right.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_DRIVER_LINTCOMMAND_H
#define CCL_LIB_DRIVER_LINTCOMMAND_H

#include "SizeRanges.h"

#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

struct LintReport {
  struct Proof {
    Verdict verdict; ///< with unlimited slots
    std::optional<uint32_t> slotsNeeded;
    Location loc; ///< of what is wrong
    std::string error;
  };

  std::vector<size_t> dialects; ///< that were asked for, by number
  std::vector<std::string> files;
  std::vector<MscclLint> lints; ///< by file
  std::vector<Proof> proofs;    ///< by file
  std::vector<SizeRanges> sizes;
  std::vector<std::string> notes; ///< about all files together

  /// The worst that any file is to the dialect.
  MscclVerdict worst(size_t dialect) const;
  /// Whether one of the runtimes loads every file as it stands, and all are proved.
  bool isRight() const;
};

/// Files, and of folders those that end in .xml. \p dialect unset: all of them. Fails where
/// something cannot be read or is no XML at all.
FailureOr<LintReport> lintFiles(ArrayRef<std::string> paths,
                                const std::optional<std::string> &dialect, DiagnosticEngine &diags);

/// For people: a table, then the reasons, then the sizes.
void printLint(const LintReport &report, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeLintJson(const LintReport &report, raw_ostream &os);

} // namespace cclc

#endif // CCL_LIB_DRIVER_LINTCOMMAND_H
