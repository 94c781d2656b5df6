//===- Output.h - What tools write ------------------------------*- C++ -*-===//

#ifndef CCL_CLI_OUTPUT_H
#define CCL_CLI_OUTPUT_H

#include "cclc/Cli/Files.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/ExitCode.h"

#include <functional>

namespace cclc {

/// One line on a terminal that says what goes on; nothing elsewhere.
class Progress {
public:
  explicit Progress(StringRef tool);
  ~Progress() { clear(); }
  void stage(const llvm::Twine &what);
  void clear();

private:
  std::string tool;
  bool onTerminal;
  bool shown = false;
};

/// Prints the diagnostics of a tool to stderr, in colour on a terminal unless
/// NO_COLOR is set; with \p github as annotations of GitHub Actions.
void report(const DiagnosticEngine &diags, StringRef tool, bool github = false);

/// Runs a tool; what no part of it has foreseen is reported as a defect.
int guarded(StringRef tool, const std::function<ExitCode()> &run);

/// Prints the diagnostics, asks for a report of the defect and returns its code.
ExitCode defect(const DiagnosticEngine &diags, StringRef tool);

/// Files beside the running tool.
struct Resources {
  std::string targets;    ///< ../share/cclc/targets
  std::string headers;    ///< ../include
  std::string reportPage; ///< ../share/cclc/report.html
  static Resources find(const char *argv0);
};

} // namespace cclc

#endif // CCL_CLI_OUTPUT_H
