//===- PassManager.h - Running a pipeline of passes -------------*- C++ -*-===//
//
// Runs passes in sequence. Every pass ends in a builder, which verifies structure; with
// `verifySemantics` the result of each pass is also executed on symbolic values. An error names the
// pass that caused it.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_TRANSFORMS_PASS_PASSMANAGER_H
#define CCL_TRANSFORMS_PASS_PASSMANAGER_H

#include "cclc/IR/Text/Printer.h"
#include "cclc/Transforms/Pass/Pass.h"
#include "cclc/Transforms/Pass/StageTimes.h"

namespace cclc {

struct PassManagerOptions {
  /// Check the post-condition after every pass.
  bool verifySemantics = false;
  /// Print the program after every pass, or after the pass of this name.
  bool printAfterAll = false;
  std::string printAfter;
  raw_ostream *printTo = nullptr;
  PrintOptions print;
  /// Gets the passes as parts of its current stage, unless it is null.
  StageTimes *times = nullptr;
};

class PassManager {
public:
  explicit PassManager(PassManagerOptions options = {}) : options(std::move(options)) {}

  void add(std::unique_ptr<Pass> pass) { passes.push_back(std::move(pass)); }
  void add(std::vector<std::unique_ptr<Pass>> more);

  /// Whether the first pass takes a program of \p level.
  LogicalResult accepts(Level level, DiagnosticEngine &diags) const;

  /// On failure the diagnostics end with a note that names the pass.
  FailureOr<Module> run(Module &&module, PassContext &context);

  /// Whether the last run failed because a pass miscompiled the program, as opposed to a pass that
  /// rejected it.
  bool brokenByPass() const { return broken; }

private:
  LogicalResult verify(const Module &module, StringRef pass, PassContext &context) const;

  PassManagerOptions options;
  std::vector<std::unique_ptr<Pass>> passes;
  bool broken = false;
};

} // namespace cclc

#endif // CCL_TRANSFORMS_PASS_PASSMANAGER_H
