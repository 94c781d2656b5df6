//===- CclSimMain.cpp - The interpreter's command line --------------------===//

#include "CommandLine.h"
#include "DmaCommand.h"
#include "LintCommand.h"
#include "MscclppCommand.h"
#include "Output.h"
#include "ProofReport.h"
#include "ReportCommand.h"
#include "SizeRuns.h"
#include "Sizes.h"
#include "SkewOption.h"
#include "Text.h"
#include "WhatIfRuns.h"
#include "Why.h"

#include "cclc/Emit/PlanFile.h"
#include "cclc/Legality/Legality.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Semantics/PlanVerifier.h"
#include "cclc/Sim/Report.h"
#include "cclc/Target/Loader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

using namespace cclc;
using llvm::formatv;

namespace {
/// Names in files need not be UTF-8.
void writeJson(const nlohmann::ordered_json &json, raw_ostream &os) {
  os << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

/// The command line, as it stands there.
struct Arguments {
  std::vector<std::string> files;
  std::string file; ///< the only one
  std::optional<std::string> dialect, target, bytes, sweep, dtype, op, slots, network, schedule,
      dma, json, dumpTarget, goal, trace, why, report, baseline;
  std::vector<std::string> sets, skew;
  std::optional<uint64_t> repeat, seed, jobs;
  bool checkData = false, verifyOnly = false, lint = false, criticalPath = false, whatIf = false;
};

class CclSim {
public:
  explicit CclSim(const char *argv0) : resources(Resources::find(argv0)) {}
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  ExitCode end(ExitCode code) {
    progress.clear();
    report(diags, "ccl-sim");
    return code;
  }
  ExitCode unusable() { return end(ExitCode::Unusable); }
  ExitCode end(const ProofReport &found);

  LogicalResult readOptions();
  FailureOr<Machine> loadMachine(const std::string &name, std::optional<uint32_t> ranks,
                                 DiagnosticEngine &diags, StringRef change = "") const;
  FailureOr<Machine> loadMachine(const std::string &name, std::optional<uint32_t> ranks) {
    return loadMachine(name, ranks, diags);
  }
  unsigned jobs() const { return args.jobs.value_or(1); }
  ExitCode verifyOnly(const FailureOr<ExecPlan> &plan);
  ExitCode verifyOnlyMscclpp(StringRef text);
  ExitCode simulatePlan(const ExecPlan &plan);
  ExitCode simulateRequests();
  ExitCode explainCell(const ExecPlan &plan);
  ExitCode lint();

  Arguments args;
  bool summarise = true;
  Resources resources;
  std::optional<Slots> slots;
  std::vector<uint64_t> sizes;
  std::optional<uint64_t> randomSchedule;
  DataType type = DataType::F32;
  ReduceOp op = ReduceOp::Sum;
  std::vector<TargetOverride> overrides;
  DiagnosticEngine diags;
  Progress progress{"ccl-sim"};
};

std::optional<int> CclSim::parse(int argc, char **argv) {
  CommandLine line("ccl-sim", "Executes a plan on a machine, with real data, and times it.\n\n"
                              "FILE is a plan in any form (JSON, MSCCL XML, text IR, binary); - "
                              "reads standard input.");
  line.positionals("FILE", args.files, "the plan; not with --dma, several with --lint");
  line.group("Machine");
  line.option("--target", "NAME|FILE", args.target,
              "machine to run on (default: what the plan was compiled for)");
  line.list("--set", "PATH=VALUE", args.sets, "replace a value of the target");
  line.option("--slots", "N|inf", args.slots, "slots of a connection (default: the target's)");
  line.option("--network", "NAME", args.network,
              "contention model: " + networkNames().str() + " (default: the target's)");
  line.list("--skew", "RANK=VALUE", args.skew,
            "a rank that starts late (SECONDS) or whose engines are slow (xFACTOR); "
            "random=SECONDS[:SEED]: all start late");
  line.group("Message");
  line.option("--bytes", "SIZE", args.bytes, "size of a rank's buffer (default: 1M)");
  line.option("--sweep", "FROM:TO[:FACTOR]", args.sweep, "several sizes (default factor: 2)");
  line.choice("--dtype", {"f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8"}, args.dtype,
              "type of the elements (default: f32)");
  line.choice("--op", {"sum", "prod", "min", "max", "avg"}, args.op,
              "reduction operator (default: sum)");
  line.number("--repeat", 1, 1 << 20, args.repeat,
              "run the plan N times back to back and report the average");
  line.number("-j", 1, 1024, args.jobs, "simulate so many sizes at a time (default: 1)");
  line.group("Memory");
  line.option("--dma", "REQUESTS", args.dma,
              "time requests to memories, each of --bytes, instead of a plan: PE<-PE reads, "
              "PE->PE writes the memory of the second PE; ',' at once, ';' afterwards");
  line.group("Verification");
  line.flag("--check-data", args.checkData, "execute with real data and compare the result");
  line.number("--seed", 0, ~uint64_t(0), args.seed, "random data instead of exact ones");
  line.option("--schedule", "random:SEED", args.schedule,
              "delay every step and message at random, so that their order changes");
  line.flag("--verify-only", args.verifyOnly, "prove the plan and do not run it; needs no target");
  line.flag("--lint", args.lint,
            "say which MSCCL runtime would load the XML files, and those of folders, and why not");
  line.choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, args.dialect,
              "the runtime that --lint asks (default: all)");
  line.option("--why", "RANK:BUFFER:INDEX", args.why,
              "say from what and by which steps this cell was made, such as 3:o:2, and do not run");
  line.group("Output");
  line.flag("--critical-path", args.criticalPath, "report what the time is made of, step by step");
  line.flag("--what-if", args.whatIf,
            "report the time of the last size if one resource at a time cost nothing");
  line.option("--json", "FILE", args.json, "write everything as JSON");
  line.option("--dump-target", "FILE", args.dumpTarget,
              "write the target with every key, as it is after --set");
  line.option("--report", "FILE", args.report,
              "write where the time goes as a page for browsers (HTML, one file)");
  line.option("--baseline", "FILE", args.baseline,
              "a plan of the same collective that the report compares with");
  line.option("--trace", "FILE", args.trace,
              "write what happens when as a Chrome trace, for Perfetto");
  line.option("--goal", "FILE", args.goal, "write the plan as a GOAL schedule, for LogGOPSim");
  return line.parse(argc, argv);
}

LogicalResult CclSim::readOptions() {
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
  if (args.goal && args.sweep)
    return diags.error({}, "--goal writes one size: give it with --bytes");
  if (args.trace && args.sweep)
    return diags.error({}, "--trace writes one size: give it with --bytes");
  if (args.report && (args.verifyOnly || args.lint || args.dma || args.why))
    return diags.error({}, "--report is about runs of a plan, and --verify-only, --why, --lint and "
                           "--dma run none");
  if (args.baseline && !args.report)
    return diags.error({}, "--baseline is what a report compares with: give --report as well");
  // The summary stands aside for what goes to standard output.
  const std::optional<std::string> outputs[] = {args.json, args.dumpTarget, args.goal, args.report,
                                                args.trace};
  auto toStdout = llvm::count(outputs, "-");
  if (toStdout > 1)
    return diags.error({},
                       "only one of --json, --dump-target, --report, --trace and --goal goes to "
                       "standard output");
  summarise = toStdout == 0;
  if (failed(parseOverrides(args.sets, overrides, diags)))
    return failure();
  return parseSizes(args.bytes, args.sweep, sizes, diags);
}

/// For so many \p ranks, if that matters; \p change is one more --set.
FailureOr<Machine> CclSim::loadMachine(const std::string &name, std::optional<uint32_t> ranks,
                                       DiagnosticEngine &diags, StringRef change) const {
  std::vector<TargetOverride> all = overrides;
  if (!change.empty()) {
    FailureOr<TargetOverride> one = parseOverride(change, diags);
    if (failed(one))
      return failure();
    all.push_back(*one);
  }
  std::string resolved;
  FailureOr<Machine> machine = loadTarget({name, resources.targets, all, ranks}, diags, &resolved);
  if (succeeded(machine) && args.dumpTarget && change.empty() &&
      failed(writeFile(*args.dumpTarget, [&](raw_ostream &os) { os << resolved; }, diags)))
    return failure();
  return machine;
}

/// \p plan is a failure when the file is malformed, which is a verdict too.
ExitCode CclSim::verifyOnly(const FailureOr<ExecPlan> &plan) {
  ProofReport found{args.file, {}, slots.value_or(defaultSlots), Verdict::Malformed, {}};
  found.proof.verdict = Verdict::Malformed;
  if (failed(plan))
    return end(found);
  std::optional<Machine> machine;
  if (args.target) {
    FailureOr<Machine> loaded = loadMachine(*args.target, plan->ranks());
    if (failed(loaded))
      return unusable();
    machine.emplace(std::move(*loaded));
  }
  if (!slots && machine && machine->find(plan->info().protocol))
    found.slots = machine->slotsFor(plan->info().protocol);
  else if (!slots)
    found.slots = plan->slots().value_or(defaultSlots);
  progress.stage("verify");
  found.proof = verifyPlan(*plan, *found.slots, diags);
  if (machine && failed(checkLegality(*plan, *machine, diags)))
    found.proof.verdict = std::max(found.proof.verdict, Verdict::Illegal);
  found.verdict = found.proof.verdict;
  if (!machine || found.verdict != Verdict::Ok)
    return end(found);
  FailureOr<BoundPlan> bound = BoundPlan::create(*plan, *machine, *found.slots, diags);
  if (failed(bound))
    return unusable();
  // Without sizes it is asked for the largest one.
  bool named = args.bytes || args.sweep;
  FailureOr<Safety> safety = proveSizes(
      *bound, found.proof.slotsNeeded, named ? ArrayRef(sizes) : ArrayRef<uint64_t>(), type, diags);
  if (failed(safety))
    return unusable();
  if (!safety->holds())
    found.verdict = Verdict::Deadlock;
  found.safety = std::move(*safety);
  return end(found);
}

/// Such a plan has no slots, and what it needs of a machine is not known here.
ExitCode CclSim::verifyOnlyMscclpp(StringRef text) {
  if (!args.verifyOnly || args.target || args.slots) {
    diags.error({}, args.verifyOnly
                        ? "a plan of MSCCL++ has no slots, and it is proved without a target"
                        : "a plan of MSCCL++ is proved (--verify-only) and not executed: compile "
                          "the program to a plan of our own to time it");
    return unusable();
  }
  progress.stage("verify");
  PlanReport proof = verifyMscclpp(text, planFileName(args.file), diags);
  return end(ProofReport{args.file, proof, std::nullopt, proof.verdict, {}});
}

/// Tells what \p found says.
ExitCode CclSim::end(const ProofReport &found) {
  if (args.json &&
      failed(
          writeFile(*args.json, [&](raw_ostream &os) { writeProofJson(found, diags, os); }, diags)))
    return unusable();
  progress.clear();
  if (summarise) {
    printProof(found, llvm::outs());
    llvm::outs().flush();
  }
  switch (found.verdict) {
  case Verdict::Ok:
    return end(ExitCode::Success);
  case Verdict::Malformed:
    return unusable();
  default:
    return end(ExitCode::Wrong);
  }
}

ExitCode CclSim::simulatePlan(const ExecPlan &plan) {
  std::string target = args.target.value_or(plan.info().target);
  if (target.empty()) {
    diags.error({}, "the plan was compiled without a target: name one with --target");
    return unusable();
  }
  FailureOr<Machine> machine = loadMachine(target, plan.ranks());
  if (failed(machine))
    return unusable();
  Slots used = slots.value_or(machine->slotsFor(plan.info().protocol));
  FailureOr<BoundPlan> bound = BoundPlan::create(plan, *machine, used, diags);
  if (failed(bound))
    return unusable();
  std::string networkName = args.network.value_or(machine->network);
  if (failed(checkNetwork(networkName, diags)))
    return unusable();
  progress.stage("verify");
  PlanReport proof = verifyPlan(plan, used, diags);
  if (proof.verdict != Verdict::Ok || failed(checkLegality(plan, *machine, diags)))
    return end(ExitCode::Wrong);
  if (args.checkData && !plan.info().collective.hasPostCondition())
    diags.warning({}, "the collective has no post-condition: there is nothing to compare the data "
                      "with");

  SimReport summary;
  summary.target = machine->name;
  summary.network = networkName;
  summary.slots = used;
  summary.type = type;
  summary.op = op;
  SimOptions options;
  options.repeat = summary.repeat = args.repeat.value_or(1);
  options.criticalPath = args.criticalPath;
  options.randomSchedule = randomSchedule;
  FailureOr<std::vector<Skew>> skew = parseSkew(args.skew, plan.ranks(), diags);
  if (failed(skew))
    return unusable();
  options.skew = std::move(*skew);
  SizeRunRequest request{*bound,         networkName, proof.slotsNeeded, type,       op,    options,
                         args.checkData, args.seed,   args.goal,         args.trace, jobs()};
  auto outcome = runSizes(request, sizes, progress, diags);
  if (const ExitCode *code = std::get_if<ExitCode>(&outcome))
    return end(*code);
  auto &runs = std::get<SizeRuns>(outcome);
  summary.sizes = std::move(runs.rows);
  summary.costs = std::move(runs.costs);
  if (args.whatIf && !summary.sizes.empty()) {
    WhatIfRequest request{*bound, summary, options, jobs(),
                          [&](StringRef change, DiagnosticEngine &found) {
                            return loadMachine(target, plan.ranks(), found, change);
                          }};
    FailureOr<std::vector<WhatIf>> rows = runWhatIf(request, progress, diags);
    if (failed(rows))
      return unusable();
    summary.whatIf = std::move(*rows);
  }
  if (args.report && !summary.sizes.empty() &&
      failed(writeReport({args.file, *bound, summary, options, args.baseline, resources.reportPage},
                         *args.report, progress, diags)))
    return unusable();
  progress.clear();
  if (args.json &&
      failed(
          writeFile(*args.json, [&](raw_ostream &os) { writeJson(summary, *bound, os); }, diags)))
    return unusable();
  if (summarise) {
    printSummary(summary, *bound, llvm::outs());
    llvm::outs().flush();
  }
  return end(runs.allRight ? ExitCode::Success : ExitCode::Wrong);
}

/// Where the value of a cell comes from, under every placement where that differs.
ExitCode CclSim::explainCell(const ExecPlan &plan) {
  std::optional<CellName> cell = parseCellName("--why", *args.why, diags);
  if (!cell || failed(checkCell(plan, *cell, diags)))
    return unusable();
  // Of a wrong plan it may be asked why it is wrong.
  progress.stage("verify");
  Slots used = slots.value_or(plan.slots().value_or(defaultSlots));
  Verdict verdict = verifyPlan(plan, used, diags).verdict;
  std::string text;
  nlohmann::ordered_json out;
  out["format"] = "ccl-provenance";
  out["version"] = 1;
  out["verdict"] = verdictName(verdict).str();
  out["answers"] = nlohmann::ordered_json::array();
  for (Placement placement : plan.info().placements.list()) {
    std::optional<Provenance> provenance = Provenance::trace(plan, placement);
    if (!provenance)
      break; // a deadlock, which is reported
    Why why(plan, *provenance, *cell, placement);
    if (args.json)
      out["answers"].push_back(why.toJson());
    if (!summarise)
      continue;
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << '\n';
    why.print(os);
  }
  progress.clear();
  if (args.json &&
      failed(writeFile(*args.json, [&](raw_ostream &os) { writeJson(out, os); }, diags)))
    return unusable();
  if (summarise)
    llvm::outs() << text;
  llvm::outs().flush();
  return end(verdict == Verdict::Ok ? ExitCode::Success : ExitCode::Wrong);
}

/// Times requests to memories instead of a plan.
ExitCode CclSim::simulateRequests() {
  if (!args.file.empty() || !args.target || sizes.size() != 1) {
    diags.error({}, "--dma takes a --target and one size, and no plan");
    return unusable();
  }
  FailureOr<Machine> machine = loadMachine(*args.target, std::nullopt);
  if (failed(machine))
    return unusable();
  FailureOr<std::vector<DmaRequest>> requests = parseDmaRequests(*args.dma, *machine, diags);
  if (failed(requests))
    return unusable();
  std::string network = args.network.value_or(machine->network);
  FailureOr<DmaResult> result =
      simulateDma(*machine, network, *requests, Bytes(sizes.front()), diags);
  if (failed(result))
    return unusable();
  DmaReport summary{*machine, network, *requests, Bytes(sizes.front()), std::move(*result)};
  if (args.json &&
      failed(writeFile(*args.json, [&](raw_ostream &os) { writeDmaJson(summary, os); }, diags)))
    return unusable();
  if (summarise) {
    printDma(summary, llvm::outs());
    llvm::outs().flush();
  }
  return end(ExitCode::Success);
}

ExitCode CclSim::lint() {
  if (args.files.empty()) {
    diags.error({}, "--lint takes files or folders of XML");
    return unusable();
  }
  progress.stage("lint");
  FailureOr<LintReport> found = lintFiles(args.files, args.dialect, diags);
  if (failed(found))
    return unusable();
  progress.clear();
  if (args.json &&
      failed(writeFile(*args.json, [&](raw_ostream &os) { writeLintJson(*found, os); }, diags)))
    return unusable();
  if (summarise) {
    printLint(*found, llvm::outs());
    llvm::outs().flush();
  }
  return end(found->isRight() ? ExitCode::Success : ExitCode::Wrong);
}

ExitCode CclSim::run() {
  if (failed(readOptions()))
    return unusable();
  if (args.lint)
    return lint();
  if (args.dialect || args.files.size() > 1) {
    diags.error({},
                args.dialect ? "--xml-dialect needs --lint" : "several files are for --lint only");
    return unusable();
  }
  if (!args.files.empty())
    args.file = args.files.front();
  if (args.dma)
    return simulateRequests();
  if (args.file.empty()) {
    diags.error({}, "FILE is required; 'ccl-sim --help' shows the usage");
    return unusable();
  }
  progress.stage("read " + args.file);
  auto file = openPlanFile(args.file, diags);
  if (succeeded(file) && mscclpp::looksLikePlan((*file)->getBuffer()))
    return verifyOnlyMscclpp((*file)->getBuffer());
  FailureOr<ExecPlan> plan = failure();
  if (succeeded(file)) {
    plan = readPlan((*file)->getBuffer(), planFileName(args.file), diags);
    file->reset();
  }
  if (args.verifyOnly)
    return verifyOnly(plan);
  if (failed(plan))
    return unusable();
  if (args.why)
    return explainCell(*plan);
  return simulatePlan(*plan);
}
} // namespace

int cclc::cclSimMain(int argc, char **argv) {
  return guarded("ccl-sim", [&] {
    CclSim sim(argv[0]);
    if (std::optional<int> code = sim.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return sim.run();
  });
}
