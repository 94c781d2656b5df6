//===- SimArguments.cpp - Options of the commands of ccl-sim --------------===//
//
// Declares the options of each command, in the order of its help, then parses the values and checks
// their combinations. What options of several commands share is declared once. The options that
// chose the commands in earlier versions still do so.
//
//===----------------------------------------------------------------------===//

#include "SimArguments.h"

#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

std::optional<int> SimArguments::parse(int argc, char **argv) {
  CommandLine line("ccl-sim",
                   "Execute a plan on a model of a machine, with real data, and time it.\n\n"
                   "PLAN is a plan in any form (JSON, MSCCL XML, text IR, binary); - "
                   "reads standard input.\n\n"
                   "Example: ccl-sim ring.json --sweep 1K:1M:4 --check-data");
  std::string plan;
  addSimulation(line);
  CommandLine verify = addVerify(line), lint = addLint(line), why = addWhy(line, plan),
              dma = addDma(line), concurrent = addConcurrent(line);
  std::optional<int> ended = line.parse(argc, argv);
  const std::pair<const CommandLine *, SimCommand> verbs[] = {
      {&verify, SimCommand::Verify},
      {&lint, SimCommand::Lint},
      {&why, SimCommand::Why},
      {&dma, SimCommand::Dma},
      {&concurrent, SimCommand::Concurrent}};
  for (auto [verb, name] : verbs)
    if (verb->chosen())
      command = name;
  if (!plan.empty())
    files = {plan};
  if (!oldValues.empty())
    (command == SimCommand::Why ? cell : requests) = oldValues.back();
  if (!files.empty())
    likeCommand = line.verbLike(files.front());
  return ended;
}

// --- Options ------------------------------------------------------------------------

void SimArguments::addSimulation(CommandLine &line) {
  line.positionals("PLAN", files, "plan; several, or a folder, of MSCCL++");
  line.group("Machine");
  addMachine(line, "simulate this machine (default: the target of the plan)");
  addSlots(line);
  addNetwork(line);
  addSkew(line, "a rank");
  line.group("Message");
  addSizeOptions(line, givenSizes);
  addType(line);
  addRuns(line);
  line.choice("--rolled", {"auto", "on", "off"}, rolled,
              "simulate few ranks of a rolled plan in place of all (default: auto, for plans with "
              "over 2^24 steps whose times are equal)");
  line.number("-j", 1, 1024, givenJobs, "simulate N sizes in parallel (default: 1)");
  line.group("Verification");
  addData(line);
  line.option("--schedule", "random:SEED", schedule,
              "delay events at random to explore other interleavings");
  line.group("Output");
  addPath(line);
  line.flag(
      "--what-if", whatIf,
      "report the gain if one resource at a time were free or twice as fast, for the last size");
  line.flag("--advise", advise,
            "try changes of options and of the compilation, and report those that save time, for "
            "the last size");
  line.flag("--bounds", bounds,
            "search for the tightest lower bounds, as ccl-bound does, on machines with more than "
            "2048 endpoints, too; it may take most of the time");
  line.flag("--no-bounds", noBounds, "do not compute lower bounds");
  addOutput(line);
  addDumpTarget(line);
  addReports(line);
}

void SimArguments::addReports(CommandLine &line) {
  line.option("--report", "FILE", report, "write an HTML performance report");
  line.option("--baseline", "FILE", baseline,
              "compare with this plan of the same collective in the report");
  line.option("--measured", "FILE", measured,
              "show the timeline that ccl-run --trace has measured below the simulated one in the "
              "report");
  line.option("--trace", "FILE", trace,
              "write a Chrome/Perfetto event trace, compressed if FILE ends in .gz");
  line.option("--emit-goal", "FILE", goal, "write the plan as a GOAL schedule for LogGOPSim");
  line.renamed("--goal", "--emit-goal");
  line.option("--emit-chakra", "PREFIX", chakra,
              "write the plan as Chakra execution traces for ASTRA-sim, PREFIX.RANK.et");
}

CommandLine SimArguments::addVerify(CommandLine &line) {
  CommandLine verb = line.command("verify", "prove plans without running them",
                                  "ccl-sim verify ring.json --slots 2");
  verb.replaces("--verify-only", "'ccl-sim verify PLAN...'");
  verb.positionals("PLAN", files, "plan in any form; - reads standard input", /*required=*/true);
  addMachine(verb, "prove the limits of this machine, too, and its largest safe size");
  addSlots(verb, "the plan's, else the target's, else 8");
  addSizeOptions(verb, givenSizes, "prove");
  addType(verb);
  addOutput(verb);
  return verb;
}

CommandLine SimArguments::addLint(CommandLine &line) {
  CommandLine verb = line.command("lint", "check files as the runtimes that load them do",
                                  "ccl-sim lint algorithms/ --xml-dialect rccl");
  verb.replaces("--lint", "'ccl-sim lint PATH...'");
  verb.positionals("PATH", files,
                   "XML file of the MSCCL runtimes, or plan of MSCCL++, or a folder of them",
                   /*required=*/true);
  line.group(""); // not shown, but taken beside the option of earlier versions
  for (CommandLine *each : {&verb, &line}) {
    each->choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, dialect,
                 "check for this runtime only (default: all)");
    each->option("--sarif", "FILE", sarif, "write the findings as SARIF");
  }
  addOutput(verb);
  return verb;
}

CommandLine SimArguments::addWhy(CommandLine &line, std::string &plan) {
  CommandLine verb = line.command("why", "print the provenance of a cell of a plan",
                                  "ccl-sim why ring.json 3:o:2");
  verb.replaces("--why", "'ccl-sim why PLAN CELL'", &oldValues);
  verb.positional("PLAN", plan, "plan in any form, also a wrong one", true);
  verb.positional("CELL", cell, "RANK:BUFFER:INDEX, such as 3:o:2", true);
  addSlots(verb, "the plan's, else 8");
  addOutput(verb);
  return verb;
}

CommandLine SimArguments::addDma(CommandLine &line) {
  CommandLine verb = line.command("dma", "time requests to the memories of a machine",
                                  "ccl-sim dma 'pe0<-pe1; pe0->pe1' --target ahbm --bytes 16K");
  verb.replaces("--dma", "'ccl-sim dma REQUESTS'", &oldValues);
  verb.positional("REQUESTS", requests,
                  "PE<-PE reads, PE->PE writes the memory of the second PE; ',' separates "
                  "concurrent requests, ';' consecutive ones",
                  true);
  addMachine(verb, "simulate this machine, which must be given");
  addNetwork(verb);
  verb.list("--bytes", "SIZE", givenSizes.bytes, "set the size of each request (default: 1M)");
  addOutput(verb);
  addDumpTarget(verb);
  return verb;
}

CommandLine SimArguments::addConcurrent(CommandLine &line) {
  CommandLine verb =
      line.command("concurrent", "simulate several plans at once",
                   "ccl-sim concurrent a.json@0 b.json@2e-6:8 --target torus2d --bytes 64K");
  verb.replaces("--plan", "'ccl-sim concurrent PLAN@START[:FIRST_RANK]...'", &plans);
  verb.positionals("PLAN@START[:FIRST_RANK]", plans,
                   "plan, its start in seconds, and how many endpoints further on its ranks are",
                   /*required=*/true);
  addMachine(verb, "simulate this machine (default: the target of the plans)");
  addSlots(verb);
  addNetwork(verb);
  addSkew(verb, "an endpoint");
  verb.list("--bytes", "SIZE", givenSizes.bytes,
            "set the size of a rank's buffer, once or once for each plan (default: 1M)");
  addType(verb);
  addRuns(verb);
  verb.number("-j", 1, 1024, givenJobs,
              "simulate N times in parallel, each plan alone and all together (default: 1)");
  addData(verb);
  addPath(verb);
  addOutput(verb);
  addDumpTarget(verb);
  return verb;
}

void SimArguments::addMachine(CommandLine &line, const char *help) {
  line.option("--target", "NAME|FILE", target, help);
  line.settings(sets);
}

void SimArguments::addSlots(CommandLine &line, const std::string &byDefault) {
  line.option("--slots", "N|inf", givenSlots,
              "set the number of slots of a connection (default: " + byDefault + ")");
}

void SimArguments::addNetwork(CommandLine &line) {
  line.option("--network", "NAME", network,
              "select the contention model: " + networkNames() + " (default: the target's)");
}

void SimArguments::addSkew(CommandLine &line, const char *what) {
  line.list("--skew", "RANK=VALUE", skew,
            formatv("delay the start of {0} (SECONDS) or slow its engines (xFACTOR); "
                    "random=SECONDS[:SEED] delays all ranks",
                    what));
}

void SimArguments::addType(CommandLine &line) {
  line.choice("--dtype", dataTypeNames(), givenType, "set the element type (default: f32)");
}

void SimArguments::addRuns(CommandLine &line) {
  line.choice("--op", reduceOpNames(), givenOp, "set the reduction operator (default: sum)");
  line.number("--repeat", 1, 1 << 20, givenRepeat,
              "run the plan N times back to back and report the average time");
}

void SimArguments::addData(CommandLine &line) {
  line.flag("--check-data", checkData, "execute with real data and compare the result");
  line.number("--seed", 0, ~uint64_t(0), seed, "use random data; implies --check-data");
}

void SimArguments::addPath(CommandLine &line) {
  line.flag("--critical-path", criticalPath, "report the critical path, step by step");
}

void SimArguments::addOutput(CommandLine &line) {
  line.option("--json", "FILE", json, "write all results as JSON");
  line.messages(format);
}

void SimArguments::addDumpTarget(CommandLine &line) {
  line.option("--dump-target", "FILE", dumpTarget,
              "write the resolved target, after --set, with every key");
}

// --- Values -------------------------------------------------------------------------

LogicalResult SimArguments::read(DiagnosticEngine &diags) {
  bool takesPlans = command != SimCommand::Dma && command != SimCommand::Concurrent;
  if (files.empty() == takesPlans)
    return diags.error({}, takesPlans
                               ? "PLAN is required; 'ccl-sim --help' shows the usage"
                               : formatv("unexpected argument '{0}': '--plan' and '--dma' take "
                                         "no further plan",
                                         files.front())
                                     .str());
  if (givenSlots && !(slots = parseSlots(*givenSlots, diags)))
    return failure();
  if (givenType)
    type = *parseDataType(*givenType);
  if (givenOp)
    op = *parseReduceOp(*givenOp);
  repeat = uint32_t(givenRepeat.value_or(1));
  jobs = unsigned(givenJobs.value_or(1));
  checkData |= seed.has_value();
  if (schedule) {
    StringRef text = *schedule;
    uint64_t number;
    if (!text.consume_front("random:") || text.getAsInteger(10, number))
      return diags.error({}, "--schedule takes random:SEED with a whole number, not '" + *schedule +
                                 "'");
    randomSchedule = number;
  }
  if (failed(checkCombinations(diags)) || failed(checkFiles(diags)) ||
      failed(parseOverrides(sets, overrides, diags)))
    return failure();
  if (command == SimCommand::Dma && givenSizes.bytes.size() > 1)
    return diags.error({}, formatv("--bytes is given {0} times: all requests have one size",
                                   givenSizes.bytes.size()));
  return command == SimCommand::Concurrent ? success() : parseSizes(givenSizes, sizes, diags);
}

/// Standard output has no summary if another output goes to it.
LogicalResult SimArguments::checkFiles(DiagnosticEngine &diags) {
  for (const std::string &file : files)
    named.input(command == SimCommand::Lint ? "PATH" : "PLAN", file);
  named.target(target, resources.targets);
  named.input("--baseline", baseline);
  named.input("--measured", measured);
  const std::pair<const char *, const std::optional<std::string> &> outputs[] = {
      {"--json", json},      {"--sarif", sarif},   {"--dump-target", dumpTarget},
      {"--emit-goal", goal}, {"--report", report}, {"--trace", trace}};
  for (const auto &[option, path] : outputs) {
    named.output(option, path);
    summarise &= path != "-";
  }
  return named.check(diags);
}

LogicalResult SimArguments::checkCombinations(DiagnosticEngine &diags) const {
  const std::pair<bool, const char *> ofOneSize[] = {{goal.has_value(), "--emit-goal"},
                                                     {chakra.has_value(), "--emit-chakra"},
                                                     {trace.has_value(), "--trace"}};
  for (auto [given, name] : ofOneSize)
    if (given && givenSizes.areSeveral())
      return diags.error({}, std::string(name) + " writes a single size: select it with --bytes");
  if (chakra == "-")
    return diags.error({}, "--emit-chakra writes one file per rank, PREFIX.RANK.et, and cannot "
                           "write to standard output");
  if (advise && schedule)
    return diags.error({}, "--advise excludes --schedule, whose times are meaningless");
  if (bounds && noBounds)
    return diags.error({}, "--bounds and --no-bounds exclude each other");
  if (const char *option = optionOfRanks(); option && rolled == "on")
    return diags.error({}, formatv("--rolled=on simulates few ranks and excludes {0}", option));
  for (auto [given, name] : {std::pair(baseline.has_value(), "--baseline"),
                             std::pair(measured.has_value(), "--measured")})
    if (given && !report)
      return diags.error({}, formatv("{0} requires --report", name));
  return success();
}

FailureOr<std::string> SimArguments::onlyPlan(DiagnosticEngine &diags) const {
  const std::string &first = files.front();
  if (!likeCommand.empty() && StringRef(first).find_first_of("./") == StringRef::npos &&
      !llvm::sys::fs::exists(first))
    return diags.error({}, "unknown command '" + first + "'" + likeCommand);
  if (files.size() > 1)
    return diags.error({}, "several plans are simulated together if they are of MSCCL++; 'ccl-sim "
                           "verify' and 'ccl-sim lint' take several of any kind");
  return first;
}

FailureOr<Machine> SimArguments::loadMachine(const ProgramInfo *plan, DiagnosticEngine &diags,
                                             ArrayRef<std::string> changes,
                                             std::string *resolved) const {
  std::vector<TargetOverride> all = overrides;
  if (failed(parseOverrides(changes, all, diags)))
    return failure();
  if (!target)
    return loadTargetOf(*plan, resources.targets, all, diags, resolved);
  TargetRequest request{*target, resources.targets, std::move(all), std::nullopt};
  return plan ? loadTargetFor(plan, std::move(request), diags, resolved)
              : loadTarget(request, diags, resolved);
}

FailureOr<Machine> SimArguments::loadMachineOfRun(const ProgramInfo *plan,
                                                  DiagnosticEngine &diags) const {
  std::string resolved;
  FailureOr<Machine> machine = loadMachine(plan, diags, {}, &resolved);
  if (succeeded(machine) && failed(writeTarget(resolved, diags)))
    return failure();
  return machine;
}

LogicalResult SimArguments::writeTarget(const std::string &resolved,
                                        DiagnosticEngine &diags) const {
  if (!dumpTarget)
    return success();
  return writeFile(*dumpTarget, [&](raw_ostream &os) { os << resolved; }, diags);
}

std::optional<BoundEffort> SimArguments::boundEffort(const Machine &machine,
                                                     DiagnosticEngine &diags) const {
  constexpr uint32_t mostEndpoints = 2048;
  if (noBounds)
    return std::nullopt;
  if (bounds || machine.numEndpoints() <= mostEndpoints)
    return bounds ? BoundEffort::Full : BoundEffort::Limited;
  diags.note({}, formatv("target {0} has {1} endpoints: lower bounds are computed with --bounds",
                         machine.name, machine.numEndpoints()));
  return std::nullopt;
}

bool SimArguments::foldsPlan(uint64_t steps) const {
  constexpr uint64_t fewSteps = uint64_t(1) << 24;
  bool automatic = !rolled || rolled == "auto";
  return rolled == "on" || (automatic && steps > fewSteps && !optionOfRanks());
}

/// The first option whose result has values of single ranks; null if there is none.
const char *SimArguments::optionOfRanks() const {
  const std::pair<bool, const char *> options[] = {{checkData, "--check-data"},
                                                   {json.has_value(), "--json"},
                                                   {report.has_value(), "--report"},
                                                   {trace.has_value(), "--trace"},
                                                   {goal.has_value(), "--emit-goal"},
                                                   {chakra.has_value(), "--emit-chakra"},
                                                   {dumpTarget.has_value(), "--dump-target"},
                                                   {schedule.has_value(), "--schedule"},
                                                   {!skew.empty(), "--skew"},
                                                   {criticalPath, "--critical-path"},
                                                   {whatIf, "--what-if"},
                                                   {advise, "--advise"},
                                                   {bounds, "--bounds"}};
  for (auto [given, name] : options)
    if (given)
      return name;
  return nullptr;
}
