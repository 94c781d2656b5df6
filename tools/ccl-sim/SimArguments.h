//===- SimArguments.h - The command line of a simulation --------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H
#define CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H

#include "cclc/Sim/PlanBound.h"
#include "cclc/Support/Diagnostics.h"
#include "cclc/Target/Machine.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Sizes.h"

#include <optional>
#include <string>
#include <vector>

namespace cclc {

class CommandLine;

/// The values of the command line, before they are parsed.
struct SimArguments {
  std::vector<std::string> files;
  std::string file; ///< the only file
  SizeArguments sizes;
  std::optional<std::string> dialect, target, dtype, op, slots, network, schedule, dma, json, sarif,
      dumpTarget, goal, chakra, trace, why, report, baseline, measured, rolled;
  std::vector<std::string> sets, skew, plans;
  std::optional<uint64_t> repeat, seed, jobs;
  MessageForm format = MessageForm::Text;
  bool checkData = false, verifyOnly = false, lint = false, criticalPath = false, whatIf = false,
       advise = false, bounds = false, noBounds = false;

  void addTo(CommandLine &line);
  /// Reports the first option that excludes another one, or that lacks one.
  LogicalResult checkCombinations(DiagnosticEngine &diags) const;
  /// The effort of lower bounds, if results have them. Those of a machine with thousands of
  /// endpoints take several times as long as a short simulation: without an option they are
  /// omitted, with a note.
  std::optional<BoundEffort> boundEffort(const Machine &machine, DiagnosticEngine &diags) const;
  /// Whether to simulate few ranks in place of all of a rolled plan with \p steps steps, if their
  /// times are equal.
  bool foldsPlan(uint64_t steps) const;
  /// The first option whose result has values of single ranks; null if there is none.
  const char *optionOfRanks() const;

private:
  void addRun(CommandLine &line);
  void addVerification(CommandLine &line);
  void addOutput(CommandLine &line);
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H
