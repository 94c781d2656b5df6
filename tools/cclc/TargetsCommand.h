//===- TargetsCommand.h - cclc targets --------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_TARGETSCOMMAND_H
#define CCL_TOOLS_CCLC_TARGETSCOMMAND_H

#include "cclc/Cli/CommandLine.h"
#include "cclc/Cli/Output.h"

namespace cclc {

/// Lists the bundled targets, or describes one target.
class TargetsCommand {
public:
  void addTo(CommandLine &verb);
  ExitCode run(const std::string &targetDir, DiagnosticEngine &diags) const;

private:
  ExitCode describe(const std::string &targetDir, DiagnosticEngine &diags) const;

  std::optional<CommandLine> describing;
  bool json = false;
  std::string target;
  std::vector<std::string> sets;
  std::optional<uint64_t> ranks;
  std::optional<std::string> dump;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_TARGETSCOMMAND_H
