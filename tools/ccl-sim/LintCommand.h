//===- LintCommand.h - ccl-sim --lint ---------------------------*- C++ -*-===//
//
// Whether the MSCCL runtimes load files of XML and execute what stands in them, alone and
// together; and whether what stands there is right.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_CCL_SIM_LINTCOMMAND_H
#define CCL_TOOLS_CCL_SIM_LINTCOMMAND_H

#include "SizeRanges.h"
#include "cclc/Cli/Output.h"

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
  bool complete = true;           ///< false: something could not be read, or is no XML at all

  /// The worst that any file is to the dialect.
  MscclVerdict worst(size_t dialect) const;
  /// Whether one of the runtimes loads every file as it stands, and all were read and are proved.
  bool isRight() const;
};

/// Files, and of folders those that end in .xml. \p dialect unset: all of them. What cannot be read
/// or is no XML at all is reported and left out.
LintReport lintFiles(ArrayRef<std::string> paths, const std::optional<std::string> &dialect,
                     DiagnosticEngine &diags);

/// For people: a table, then the reasons, then the sizes.
void printLint(const LintReport &report, raw_ostream &os);
/// For programs; docs/CommandGuide/ccl-sim.md documents the keys.
void writeLintJson(const LintReport &report, raw_ostream &os);

/// Where the report goes.
struct LintOutput {
  std::optional<std::string> json; ///< a file
  bool print;                      ///< as text on standard output
};
ExitCode runLint(ArrayRef<std::string> paths, const std::optional<std::string> &dialect,
                 const LintOutput &output, Progress &progress, DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_LINTCOMMAND_H
