//===- MscclppLint.h - ccl-sim lint for plans of MSCCL++ --------*- C++ -*-===//
//
// Checks plans of MSCCL++ individually and as the set from which a runtime selects: limits of the
// executor, proofs, names, and ranges of sizes.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TOOLS_LINT_MSCCLPPLINT_H
#define CCL_TOOLS_LINT_MSCCLPPLINT_H

#include "cclc/Tools/Lint/SizeRanges.h"

#include "cclc/Proof/Verdict.h"
#include "cclc/Support/Diagnostics.h"

namespace cclc {

struct MscclppLintResult {
  struct File {
    std::string name; ///< of the plan; empty if the file is malformed
    std::string collective;
    uint32_t ranks = 0;
    uint64_t multiple = 1; ///< the executor accepts multiples of this size in bytes
    Verdict verdict = Verdict::Malformed;
    std::vector<Diagnostic> found; ///< errors and warnings
  };

  std::vector<std::string> paths;
  std::vector<File> files; ///< by path
  std::vector<SizeRanges> sizes;
  std::vector<std::string> errors, notes; ///< about the files as a set
  bool complete = true;                   ///< false if a file could not be read

  /// Whether all files were read and proved, and can be loaded together.
  bool isRight() const;
};

/// Whether the first file, or all plans of the first folder, are of MSCCL++.
bool arePlansOfMscclpp(ArrayRef<std::string> paths);

/// The files, and those of folders that end in .mscclpp.json or, if there are none, in .json.
FailureOr<std::vector<std::string>> filesOfMscclpp(ArrayRef<std::string> paths,
                                                   DiagnosticEngine &diags);

/// Lints files, and the files of folders that end in .mscclpp.json or, if there are none, in .json.
MscclppLintResult lintMscclppFiles(ArrayRef<std::string> paths, DiagnosticEngine &diags);

void printLint(const MscclppLintResult &result, raw_ostream &os);
void writeLintJson(const MscclppLintResult &result, raw_ostream &os);

} // namespace cclc

#endif // CCL_TOOLS_LINT_MSCCLPPLINT_H
