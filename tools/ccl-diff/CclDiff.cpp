//===- CclDiff.cpp - The command line of ccl-diff -------------------------===//
//
// Reads two plans in any format, compares them, simulates both if a target is given, applies the
// gates, and writes the report as text, JSON, annotations or a report of JUnit. The exit code is 1
// if the plans differ or a gate trips, as for diff(1).
//
//===----------------------------------------------------------------------===//

#include "cclc/Cli/CommandLine.h"
#include "cclc/Cli/Output.h"
#include "cclc/Cli/Sizes.h"
#include "cclc/Cli/Values.h"
#include "cclc/Report/WhyDiff.h"

#include "cclc/Constraints/PlanCheck.h"
#include "cclc/Diff/DiffResult.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/Junit.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Streams.h"
#include "cclc/Target/Loader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;
using llvm::formatv;

namespace {
/// The maximum number of executions that are recorded for a critical path: about 2 GB.
constexpr uint64_t maxRecorded = 40'000'000;

struct Arguments {
  std::string oldFile, newFile;
  SizeArguments sizes;
  std::optional<std::string> format, slots, network, json, summary, why;
  std::vector<std::string> gates, sets, targets, dtypes;
  bool strict = false, gatesOnly = false;
};

class CclDiff {
public:
  explicit CclDiff(const char *argv0) : resources(Resources::find(argv0)) {}
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  ExitCode end(ExitCode code) {
    progress.clear();
    if (args.format == "junit" && diags.hasErrors() && !written) {
      JunitSuite suite("ccl-diff");
      suite.add({}, diags);
      suite.write(llvm::outs());
    } else {
      report(diags, "ccl-diff", args.format == "github" ? MessageForm::Github : MessageForm::Text);
    }
    return code;
  }
  ExitCode unusable() { return end(ExitCode::Unusable); }

  LogicalResult readOptions();
  FailureOr<ExecPlan> readSide(const std::string &file);
  LogicalResult compareOnTarget(const std::string &target, const PlanDiff &plans, DiffResult &diff);
  FailureOr<SizeResult> simulateOn(const BoundPlan &bound, StringRef network, uint64_t size,
                                   DataType type);
  bool canBeTimed(const PlanDiff &found, const DiffResult &diff);
  LogicalResult write(const DiffResult &diff);
  LogicalResult appendSummary(const DiffResult &diff);
  ExitCode explainCell(const ExecPlan &before, const ExecPlan &after);

  Arguments args;
  Resources resources;
  std::optional<Slots> slots;
  std::vector<uint64_t> sizes;
  std::vector<RegressionGate> gates;
  std::vector<TargetOverride> overrides;
  std::vector<DataType> types;
  bool incomplete = false; ///< whether a format lacks most attributes
  bool written = false;    ///< the comparison
  DiagnosticEngine diags;
  Progress progress{"ccl-diff"};
};

std::optional<int> CclDiff::parse(int argc, char **argv) {
  CommandLine line("ccl-diff",
                   "Compare two plans in terms of the algorithm.\n\nOLD and NEW are plans in "
                   "any form (JSON, MSCCL XML, text IR, binary); - reads standard input.");
  line.positional("OLD", args.oldFile, "old plan, such as a golden file", true);
  line.positional("NEW", args.newFile, "new plan", true);
  line.group("Comparison");
  line.flag("--strict", args.strict,
            "treat a renumbering of threadblocks or channels as a difference");
  line.option("--slots", "N|inf", args.slots,
              "set the number of slots of a connection, for proofs and times (default: the plans', "
              "or the target's)");
  line.option("--why", "RANK:BUFFER:INDEX", args.why,
              "compare only a cell's provenance in both plans, such as 3:o:0");
  line.group("Time");
  line.list("--target", "NAME|FILE", args.targets,
            "time both plans on this machine; may be given several times");
  line.settings(args.sets);
  line.option("--network", "NAME", args.network,
              "select the contention model: " + networkNames() + " (default: the target's)");
  addSizeOptions(line, args.sizes);
  line.choices("--dtype", {"f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8"}, args.dtypes,
               "set the element type; may be given several times (default: f32)");
  line.group("Gates");
  line.list("--gate", "KEY:LIMIT", args.gates,
            "limit the increase of a figure from OLD to NEW: time:+2%, time:+100ns, steps:0, "
            "channels:+1, slots:0, ...");
  line.flag(
      "--gates-only", args.gatesOnly,
      "accept differences within the gates: exit with 1 only if a gate trips or NEW is not proved");
  line.group("Output");
  line.choice(
      "--format", {"text", "json", "github", "junit"}, args.format,
      "print text, JSON, annotations of GitHub Actions, or a report of JUnit (default: text)");
  line.option("--json", "FILE", args.json, "write the JSON to FILE as well");
  line.option("--summary", "FILE", args.summary,
              "append a summary in Markdown to FILE, such as $GITHUB_STEP_SUMMARY");
  return line.parse(argc, argv);
}

LogicalResult CclDiff::readOptions() {
  if (args.oldFile == "-" && args.newFile == "-")
    return diags.error({}, "only one of OLD and NEW can be standard input");
  NamedFiles files;
  files.input("OLD", args.oldFile);
  files.input("NEW", args.newFile);
  for (const std::string &target : args.targets)
    files.target(target, resources.targets);
  files.output("--json", args.json);
  files.output("--summary", args.summary);
  if (failed(files.check(diags)))
    return failure();
  if (args.slots) {
    slots = parseSlots(*args.slots, diags);
    if (!slots)
      return failure();
  }
  if (args.why &&
      (args.format || args.json || args.summary || !args.targets.empty() || !args.gates.empty()))
    return diags.error({}, "--why excludes --format, --json, --summary, --target and --gate");
  for (const std::string &text : args.gates) {
    FailureOr<RegressionGate> gate = parseGate(text, didYouMean, diags);
    if (failed(gate))
      return failure();
    if (!gate->figure && args.targets.empty())
      return diags.error({}, "--gate " + text + " requires --target to simulate the plans");
    gates.push_back(std::move(*gate));
  }
  if (args.gatesOnly && gates.empty())
    return diags.error({}, "--gates-only needs a --gate");
  const std::pair<bool, const char *> forTarget[] = {
      {!args.sets.empty(), "--set"},          {args.network.has_value(), "--network"},
      {!args.sizes.bytes.empty(), "--bytes"}, {args.sizes.sweep.has_value(), "--sweep"},
      {args.sizes.begin.has_value(), "-b"},   {args.sizes.end.has_value(), "-e"},
      {args.sizes.factor.has_value(), "-f"},  {!args.dtypes.empty(), "--dtype"}};
  for (auto [given, option] : forTarget)
    if (given && args.targets.empty())
      return diags.error({}, llvm::Twine(option) + " requires --target");
  for (const std::string &name : args.dtypes)
    if (DataType type = *parseDataType(name); !llvm::is_contained(types, type))
      types.push_back(type);
  if (types.empty())
    types.push_back(DataType::F32);
  if (failed(parseOverrides(args.sets, overrides, diags)))
    return failure();
  return parseSizes(args.sizes, sizes, diags);
}

FailureOr<ExecPlan> CclDiff::readSide(const std::string &file) {
  progress.stage("read " + file);
  auto buffer = openPlanFile(file, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  if (const PlanFormat *format = sniffPlanFormat(text))
    incomplete |= !format->isComplete;
  return readPlan(text, planFileName(file), diags);
}

FailureOr<SizeResult> CclDiff::simulateOn(const BoundPlan &bound, StringRef network, uint64_t size,
                                          DataType type) {
  FailureOr<Sizing> sizing = Sizing::create(bound, Bytes(size), type, diags);
  if (failed(sizing) || failed(checkMemory(bound, *sizing, diags)))
    return failure();
  SimOptions options;
  options.criticalPath = sizing->executions(bound) <= maxRecorded;
  std::unique_ptr<NetworkModel> model = createNetwork(network, bound.routes);
  SimResult result = simulate(bound, *sizing, *model, options);
  if (!result.completed || result.time == SimTime::max())
    return diags.error(
        {}, formatv("{0} bytes do not complete on target {1}; run 'ccl-sim' for the reason", size,
                    bound.machine.name));
  return makeSizeResult(bound, *sizing, std::move(result), 1);
}

/// Adds the times of all types and sizes on one machine.
LogicalResult CclDiff::compareOnTarget(const std::string &target, const PlanDiff &plans,
                                       DiffResult &diff) {
  FailureOr<Machine> machine =
      loadTargetFor({&plans.before->info(), &plans.after->info()},
                    {target, resources.targets, overrides, std::nullopt}, diags);
  if (failed(machine))
    return failure();
  diff.targets.push_back(machine->stamp);
  std::string network = args.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return failure();
  auto bind = [&](const ExecPlan &plan) {
    return BoundPlan::create(plan, *machine,
                             slots.value_or(machine->slotsFor(plan.info().protocol)), diags);
  };
  FailureOr<BoundPlan> oldBound = bind(*plans.before), newBound = bind(*plans.after);
  if (failed(oldBound) || failed(newBound))
    return failure();
  if (failed(checkPlan(*plans.after, *machine, newBound->slots, diags)))
    return failure();
  for (DataType type : types)
    for (uint64_t size : sizes) {
      progress.stage("simulate " + std::to_string(size) + " bytes");
      FailureOr<SizeResult> old = simulateOn(*oldBound, network, size, type),
                            now = simulateOn(*newBound, network, size, type);
      if (failed(old) || failed(now))
        return failure();
      TimeDiff time = compareTimes(*old, *now, plans);
      time.target = machine->stamp.title();
      time.type = type;
      diff.times.push_back(std::move(time));
    }
  return success();
}

/// Only verified plans can be timed. Reports a plan that is not.
bool CclDiff::canBeTimed(const PlanDiff &found, const DiffResult &diff) {
  const std::pair<const Figures &, const std::string &> sides[] = {
      {found.figuresBefore, diff.oldName}, {found.figuresAfter, diff.newName}};
  for (const auto &[figures, name] : sides)
    if (figures.proof.verdict != Verdict::Ok) {
      diags.error({}, formatv("{0} cannot be timed: {1}", name, figures.flaw));
      return false;
    }
  return true;
}

LogicalResult CclDiff::write(const DiffResult &diff) {
  if (args.json &&
      failed(writeFile(*args.json, [&](raw_ostream &os) { writeJson(diff, os); }, diags)))
    return failure();
  if (args.summary && failed(appendSummary(diff)))
    return failure();
  std::string format = args.format.value_or("text");
  written = true;
  if (args.json == "-") // then standard output has only the JSON
    return success();
  return writeFile(
      "-",
      [&](raw_ostream &os) {
        if (format == "json")
          writeJson(diff, os);
        else if (format == "github")
          writeGithub(diff, args.gatesOnly, os);
        else if (format == "junit")
          writeJunit(diff, args.gatesOnly, os);
        else
          writeText(diff, os);
      },
      diags);
}

/// Several comparisons of a step of GitHub Actions write to one file.
LogicalResult CclDiff::appendSummary(const DiffResult &diff) {
  std::error_code error;
  llvm::raw_fd_ostream os(*args.summary, error, llvm::sys::fs::OF_Append);
  if (error)
    return diags.error({*args.summary}, "cannot be written: " + error.message());
  writeMarkdown(diff, os);
  return finishStream(os, *args.summary, diags);
}

/// Compares the provenance of a cell under every placement that both plans have.
ExitCode CclDiff::explainCell(const ExecPlan &before, const ExecPlan &after) {
  if (std::optional<std::string> why = whyIncomparable(before, after)) {
    diags.error({}, *why + ": their cells cannot be compared");
    return end(ExitCode::Wrong);
  }
  std::optional<CellName> cell = parseCellName("--why", *args.why, diags);
  if (!cell || failed(checkCell(before, *cell, diags)) || failed(checkCell(after, *cell, diags)))
    return unusable();
  progress.clear();
  bool same = true, met = false;
  for (Placement placement : before.info().placements.list())
    if (llvm::is_contained(after.info().placements.list(), placement)) {
      if (met)
        llvm::outs() << '\n';
      met = true;
      same &= printWhyDiff(before, planFileName(args.oldFile), after, planFileName(args.newFile),
                           *cell, placement, llvm::outs());
    }
  if (!met) {
    diags.error({},
                "one plan is in place and the other out of place: their cells cannot be compared");
    return unusable();
  }
  llvm::outs().flush();
  return end(same ? ExitCode::Success : ExitCode::Wrong);
}

ExitCode CclDiff::run() {
  if (failed(readOptions()))
    return unusable();
  FailureOr<ExecPlan> before = readSide(args.oldFile);
  if (failed(before))
    return unusable();
  FailureOr<ExecPlan> after = readSide(args.newFile);
  if (failed(after))
    return unusable();
  if (args.why)
    return explainCell(*before, *after);
  progress.stage("compare");
  MemoryBudget::Work work("the comparison of the plans");
  PlanDiff found = comparePlans(*before, *after, {slots, incomplete});
  DiffResult diff{planFileName(args.oldFile).str(),
                  planFileName(args.newFile).str(),
                  found,
                  args.strict,
                  {},
                  types,
                  {},
                  {}};
  if (!args.targets.empty() && found.comparable && canBeTimed(found, diff))
    for (const std::string &target : args.targets)
      if (failed(compareOnTarget(target, found, diff)))
        return unusable();
  diff.gates = applyGates(gates, found.figuresBefore, found.figuresAfter, diff.times);
  progress.clear();
  if (failed(write(diff)))
    return unusable();
  // Errors of plans that cannot be timed count as wrong.
  bool proved = found.figuresAfter.proof.verdict == Verdict::Ok;
  bool wrong = diff.trips() || diags.hasErrors() || !found.comparable ||
               (args.gatesOnly ? !proved : diff.differs());
  return end(wrong ? ExitCode::Wrong : ExitCode::Success);
}
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-diff", [&] {
    CclDiff diff(argv[0]);
    if (std::optional<int> code = diff.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return diff.run();
  });
}
