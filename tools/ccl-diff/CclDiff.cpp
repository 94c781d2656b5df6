//===- CclDiff.cpp - The command line of ccl-diff -------------------------===//
//
// Reads two plans in any format, compares them, simulates both if a target is given, applies the
// gates, and writes the comparison as text or JSON. Annotations and reports of JUnit go to standard
// error with the errors, as those of all tools. The exit code is 1 if the plans differ or a gate
// trips, as for diff(1).
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Sizes.h"
#include "cclc/Tools/Cli/Values.h"
#include "cclc/Views/Report/WhyDiff.h"

#include "cclc/Compiler/LiftFromMscclpp.h"
#include "cclc/Diff/MscclppDiff.h"
#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Streams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;

namespace {
struct Arguments {
  std::string oldFile, newFile;
  SizeArguments sizes;
  std::optional<std::string> format, slots, network, json, summary, why;
  std::vector<std::string> gates, sets, targets, dtypes;
  bool strict = false, gatesOnly = false;
};

const ExecPlan &stepsOf(const std::optional<ExecutablePlan> &plan) {
  return std::get<ExecPlan>(*plan);
}
const mscclpp::Plan *operationsOf(const std::optional<ExecutablePlan> &plan) {
  return std::get_if<mscclpp::Plan>(&*plan);
}

class CclDiff {
public:
  explicit CclDiff(const char *argv0) : resources(Resources::find(argv0)) {}
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  ExitCode end(ExitCode code);
  ExitCode unusable() { return end(ExitCode::Unusable); }

  LogicalResult readOptions();
  LogicalResult readSide(const std::string &file, std::optional<ExecutablePlan> &plan);
  LogicalResult convertToSteps();
  LogicalResult checkMscclpp();
  LogicalResult addTimes();
  LogicalResult write();
  LogicalResult appendSummary();
  ExitCode explainCell();

  Arguments args;
  Resources resources;
  std::optional<Slots> slots;
  std::vector<uint64_t> sizes;
  std::vector<RegressionGate> gates;
  std::vector<TargetOverride> overrides;
  std::vector<DataType> types;
  bool incomplete = false; ///< whether a format lacks most attributes
  std::optional<ExecutablePlan> before, after;
  std::optional<std::string> converted; ///< the name of a plan of MSCCL++ beside one of steps
  std::optional<PlanDiff> found;
  std::optional<DiffResult> result; ///< of \c found
  DiagnosticEngine diags;
  Progress progress{"ccl-diff"};
};

std::optional<int> CclDiff::parse(int argc, char **argv) {
  CommandLine line("ccl-diff",
                   "Compare two plans in terms of the algorithm.\n\nOLD and NEW are plans in "
                   "any form (JSON, MSCCL XML, text IR, binary, MSCCL++); - reads standard input.");
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
  line.choices("--dtype", dataTypeNames(), args.dtypes,
               "set the element type; may be given several times (default: f32)");
  line.group("Gates");
  line.list("--gate", "KEY:LIMIT", args.gates,
            "limit the increase of a figure from OLD to NEW: time:+2%, time:+100ns, steps:0, "
            "channels:+1, slots:0, ...");
  std::vector<std::string> keys = gateKeys();
  for (std::string &key : keys)
    key += ':';
  line.suggest("--gate", std::move(keys));
  line.flag(
      "--gates-only", args.gatesOnly,
      "accept differences within the gates: exit with 1 only if a gate trips or NEW is not proved");
  line.group("Output");
  line.choice(
      "--format", {"text", "json", "github", "junit"}, args.format,
      "print the comparison as text or JSON; github and junit: as text, and annotations of GitHub "
      "Actions or a report of JUnit to standard error (default: text)");
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
    FailureOr<RegressionGate> gate = parseGate(text, diags);
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

LogicalResult CclDiff::readSide(const std::string &file, std::optional<ExecutablePlan> &plan) {
  progress.stage("read " + file);
  auto buffer = openPlanFile(file, diags);
  if (failed(buffer))
    return failure();
  StringRef text = (*buffer)->getBuffer();
  if (const PlanFormat *format = sniffPlanFormat(text))
    incomplete |= !format->isComplete;
  FailureOr<ExecutablePlan> read = readExecutablePlan(text, planFileName(file), diags);
  if (succeeded(read))
    plan.emplace(std::move(*read));
  return read;
}

/// Converts the plan of MSCCL++, of which there is one, to a plan of steps. Such a plan has few
/// attributes.
LogicalResult CclDiff::convertToSteps() {
  std::optional<ExecutablePlan> &plan = operationsOf(before) ? before : after;
  converted = planFileName(&plan == &before ? args.oldFile : args.newFile).str();
  incomplete = true;
  progress.stage("convert " + *converted);
  FailureOr<ExecPlan> steps = liftProved(*operationsOf(plan), diags);
  if (failed(steps))
    return failure();
  plan.emplace(std::move(*steps));
  return success();
}

/// Checks that the options apply to two plans of MSCCL++.
LogicalResult CclDiff::checkMscclpp() {
  if (args.slots || args.why)
    return diags.error({}, llvm::Twine(args.slots ? "--slots" : "--why") +
                               " does not apply to plans of MSCCL++");
  for (const RegressionGate &gate : gates)
    if (gate.figure == Figure::Slots)
      return diags.error({}, "--gate " + gate.text + ": plans of MSCCL++ have no slots");
  return success();
}

LogicalResult CclDiff::addTimes() {
  TimesRequest request{
      {}, slots, args.network, sizes, [&](StringRef stage) { progress.stage(stage); }};
  for (const std::string &target : args.targets)
    request.targets.push_back({target, resources.targets, overrides, std::nullopt});
  return operationsOf(before)
             ? diff::addTimes(request, *operationsOf(before), *operationsOf(after), *result, diags)
             : diff::addTimes(request, *result, diags);
}

LogicalResult CclDiff::write() {
  const DiffResult &diff = *result;
  auto json = [&](raw_ostream &os) { writeJson(diff, os); };
  if (args.json && failed(writeFile(*args.json, json, diags)))
    return failure();
  if (args.summary && failed(appendSummary()))
    return failure();
  if (args.json == "-") // then standard output has only the JSON
    return success();
  if (args.format == "json")
    return writeFile("-", json, diags);
  return writeFile("-", [&](raw_ostream &os) { writeText(diff, os); }, diags);
}

/// Several comparisons of a step of GitHub Actions write to one file.
LogicalResult CclDiff::appendSummary() {
  std::error_code error;
  llvm::raw_fd_ostream os(*args.summary, error, llvm::sys::fs::OF_Append);
  if (error)
    return diags.error({*args.summary}, "cannot be written: " + error.message());
  writeMarkdown(*result, os);
  return finishStream(os, *args.summary, diags);
}

/// Compares the provenance of a cell under every placement that both plans have.
ExitCode CclDiff::explainCell() {
  const ExecPlan &before = stepsOf(this->before), &after = stepsOf(this->after);
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

/// Prints what standard error has, in the form that was chosen.
ExitCode CclDiff::end(ExitCode code) {
  progress.clear();
  if (args.format == "junit") {
    JunitSuite suite(result ? "ccl-diff " + result->newName : "ccl-diff");
    if (result)
      addTests(*result, args.gatesOnly, suite);
    suite.add({}, diags);
    suite.write(llvm::errs());
    return code;
  }
  bool github = args.format == "github";
  if (github && result)
    writeGithub(*result, args.gatesOnly, llvm::errs());
  report(diags, "ccl-diff", github ? MessageForm::Github : MessageForm::Text);
  return code;
}

ExitCode CclDiff::run() {
  if (failed(readOptions()))
    return unusable();
  if (failed(readSide(args.oldFile, before)) || failed(readSide(args.newFile, after)))
    return unusable();
  if (!operationsOf(before) != !operationsOf(after) && failed(convertToSteps()))
    return end(exitCodeOf(diags.failure()));
  if (operationsOf(before) && failed(checkMscclpp()))
    return unusable();
  if (args.why)
    return explainCell();
  progress.stage("compare");
  MemoryBudget::Work work("the comparison of the plans");
  found = operationsOf(before) ? compareMscclpp(*operationsOf(before), *operationsOf(after), diags)
                               : comparePlans(stepsOf(before), stepsOf(after), {slots, incomplete});
  result.emplace(DiffResult{planFileName(args.oldFile).str(),
                            planFileName(args.newFile).str(),
                            *found,
                            args.strict,
                            {},
                            types,
                            {},
                            {},
                            converted});
  ExitCode code = ExitCode::Success;
  if (!args.targets.empty() && found->comparable && failed(addTimes()))
    code = exitCodeOf(diags.failure());
  if (code > ExitCode::Wrong)
    return end(code);
  result->gates = applyGates(gates, found->figuresBefore, found->figuresAfter, result->times);
  progress.clear();
  if (failed(write()))
    return unusable();
  return end(result->fails(args.gatesOnly) ? ExitCode::Wrong : code);
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
