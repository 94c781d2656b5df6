//===- TargetsCommand.h - cclc targets --------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_TARGETSCOMMAND_H
#define CCL_TOOLS_CCLC_TARGETSCOMMAND_H

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"

namespace cclc {

/// Lists the bundled targets, describes one target, or imports a target.
class TargetsCommand {
public:
  void addTo(CommandLine &verb);
  ExitCode run(const std::string &targetDir, DiagnosticEngine &diags) const;

private:
  ExitCode describe(const std::string &targetDir, DiagnosticEngine &diags) const;

  ExitCode import(DiagnosticEngine &diags) const;

  std::optional<CommandLine> describing, importing;
  bool json = false;
  std::string target;
  std::vector<std::string> sets;
  std::optional<uint64_t> ranks;
  std::optional<std::string> dump;
  std::vector<std::string> foreign; ///< FILE of import
  // Further options of import.
  std::optional<uint64_t> gpusPerHost;
  std::optional<std::string> nodes, fabric, order, gpu, nicRate, nodeRate, uplinkRate, output;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_TARGETSCOMMAND_H
