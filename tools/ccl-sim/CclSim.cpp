//===- CclSim.cpp - The command line of ccl-sim ---------------------------===//
//
// Reads a plan, verifies it, binds it to a target, simulates it for the given sizes and reports.
// --verify-only, --dma, --lint, --why, --report, --what-if and --advise are in separate files.
//
//===----------------------------------------------------------------------===//

#include "AdviceRuns.h"
#include "ConcurrentCommand.h"
#include "DmaCommand.h"
#include "FoldedCommand.h"
#include "LintCommand.h"
#include "MscclppCommand.h"
#include "MscclppSet.h"
#include "ReportCommand.h"
#include "SimArguments.h"
#include "SizeRuns.h"
#include "SkewOption.h"
#include "VerifyCommand.h"
#include "WhatIfRuns.h"
#include "WhyCommand.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Values.h"
#include "cclc/Views/Export/Chakra.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Target/Loader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
class CclSim {
public:
  explicit CclSim(const char *argv0) : resources(Resources::find(argv0)) {}
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  ExitCode end(ExitCode code) {
    progress.clear();
    report(diags, "ccl-sim", args.format, args.files);
    return code;
  }
  ExitCode unusable() { return end(ExitCode::Unusable); }
  ExitCode refuse(const llvm::Twine &why) {
    diags.error({}, why);
    return unusable();
  }

  LogicalResult readOptions();
  FailureOr<Machine> loadMachine(const ProgramInfo *plan, DiagnosticEngine &diags,
                                 ArrayRef<std::string> changes,
                                 std::string *resolved = nullptr) const;
  FailureOr<Machine> loadMachine(const ProgramInfo *plan);
  unsigned jobs() const { return args.jobs.value_or(1); }
  ExitCode verifyOnly();
  ExitCode simulatePlan(const ExecPlan &plan);
  ExitCode simulateRolled(const RolledPlan &plan);
  LogicalResult addInsights(SweepOutput &output, const BoundPlan &bound, const SimOptions &options,
                            std::optional<uint32_t> slotsNeeded, DiagnosticEngine &found);
  AdviceRequest adviceRequest(const SweepResult &summary, const BoundPlan &bound,
                              const SimOptions &options, std::optional<uint32_t> slotsNeeded) const;
  MscclppRequest mscclppRequest(StringRef text);
  ExitCode simulateRequests();
  ExitCode simulateConcurrent();
  ExitCode explainCell(const ExecPlan &plan);

  SimArguments args;
  bool summarise = true;
  Resources resources;
  std::optional<Slots> slots;
  std::vector<uint64_t> sizes;
  std::optional<uint64_t> randomSchedule;
  std::vector<PlanOption> plans;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  std::vector<TargetOverride> overrides;
  NamedFiles files;
  DiagnosticEngine diags;
  Progress progress{"ccl-sim"};
};

std::optional<int> CclSim::parse(int argc, char **argv) {
  CommandLine line("ccl-sim",
                   "Execute a plan on a model of a machine, with real data, and time it.\n\n"
                   "FILE is a plan in any form (JSON, MSCCL XML, text IR, binary); - "
                   "reads standard input.");
  args.addTo(line);
  return line.parse(argc, argv);
}

LogicalResult CclSim::readOptions() {
  if (!args.plans.empty()) {
    FailureOr<std::vector<PlanOption>> parsed = parsePlanOptions(args, diags);
    if (failed(parsed))
      return failure();
    plans = std::move(*parsed);
  }
  if (args.slots) {
    slots = parseSlots(*args.slots, diags);
    if (!slots)
      return failure();
  }
  if (args.dtype)
    type = *parseDataType(*args.dtype);
  if (args.op)
    op = *parseReduceOp(*args.op);
  if (args.schedule) {
    StringRef seed = *args.schedule;
    uint64_t number;
    if (!seed.consume_front("random:") || seed.getAsInteger(10, number))
      return diags.error({}, "--schedule takes random:SEED with a whole number, not '" +
                                 *args.schedule + "'");
    randomSchedule = number;
  }
  if (args.seed)
    args.checkData = true;
  if (failed(args.checkCombinations(diags)))
    return failure();
  // The summary is not printed if another output goes to standard output.
  const std::optional<std::string> outputs[] = {args.json, args.sarif,  args.dumpTarget,
                                                args.goal, args.report, args.trace};
  auto toStdout = llvm::count(outputs, "-");
  if (toStdout > 1)
    return diags.error(
        {}, "only one of --json, --sarif, --dump-target, --report, --trace and --emit-goal "
            "can be written to standard output");
  summarise = toStdout == 0;
  for (const std::string &file : args.files)
    files.input("FILE", file);
  for (const PlanOption &plan : plans)
    files.input("--plan", plan.file);
  files.target(args.target, resources.targets);
  files.input("--baseline", args.baseline);
  files.input("--measured", args.measured);
  files.output("--json", args.json);
  files.output("--sarif", args.sarif);
  files.output("--dump-target", args.dumpTarget);
  files.output("--emit-goal", args.goal);
  files.output("--report", args.report);
  files.output("--trace", args.trace);
  if (failed(files.check(diags)))
    return failure();
  if (failed(parseOverrides(args.sets, overrides, diags)))
    return failure();
  return plans.empty() ? parseSizes(args.sizes, sizes, diags) : success();
}

/// Loads the target of the command line, or else that of the plan, large enough for \p plan if
/// there is one. \p changes are additional values of --set.
FailureOr<Machine> CclSim::loadMachine(const ProgramInfo *plan, DiagnosticEngine &diags,
                                       ArrayRef<std::string> changes, std::string *resolved) const {
  std::vector<TargetOverride> all = overrides;
  if (failed(parseOverrides(changes, all, diags)))
    return failure();
  if (!args.target)
    return loadTargetOf(*plan, resources.targets, all, diags, resolved);
  TargetRequest request{*args.target, resources.targets, std::move(all), std::nullopt};
  return plan ? loadTargetFor(plan, std::move(request), diags, resolved)
              : loadTarget(request, diags, resolved);
}

/// Loads the machine of the run, and writes it if requested.
FailureOr<Machine> CclSim::loadMachine(const ProgramInfo *plan) {
  std::string resolved;
  FailureOr<Machine> machine = loadMachine(plan, diags, {}, &resolved);
  if (succeeded(machine) && args.dumpTarget &&
      failed(writeFile(*args.dumpTarget, [&](raw_ostream &os) { os << resolved; }, diags)))
    return failure();
  return machine;
}

ExitCode CclSim::verifyOnly() {
  VerifyRequest request;
  request.file = args.file;
  request.slots = slots;
  // With a target and without sizes, the largest safe size is reported.
  if (args.sizes.areNamed())
    request.sizes = sizes;
  if (args.target || args.sizes.areNamed())
    request.load = [this](const ProgramInfo &plan) { return loadMachine(&plan); };
  request.type = type;
  request.json = args.json;
  request.print = summarise;
  return end(runVerify(request, progress, diags));
}

/// Reports memory that \p run takes beyond the limit, so that the results before it are kept.
static LogicalResult withinMemory(llvm::function_ref<LogicalResult()> run,
                                  DiagnosticEngine &diags) {
  try {
    return run();
  } catch (const MemoryExceeded &exceeded) {
    return diags.error({}, exceeded.text());
  }
}

ExitCode CclSim::simulatePlan(const ExecPlan &plan) {
  if (args.why)
    return explainCell(plan);
  FailureOr<Machine> machine = loadMachine(&plan.info());
  if (failed(machine))
    return unusable();
  Slots used = slots.value_or(machine->slotsFor(plan.info()));
  FailureOr<BoundPlan> bound = BoundPlan::create(plan, *machine, used, diags);
  if (failed(bound))
    return unusable();
  for (uint32_t r = 0; args.chakra && r < plan.ranks(); ++r)
    files.output("--emit-chakra", ChakraTraces::fileName(*args.chakra, RankId(r)));
  if (failed(files.check(diags)))
    return unusable();
  warnOfEqualRoutes(*bound, diags);
  std::string networkName = args.network.value_or(machine->network);
  if (failed(checkNetwork(networkName, diags)))
    return unusable();
  progress.stage("verify");
  PlanProof proof = provePlan(*bound, diags);
  if (proof.verdict != Verdict::Ok)
    return end(ExitCode::Wrong);
  if (args.checkData && !plan.info().collective.hasPostCondition())
    diags.warning({}, "the collective has no post-condition: the data are not compared");

  SweepResult summary;
  summary.target = machine->stamp;
  summary.network = networkName;
  summary.slots = used;
  summary.type = type;
  summary.op = op;
  summary.conditions = {args.skew, args.schedule};
  SimOptions options;
  options.repeat = summary.repeat = args.repeat.value_or(1);
  options.criticalPath = args.criticalPath;
  options.randomSchedule = randomSchedule;
  FailureOr<std::vector<Skew>> skew = parseSkew(args.skew, plan.ranks(), diags);
  if (failed(skew) || failed(checkSkew(*skew, enginesTakeTime(*bound), machine->name, diags)))
    return unusable();
  options.skew = std::move(*skew);
  SizeRunRequest request{{*bound, networkName, op, options, args.checkData, args.seed,
                          args.boundEffort(*machine, diags)},
                         type,
                         proof.slotsNeeded,
                         args.goal,
                         args.chakra,
                         args.trace,
                         runSettings(summary, *bound),
                         jobs()};
  SweepOutput output(std::move(summary), *bound, {summarise, args.json, args.format}, progress,
                     diags);
  ExitCode code = runSizes(request, sizes, output, progress, diags);
  DiagnosticEngine found; // separate, because the report prints `diags` on an interrupt until it is
                          // closed
  auto insights = [&] { return addInsights(output, *bound, options, proof.slotsNeeded, found); };
  if (code <= ExitCode::Wrong && failed(withinMemory(insights, found)))
    code = ExitCode::Unusable;
  output.close();
  diags.append(std::move(found));
  if (failed(code <= ExitCode::Wrong ? output.finish() : output.abandon()))
    code = std::max(code, ExitCode::Unusable);
  return end(code);
}

/// Adds the results that require further runs.
LogicalResult CclSim::addInsights(SweepOutput &output, const BoundPlan &bound,
                                  const SimOptions &options, std::optional<uint32_t> slotsNeeded,
                                  DiagnosticEngine &found) {
  const SweepResult &summary = output.get();
  if (summary.sizes.empty())
    return success();
  if (args.whatIf) {
    WhatIfRequest request{whatIfCandidates(bound, summary.sizes.back()), summary.sizes.back().time,
                          jobs(),
                          [&](ArrayRef<std::string> changes, DiagnosticEngine &diags) {
                            return loadMachine(&bound.plan.info(), diags, changes);
                          },
                          timesOfLastSize(bound, summary, options)};
    FailureOr<WhatIfResult> rows = runWhatIf(std::move(request), progress, found);
    if (failed(rows))
      return failure();
    output.setWhatIf(std::move(*rows));
  }
  if (args.advise)
    output.setAdvice(runAdvice(adviceRequest(summary, bound, options, slotsNeeded), progress));
  if (!args.report)
    return success();
  return writeReport({args.file, bound, summary, options, args.baseline, args.measured,
                      resources.reportPage, args.bounds ? BoundEffort::Full : BoundEffort::Limited},
                     *args.report, progress, found);
}

AdviceRequest CclSim::adviceRequest(const SweepResult &summary, const BoundPlan &bound,
                                    const SimOptions &options,
                                    std::optional<uint32_t> slotsNeeded) const {
  return {bound,
          summary,
          options,
          slotsNeeded,
          jobs(),
          resources,
          args.target,
          args.network,
          slots,
          args.sets,
          [this](const ExecPlan &plan, ArrayRef<std::string> changes, DiagnosticEngine &diags) {
            return loadMachine(&plan.info(), diags, changes);
          }};
}

/// Simulates few ranks in place of all, if that is requested and possible.
ExitCode CclSim::simulateRolled(const RolledPlan &plan) {
  std::string fault;
  if (args.foldsPlan(plan.totalSteps())) {
    auto load = [this](const ProgramInfo &program, DiagnosticEngine &found) {
      return loadMachine(&program, found, {});
    };
    FoldedRequest request{
        plan, load, args.network, slots, type, op, uint32_t(args.repeat.value_or(1))};
    if (std::optional<ExitCode> code = runFolded(request, sizes, fault, progress, diags))
      return end(*code);
    fault = "the plan is not simulated on few ranks: " + fault;
    if (args.rolled == "on")
      return refuse(fault);
  }
  FailureOr<ExecPlan> all = unroll(plan, diags);
  if (failed(all) && !fault.empty())
    diags.note({}, fault);
  return failed(all) ? unusable() : simulatePlan(*all);
}

MscclppRequest CclSim::mscclppRequest(StringRef text) {
  return {args,
          text,
          planFileName(args.file),
          sizes,
          type,
          summarise,
          jobs(),
          resources.reportPage,
          [this](const ExecPlan &plan) { return loadMachine(&plan.info()); },
          [this](const ExecPlan &plan, ArrayRef<std::string> changes, DiagnosticEngine &diags) {
            return loadMachine(&plan.info(), diags, changes);
          }};
}

ExitCode CclSim::explainCell(const ExecPlan &plan) {
  // --why also accepts wrong plans, to find the error.
  progress.stage("verify");
  Slots used = slots.value_or(plan.slots().value_or(defaultSlots));
  ExitCode code = runWhy({plan, *args.why, used, args.json, summarise}, diags);
  progress.clear();
  return end(code);
}

/// Times memory requests instead of a plan.
ExitCode CclSim::simulateRequests() {
  if (!args.file.empty() || !args.target || sizes.size() != 1)
    return refuse("--dma requires --target and a single size, and takes no plan");
  FailureOr<Machine> machine = loadMachine(nullptr);
  if (failed(machine))
    return unusable();
  std::string network = args.network.value_or(machine->network);
  if (failed(runDma({*machine, network, *args.dma, Bytes(sizes.front()), args.json, summarise},
                    diags)))
    return unusable();
  return end(ExitCode::Success);
}

ExitCode CclSim::simulateConcurrent() {
  ConcurrentRequest request;
  request.plans = plans;
  request.target = args.target;
  request.network = args.network;
  request.json = args.json;
  request.dumpTarget = args.dumpTarget;
  request.targetDir = resources.targets;
  request.overrides = overrides;
  request.slots = slots;
  request.type = type;
  request.op = op;
  request.checkData = args.checkData;
  request.seed = args.seed;
  request.criticalPath = args.criticalPath;
  request.repeat = args.repeat.value_or(1);
  request.skew = args.skew;
  request.jobs = jobs();
  request.summarise = summarise;
  ExitCode code = runConcurrent(request, progress, diags);
  progress.clear();
  return end(code);
}

ExitCode CclSim::run() {
  if (failed(readOptions()))
    return unusable();
  if (!plans.empty())
    return simulateConcurrent();
  if (args.lint)
    return end(runLint(args.files, args.dialect, {args.json, args.sarif, summarise, args.format},
                       progress, diags));
  if (args.dialect)
    return refuse("--xml-dialect needs --lint");
  if (isMscclppSet(args.files))
    return end(runMscclppSet(mscclppRequest(""), progress, diags));
  if (args.files.size() > 1)
    return refuse("several files require --lint, except for plans of MSCCL++");
  if (!args.files.empty())
    args.file = args.files.front();
  if (args.dma)
    return simulateRequests();
  if (args.file.empty())
    return refuse("FILE is required; 'ccl-sim --help' shows the usage");
  if (args.verifyOnly)
    return verifyOnly();
  progress.stage("read " + args.file);
  auto file = openPlanFile(args.file, diags);
  if (failed(file))
    return unusable();
  const PlanFormat *format = sniffPlanFormat((*file)->getBuffer());
  if (format && format->mscclpp.read)
    return end(runMscclpp(mscclppRequest((*file)->getBuffer()), progress, diags));
  FailureOr<AnyPlan> plan = readAnyPlan((*file)->getBuffer(), planFileName(args.file), diags);
  if (failed(plan))
    return unusable();
  file->reset();
  if (auto *rolled = std::get_if<RolledPlan>(&*plan))
    return simulateRolled(*rolled);
  if (args.rolled == "on")
    return refuse("--rolled=on requires a rolled plan: compile it with cclc --rolled=on");
  return simulatePlan(std::get<ExecPlan>(*plan));
}
} // namespace

int main(int argc, char **argv) {
  return guarded("ccl-sim", [&] {
    CclSim sim(argv[0]);
    if (std::optional<int> code = sim.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return sim.run();
  });
}
