//===- ConvertCommand.h - cclc convert --------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_CONVERTCOMMAND_H
#define CCL_TOOLS_CCLC_CONVERTCOMMAND_H

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"

namespace cclc {

/// Converts a plan from any format to another.
class ConvertCommand {
public:
  /// Adds the options to \p verb; \p format receives the value of --format.
  void addTo(CommandLine &verb, MessageForm &format);
  /// The name of the plan's file.
  const std::string &input() const { return file; }
  ExitCode run(const std::string &targetDir, Progress &progress, DiagnosticEngine &diags) const;

private:
  std::string file;
  std::optional<std::string> output, emit, dialect;
  std::optional<uint64_t> worldSize, sharing;
  bool noVerify = false;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_CONVERTCOMMAND_H
