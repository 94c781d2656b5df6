//===- SimArguments.h - The command lines of ccl-sim ------------*- C++ -*-===//

#ifndef CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H
#define CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H

#include "cclc/Sim/PlanBound.h"
#include "cclc/Target/Loader.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Sizes.h"

namespace cclc {

enum class SimCommand : uint8_t { Simulate, Verify, Lint, Why, Dma, Concurrent };

/// The command line of a command: the values that read() parses, and those that need no parsing.
/// Equal options of several commands have one place.
struct SimArguments {
  explicit SimArguments(const char *argv0) : resources(Resources::find(argv0)) {}

  Resources resources;
  SimCommand command = SimCommand::Simulate;
  std::vector<std::string> files; ///< plans, or what to lint
  std::vector<std::string> plans; ///< of concurrent: PLAN@START[:FIRST_RANK]
  std::string cell, requests;     ///< of why and dma
  std::vector<uint64_t> sizes;
  SizeArguments givenSizes;
  std::optional<std::string> target, network, dialect, schedule, json, sarif, dumpTarget, goal,
      chakra, trace, report, baseline, measured, rolled;
  std::vector<std::string> sets, skew;
  std::vector<TargetOverride> overrides;
  std::optional<Slots> slots;
  std::optional<uint64_t> seed, randomSchedule;
  uint32_t repeat = 1;
  unsigned jobs = 1;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  MessageForm format = MessageForm::Text;
  bool checkData = false, criticalPath = false, whatIf = false, advise = false, bounds = false,
       noBounds = false;
  bool summarise = true; ///< whether to print text, as no other output goes to standard output
  NamedFiles named;      ///< all files of the command line

  /// Parses the command line; returns an exit code if the tool must exit.
  std::optional<int> parse(int argc, char **argv);
  /// Parses values, and reports the first option that excludes another one, or that lacks one.
  LogicalResult read(DiagnosticEngine &diags);
  /// The only plan of a command that takes one.
  FailureOr<std::string> onlyPlan(DiagnosticEngine &diags) const;

  /// Loads the target of the command line, or else that of the plan, large enough for \p plan if
  /// there is one. \p changes are additional values of --set.
  FailureOr<Machine> loadMachine(const ProgramInfo *plan, DiagnosticEngine &diags,
                                 ArrayRef<std::string> changes = {},
                                 std::string *resolved = nullptr) const;
  /// The same for the machine of the run, which is written if requested.
  FailureOr<Machine> loadMachineOfRun(const ProgramInfo *plan, DiagnosticEngine &diags) const;
  LogicalResult writeTarget(const std::string &resolved, DiagnosticEngine &diags) const;
  /// The effort of lower bounds, if results have them. Those of a machine with thousands of
  /// endpoints take several times as long as a short simulation: without an option they are
  /// omitted, with a note.
  std::optional<BoundEffort> boundEffort(const Machine &machine, DiagnosticEngine &diags) const;
  /// Whether to simulate few ranks in place of all of a rolled plan with \p steps steps, if their
  /// times are equal.
  bool foldsPlan(uint64_t steps) const;

private:
  void addSimulation(CommandLine &line);
  void addReports(CommandLine &line);
  CommandLine addVerify(CommandLine &line);
  CommandLine addLint(CommandLine &line);
  CommandLine addWhy(CommandLine &line, std::string &plan);
  CommandLine addDma(CommandLine &line);
  CommandLine addConcurrent(CommandLine &line);
  void addMachine(CommandLine &line, const char *help);
  void addSlots(CommandLine &line, const std::string &byDefault = "the target's");
  void addNetwork(CommandLine &line);
  void addSkew(CommandLine &line, const char *what);
  void addType(CommandLine &line);
  void addRuns(CommandLine &line);
  void addData(CommandLine &line);
  void addPath(CommandLine &line);
  void addOutput(CommandLine &line);
  void addDumpTarget(CommandLine &line);
  LogicalResult checkCombinations(DiagnosticEngine &diags) const;
  LogicalResult checkFiles(DiagnosticEngine &diags);
  const char *optionOfRanks() const;

  // Values that read() parses.
  std::optional<std::string> givenSlots, givenType, givenOp;
  std::optional<uint64_t> givenRepeat, givenJobs;
  std::vector<std::string> oldValues;
  std::string likeCommand; ///< the suggestion of a command in place of the first plan
};

} // namespace cclc

#endif // CCL_TOOLS_CCL_SIM_SIMARGUMENTS_H
