//===- Cclc.cpp - The command line of cclc --------------------------------===//
//
// Parses the command line into a CompileRequest, runs the compiler (Compiler/Compile.h), and writes
// the plan and other requested outputs. The verbs list, targets, describe and convert are in
// separate files.
//
//===----------------------------------------------------------------------===//

#include "CompileArguments.h"
#include "ConvertCommand.h"
#include "Golden.h"
#include "Listings.h"
#include "SynthCommand.h"
#include "TargetsCommand.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Output.h"
#include "cclc/Tools/Cli/Values.h"
#include "cclc/UserPrograms/FindProgram.h"
#include "cclc/Views/Report/Explain.h"
#include "cclc/Views/Report/Stats.h"

#include "cclc/Compiler/Destination.h"
#include "cclc/Compiler/Placement/RankPlacement.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Schedule/Schedule.h"
#include "cclc/Search/Tune/Search.h"
#include "cclc/Transforms/Pass/PassRegistry.h"
#include "cclc/UserPrograms/UserProgram.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;

namespace {
class Cclc {
public:
  explicit Cclc(const char *argv0) : resources(Resources::find(argv0)) {
    registerAllPrograms(registry);
  }
  std::optional<int> parse(int argc, char **argv);
  ExitCode run();

private:
  ExitCode end(ExitCode code) const {
    progress.clear();
    if (code == ExitCode::Internal)
      return defect(diags, "cclc");
    report(diags, "cclc", args.format,
           converting  ? conversion.input()
           : onTargets ? targetsCommand.checked()
                       : args.program);
    return code;
  }
  ExitCode unusable() const { return end(ExitCode::Unusable); }

  UserCodeOptions userCode() const;
  std::optional<dsl::Declaration> findProgram(const std::string &name);
  std::optional<dsl::Declaration> takeProgram(CompileRequest &request);
  ExitCode describe();
  ExitCode compileProgram();
  LogicalResult readRequest(CompileRequest &request);
  LogicalResult readFusion(CompileRequest &request);
  LogicalResult readPrinting(PassManagerOptions &options);
  LogicalResult checkFiles() const;
  LogicalResult checkGolden();
  LogicalResult readSizes(CompileRequest &request);
  LogicalResult checkRolled() const;
  LogicalResult checkEffects() const;
  ExitCode writeRolled(const RolledPlan &rolled);
  LogicalResult writePlan(const Compiled &compiled);

  CompileArguments args;
  bool json = false;     ///< --json of the verbs
  std::string described; ///< PROGRAM of the verb describe
  ConvertCommand conversion;
  TargetsCommand targetsCommand;
  SynthCommand synthesis;
  std::vector<std::string> read; ///< the files of the program
  Resources resources;
  dsl::ProgramRegistry registry;
  mutable Progress progress{"cclc"};
  StageTimes times;
  mutable DiagnosticEngine diags;
  bool listing = false, onTargets = false, describing = false, converting = false,
       synthesising = false;
};

std::optional<int> Cclc::parse(int argc, char **argv) {
  CommandLine line("cclc", "Compile a collective algorithm to a proved plan.\n\n"
                           "PROGRAM is the name of a bundled program, a C++ or Python file, or a "
                           "shared object.");
  CommandLine list = line.command("list", "list programs with their collectives and parameters");
  list.flag("--json", json, "print JSON");
  CommandLine targets = line.command("targets", "list bundled targets, or describe a target");
  targetsCommand.addTo(targets, args.format);
  CommandLine describe =
      line.command("describe", "describe a program: algorithm, source and parameters");
  describe.positional("PROGRAM", described, "name or file", true);
  describe.flag("--json", json, "print JSON");
  CommandLine convert =
      line.command("convert", "convert a plan to another form, within the limits of its runtime");
  conversion.addTo(convert, args.format);
  CommandLine synth =
      line.command("synth", "find an algorithm for the links of a target, and compile it");
  synthesis.addTo(synth, args);
  args.addTraceTimeout(describe);

  args.addTo(line);
  std::optional<int> ended = line.parse(argc, argv);
  listing = list.chosen();
  onTargets = targets.chosen();
  describing = describe.chosen();
  converting = convert.chosen();
  synthesising = synth.chosen();
  keepReportWhole(args.format);
  return ended;
}

UserCodeOptions Cclc::userCode() const {
  return {unsigned(args.traceSeconds.value_or(UserCodeOptions().seconds)), args.format,
          exitStatusOf};
}

std::optional<dsl::Declaration> Cclc::findProgram(const std::string &name) {
  return cclc::findProgram(name, registry, resources.headers, userCode(), read, diags);
}

ExitCode Cclc::describe() {
  std::optional<dsl::Declaration> program = findProgram(described);
  if (!program)
    return unusable();
  describeProgram(*program, json, llvm::outs());
  return ExitCode::Success;
}

LogicalResult Cclc::readFusion(CompileRequest &request) {
  if (args.noFuse && args.fuse)
    return diags.error({}, "--no-fuse and --fuse exclude each other");
  if (args.noFuse || args.fuse)
    request.fusion = parseFusion(args.fuse.value_or(""), diags);
  return success(!diags.hasErrors());
}

/// Called again when the files of the program are known.
LogicalResult Cclc::checkFiles() const {
  NamedFiles files;
  if (isUserProgram(args.program))
    files.input("PROGRAM", args.program);
  for (const std::string &file : read)
    files.input("a file of PROGRAM,", file);
  files.target(args.target, resources.targets);
  if (!args.golden && args.writesPlan())
    files.output("-o", args.output.value_or("-"));
  files.output("--update-golden", args.golden);
  args.dumps.addTo(files);
  return files.check(diags);
}

/// A golden plan must be verified, and is compared as an ExecPlan.
LogicalResult Cclc::checkGolden() {
  if (args.output)
    return diags.error({}, "--update-golden and -o exclude each other");
  if (args.noVerify)
    return diags.error(
        {}, "--update-golden and --no-verify exclude each other: golden plans must be proved");
  if (args.golden != "-" && args.form().exec.read)
    return success();
  std::string forms;
  for (const PlanFormat &format : planFormats())
    if (format.exec.read)
      forms += (forms.empty() ? "" : ", ") + std::string(format.name);
  return diags.error({}, "--update-golden takes a file, in one of the forms " + forms);
}

/// Whether outputs are requested that describe the plans of all ranks.
static bool describesAllRanks(const CompileArguments &args) {
  return args.golden || !args.stats.empty() || !args.explain.empty() || args.dumps.any();
}

LogicalResult Cclc::checkRolled() const {
  if (args.rolled != "on" || !(describesAllRanks(args) || synthesising))
    return success();
  return diags.error({}, "--rolled=on writes a plan and nothing else: --stats, --explain, "
                         "--update-golden, graphs and synth need the plans of all ranks");
}

ExitCode Cclc::writeRolled(const RolledPlan &rolled) {
  progress.stage("write");
  times.begin("write");
  FailureOr<ExecPlan> plan = listed(rolled, diags);
  if (failed(plan))
    return end(ExitCode::Internal);
  PlanWriteOptions options{nullptr, args.locations};
  auto write = [&](raw_ostream &os) { args.form().exec.write(*plan, options, os); };
  if (failed(writeFile(args.output.value_or("-"), write, diags)))
    return unusable();
  if (args.timePasses) {
    times.end();
    times.print(llvm::errs());
  }
  return end(ExitCode::Success);
}

LogicalResult Cclc::readSizes(CompileRequest &request) {
  if (args.minBytes) {
    std::optional<uint64_t> size = parseSize("--min-bytes", *args.minBytes, diags);
    if (!size)
      return failure();
    request.minBytes = *size;
  }
  if (args.maxBytes) {
    request.maxBytes = parseSize("--max-bytes", *args.maxBytes, diags);
    if (!request.maxBytes)
      return failure();
    if (*request.maxBytes < request.minBytes)
      return diags.error({}, "--max-bytes is less than --min-bytes");
  }
  return success();
}

/// --print-after and --print-after-all.
LogicalResult Cclc::readPrinting(PassManagerOptions &options) {
  if (args.printAfter == "all") {
    warnOfRename("cclc", "--print-after all", "--print-after-all");
    args.printAfterAll = true;
    args.printAfter.reset();
  }
  if (args.printAfter) {
    std::vector<std::string> stages = {"trace"};
    PassRegistry passes; // the passes of a compilation
    registerTransforms(passes);
    registerPlacement(passes, /*machine=*/nullptr);
    registerSchedulers(passes);
    for (const PassEntry &pass : passes.all())
      stages.push_back(pass.name);
    if (!llvm::is_contained(stages, *args.printAfter))
      return diags.error({}, "--print-after: there is no stage '" + *args.printAfter + "'" +
                                 didYouMean(*args.printAfter, stages));
    options.printAfter = *args.printAfter;
  }
  options.printAfterAll = args.printAfterAll;
  if (args.printAfter || args.printAfterAll) {
    options.printTo = &llvm::errs();
    options.print.locations = args.locations;
  }
  return success();
}

/// Refuses options that other options leave without an effect.
LogicalResult Cclc::checkEffects() const {
  int level = args.level ? args.level->front() - '0' : 2;
  if (args.fuse && level < 1)
    return diags.error({}, "--fuse needs -O1 or higher: -O0 does not fuse");
  if (args.goal && level < 2)
    return diags.error(
        {}, llvm::formatv("--optimize-for needs -O2 or -O3: -O{0} makes one schedule only", level));
  if (args.layout && !args.instances && level < 3 && !args.form().mscclpp.write)
    return diags.error({}, "--instance-layout needs --instances: there is one copy");
  if (args.locations && StringRef(args.form().name) != "text" && !args.printAfter &&
      !args.printAfterAll)
    return diags.error({},
                       llvm::formatv("--print-locs needs --emit=text or --print-after: {0} is not "
                                     "text IR",
                                     args.form().name));
  return success();
}

LogicalResult Cclc::readRequest(CompileRequest &request) {
  for (const std::string &text : args.parameters) {
    auto pair = parseKeyValue("-p", text, diags);
    if (!pair)
      return failure();
    request.parameters.push_back(*pair);
  }
  request.ranks = args.ranks;
  if (args.endpoints) {
    std::optional<std::vector<uint32_t>> endpoints =
        parseNumbers("--endpoints", *args.endpoints, diags);
    if (!endpoints)
      return failure();
    request.endpoints = std::move(*endpoints);
  }
  request.instances = args.instances;
  request.sharing = args.sharing;
  if (args.sharing && !args.form().mscclpp.write)
    return diags.error({}, "--threadblock-group needs --emit=mscclpp");
  if (args.layout)
    request.layout = *parseInstanceLayout(*args.layout);
  if (args.placement)
    request.placement = parseRankPlacement(*args.placement);
  if (args.protocol)
    request.protocol = parseProtocol(*args.protocol);
  if (failed(args.readSlots(request, diags)))
    return failure();
  if (!args.sets.empty() && !args.target)
    return diags.error({}, "--set and --multiplex-queues require --target");
  if (args.target) {
    request.target = TargetRequest{*args.target, resources.targets, {}, std::nullopt};
    if (failed(parseOverrides(args.sets, request.target->overrides, diags)))
      return failure();
  }
  if (failed(checkFiles()))
    return failure();
  if (args.golden && failed(checkGolden()))
    return failure();
  if (failed(args.dumps.check(diags)))
    return failure();
  if (args.dialectName && !args.form().hasDialects)
    return diags.error({}, "--xml-dialect needs --emit=xml");
  if (failed(checkRolled()) || failed(checkEffects()) || failed(readPrinting(request.passes)))
    return failure();
  request.traceLimit = args.traceLimit.value_or(request.traceLimit);
  request.userCode = userCode();
  if (isUserProgram(args.program))
    request.userFile = args.program;
  if (args.level)
    request.optimisation = args.level->front() - '0';
  if (args.goal)
    request.goal = parseGoal(*args.goal);
  request.aggregate = args.aggregate;
  request.jobs = args.jobs.value_or(1);
  request.search = findFastest;
  request.maxChannels = args.maxChannels;
  request.maxThreadblocks = args.maxThreadblocks;
  setDestination(args.form(), args.dialect(), request);
  if (args.fusedOps)
    request.lowerFused = *args.fusedOps == "lower";
  request.worldSize = args.worldSize;
  if (args.worldSize && !request.ahbmModule)
    return diags.error({}, "--world-size needs --emit=ahbm-module");
  request.verify = !args.noVerify;
  if (args.stats.empty())
    request.reductionHash = ReductionHash::Omit;
  request.passes.verifySemantics = args.verifyEach;
  request.passes.times = &times;
  if (failed(readFusion(request)))
    return failure();
  return readSizes(request);
}

LogicalResult Cclc::writePlan(const Compiled &compiled) {
  const ExecPlan &plan = compiled.plan;
  PlanWriteOptions options{&args.dialect(), args.locations};
  auto write = [&](raw_ostream &os) {
    if (synthesis.writesSource())
      synthesis.result().writeSource(os);
    else if (compiled.mscclpp)
      args.form().mscclpp.write(*compiled.mscclpp, options, os);
    else if (compiled.ahbmModule)
      args.form().ahbm.write(*compiled.ahbmModule, options, os);
    else
      args.form().exec.write(plan, options, os);
  };
  if (!args.golden)
    return writeFile(args.output.value_or("-"), write, diags);
  progress.clear();
  return updateGolden(*args.golden, plan, write, llvm::outs(), diags);
}

/// The program of the command line, or the one that is found for the target.
std::optional<dsl::Declaration> Cclc::takeProgram(CompileRequest &request) {
  if (!synthesising)
    return findProgram(args.program);
  progress.stage("find trees");
  FailureOr<dsl::Declaration> found = synthesis.synthesise(request, diags);
  return succeeded(found) ? std::optional(std::move(*found)) : std::nullopt;
}

ExitCode Cclc::compileProgram() {
  CompileRequest request;
  if (synthesising)
    synthesis.begin(args);
  if (failed(readRequest(request)))
    return unusable();
  times.begin(synthesising ? "synthesise" : "load");
  std::optional<dsl::Declaration> program = takeProgram(request);
  if (!program || failed(checkFiles()))
    return unusable();
  LogicalResult dumped = success();
  if (args.dumps.anyProgram()) {
    request.onChunkProgram = [&](const ChunkProgram &chunks) {
      dumped = args.dumps.write(chunks, diags);
    };
    request.onInstrProgram = [&](const InstrProgram &instrs) {
      if (succeeded(dumped))
        dumped = args.dumps.write(instrs, diags);
    };
  }
  Remarks remarks;
  if (!args.explain.empty())
    request.remarks = &remarks;
  request.onStage = [&](StringRef stage) {
    progress.stage(program->name() + ": " + stage);
    times.begin(stage);
  };
  Rolling rolling = args.rolled == "on" ? Rolling::All : Rolling::None;
  if (args.rolled.value_or("auto") == "auto" && !describesAllRanks(args) && !synthesising)
    rolling = Rolling::Large;
  auto made = compileAny(*program, request, rolling, diags);
  if (failed(made))
    return end(exitCodeOf(diags.failure()));
  if (auto *rolled = std::get_if<CompiledRolled>(&*made))
    return writeRolled(rolled->plan);
  if (failed(dumped))
    return unusable();

  Compiled &compiled = std::get<Compiled>(*made);
  for (const std::optional<std::string> &text : {compiled.equalRoutes, compiled.otherOrder})
    if (text)
      diags.warning({}, *text);
  progress.stage("write");
  times.begin("write");
  if (failed(args.dumps.write(compiled.plan, diags)) ||
      (args.writesPlan() && failed(writePlan(compiled))))
    return unusable();
  progress.clear();
  bool planOnStdout = args.writesPlan() && !args.golden && args.output.value_or("-") == "-";
  raw_ostream &os = planOnStdout ? llvm::errs() : llvm::outs();
  if (synthesising)
    synthesis.result().printSummary(os);
  if (args.stats == "json")
    writeStatsJson(compiled, os);
  else if (!args.stats.empty())
    printStats(compiled, os);
  if (args.explain == "json")
    writeExplanationJson(remarks, compiled.plan.info(), os);
  else if (!args.explain.empty())
    printExplanation(remarks, compiled.plan.info(), os);
  if (args.timePasses) {
    times.end();
    times.print(llvm::errs());
  }
  return end(ExitCode::Success);
}

ExitCode Cclc::run() {
  if (listing) {
    printPrograms(registry, json, llvm::outs());
    return ExitCode::Success;
  }
  if (onTargets)
    return end(targetsCommand.run(resources.targets, diags));
  if (describing)
    return describe();
  if (converting)
    return end(conversion.run(resources.targets, progress, diags));
  if (args.program.empty() && !synthesising) {
    diags.error({}, "PROGRAM is required; 'cclc list' lists the bundled programs");
    return unusable();
  }
  return compileProgram();
}
} // namespace

int main(int argc, char **argv) {
  return guarded("cclc", [&] {
    Cclc cclc(argv[0]);
    if (std::optional<int> code = cclc.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return cclc.run();
  });
}
