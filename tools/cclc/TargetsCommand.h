//===- TargetsCommand.h - cclc targets --------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_TARGETSCOMMAND_H
#define CCL_TOOLS_CCLC_TARGETSCOMMAND_H

#include "CheckCommand.h"

namespace cclc {

/// Lists the bundled targets, describes or examines one target, or imports a target.
class TargetsCommand {
public:
  /// \p messages receives the form of the messages of check.
  void addTo(CommandLine &verb, MessageForm &messages);
  /// The file that is examined; empty if none is.
  const std::string &checked() const { return checking.input(); }
  ExitCode run(const std::string &targetDir, DiagnosticEngine &diags);

private:
  ExitCode describe(const std::string &targetDir, DiagnosticEngine &diags) const;

  ExitCode import(DiagnosticEngine &diags) const;

  std::optional<CommandLine> describing, importing, check;
  CheckCommand checking;
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
