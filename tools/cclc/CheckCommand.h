//===- CheckCommand.h - cclc targets check ----------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_CHECKCOMMAND_H
#define CCL_TOOLS_CCLC_CHECKCOMMAND_H

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"

namespace cclc {

/// Names the parts of a machine that differ from their siblings or a reference, and their cost.
class CheckCommand {
public:
  /// Adds the options to \p verb; \p messages receives the form of annotations.
  void addTo(CommandLine &verb, MessageForm &messages);
  const std::string &input() const { return file; }
  ExitCode run(const std::string &targetDir, DiagnosticEngine &diags);

private:
  MessageForm *messages = nullptr;
  std::string file;
  std::optional<std::string> against, format;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_CHECKCOMMAND_H
