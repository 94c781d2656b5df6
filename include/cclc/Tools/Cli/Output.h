//===- Output.h - Output and exit of tools ----------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CLI_OUTPUT_H
#define CCL_TOOLS_CLI_OUTPUT_H

#include "cclc/Tools/Cli/Files.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Tools/Cli/ExitCode.h"

#include <functional>

namespace cclc {

/// A progress line on a terminal; nothing is printed to other outputs.
class Progress {
public:
  explicit Progress(StringRef tool);
  ~Progress() { clear(); }
  /// Shows \p what the tool does, below \p lines, in the place of what it has shown.
  void stage(const llvm::Twine &what, ArrayRef<std::string> lines = {});
  void clear();
  bool isOnTerminal() const { return onTerminal; }

private:
  std::string tool;
  bool onTerminal;
  bool shown = false;
  size_t above = 0; ///< the lines that are shown
};

/// Prints the diagnostics of a tool to stderr. A report of JUnit has a passed test case for each of
/// \p inputs without an error.
void report(const DiagnosticEngine &diags, StringRef tool, MessageForm form = MessageForm::Text,
            ArrayRef<std::string> inputs = {});

/// Keeps the output of compilers and of users' programs out of a report of JUnit, which has it as
/// output of the suite.
void keepReportWhole(MessageForm form);

/// Runs a tool; unexpected exceptions are reported as a defect.
int guarded(StringRef tool, const std::function<ExitCode()> &run);

/// Prints the diagnostics, asks the user to report the defect and returns its exit code.
ExitCode defect(const DiagnosticEngine &diags, StringRef tool);

/// Files that are installed beside the running tool.
struct Resources {
  std::string targets;    ///< ../share/cclc/targets
  std::string headers;    ///< ../include
  std::string reportPage; ///< ../share/cclc/report.html
  std::string tunePage;   ///< ../share/cclc/tune.html
  std::string modules;    ///< ../lib/cclc
  std::string runner;     ///< ccl-run beside the tool
  static Resources find(const char *argv0);
};

} // namespace cclc

#endif // CCL_TOOLS_CLI_OUTPUT_H
