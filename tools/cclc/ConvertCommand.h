//===- ConvertCommand.h - cclc convert --------------------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCLC_CONVERTCOMMAND_H
#define CCL_TOOLS_CCLC_CONVERTCOMMAND_H

#include "cclc/Cli/CommandLine.h"
#include "cclc/Cli/Output.h"

namespace cclc {

/// Writes a plan, in any form, in another one.
class ConvertCommand {
public:
  /// \p format is the place of --format.
  void addTo(CommandLine &verb, std::optional<std::string> &format);
  ExitCode run(Progress &progress, DiagnosticEngine &diags) const;

private:
  std::string file;
  std::optional<std::string> output, emit, dialect;
  bool noVerify = false;
};

} // namespace cclc

#endif // CCL_TOOLS_CCLC_CONVERTCOMMAND_H
