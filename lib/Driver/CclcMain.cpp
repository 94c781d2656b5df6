//===- CclcMain.cpp - The compiler's command line -------------------------===//

#include "CommandLine.h"
#include "DumpOptions.h"
#include "Explain.h"
#include "Golden.h"
#include "Listings.h"
#include "MscclppCommand.h"
#include "Output.h"
#include "Stats.h"
#include "Text.h"

#include "cclc/Driver/Compile.h"
#include "cclc/Driver/UserProgram.h"
#include "cclc/Emit/MscclXml.h"
#include "cclc/Emit/PlanBin.h"
#include "cclc/Emit/PlanJson.h"
#include "cclc/IR/Printer.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/Pass/PassRegistry.h"
#include "cclc/Schedule/Schedule.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;

namespace {
/// The command line, as it stands there.
struct Arguments {
  std::string program, described;
  bool json = false;
  std::vector<std::string> parameters, sets;
  std::optional<std::string> layout, target, output, emit, dialect, protocol, slots, placement,
      minBytes, maxBytes, golden, fuse, fusedOps, level, goal, printAfter;
  std::optional<uint64_t> ranks, instances, maxChannels, maxThreadblocks, jobs;
  bool aggregate = false, noFuse = false, verifyEach = false, noVerify = false, timePasses = false,
       locations = false;
  std::string stats, explain;
  DumpOptions dumps;
};

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
    report(diags, "cclc");
    return code;
  }
  ExitCode unusable() const { return end(ExitCode::Unusable); }

  std::optional<dsl::Declaration> findProgram(const std::string &name);
  ExitCode describe();
  ExitCode compileProgram();
  LogicalResult readRequest(CompileRequest &request);
  LogicalResult readFusion(CompileRequest &request);
  LogicalResult readSizes(CompileRequest &request);
  LogicalResult checkDialect(const Compiled &compiled);
  LogicalResult writePlan(const ExecPlan &plan);
  std::string emitForm() const;
  const MscclDialect &dialect() const { return *findMscclDialect(args.dialect.value_or("msccl")); }
  bool writesPlan() const;

  Arguments args;
  Resources resources;
  dsl::ProgramRegistry registry;
  mutable Progress progress{"cclc"};
  mutable DiagnosticEngine diags;
  std::optional<mscclpp::Plan> lowered; ///< for --emit=mscclpp
  bool listing = false, listingTargets = false, describing = false;
};

std::optional<int> Cclc::parse(int argc, char **argv) {
  CommandLine line("cclc", "Compiles a collective algorithm to a proved plan.\n\n"
                           "PROGRAM is the name of a bundled program, a C++ file or a shared "
                           "object.");
  CommandLine list = line.command("list", "programs with their parameters and collectives");
  list.flag("--json", args.json, "as JSON");
  CommandLine targets = line.command("targets", "bundled targets");
  targets.flag("--json", args.json, "as JSON");
  CommandLine describe =
      line.command("describe", "what a program does, its parameters and where it comes from");
  describe.positional("PROGRAM", args.described, "name or file", true);
  describe.flag("--json", args.json, "as JSON");

  line.positional("PROGRAM", args.program, "name, C++ file or shared object", false);
  line.group("Algorithm");
  line.list("-p,--param", "KEY=VALUE", args.parameters, "set a parameter; see cclc describe");
  line.number("--ranks", 1, 1 << 16, args.ranks, "number of ranks");
  line.number("--instances", 1, 1024, args.instances,
              "copies of the algorithm that share every chunk");
  line.choice("--instance-layout", {"blocked", "interleaved", "batched"}, args.layout,
              "where each copy has its part of a buffer (default: blocked)");
  line.choice("--protocol", {"Simple", "LL", "LL128"}, args.protocol, "protocol of the plan");
  line.option("--min-bytes", "SIZE", args.minBytes, "smallest buffer that the plan is meant for");
  line.option("--max-bytes", "SIZE", args.maxBytes, "largest buffer that the plan is meant for");
  line.group("Machine");
  line.option("--target", "NAME|FILE", args.target, "machine to compile for");
  line.list("--set", "PATH=VALUE", args.sets, "replace a value of the target");
  line.choice("--placement", {"linear", "snake", "auto"}, args.placement,
              "which PE runs which rank, if the program does not care (default: linear)");
  line.option(
      "--slots", "N|inf", args.slots,
      "slots of a connection (default: the target's, else 8, or those of the XML's runtime)");
  line.group("Output");
  line.option("-o,--output", "FILE", args.output, "where to write the plan (default: -, stdout)");
  line.choice("--emit", {"json", "xml", "text", "bin", "mscclpp"}, args.emit,
              "form of the plan (default: by the ending of FILE, else json)");
  line.option("--update-golden", "FILE", args.golden,
              "compare with the plan in FILE and, if they differ, replace it and say what has "
              "changed");
  line.choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, args.dialect,
              "runtime that the XML is for (default: msccl)");
  line.flag("--print-locs", args.locations, "print source locations in text IR");
  line.flagOr("--stats", {"text", "json"}, args.stats, "print what was made");
  line.group("Optimisation");
  line.choice(
      "-O", {"0", "1", "2", "3"}, args.level,
      "0: as written, 1: fuse, 2: weigh ways to schedule (default), 3: time variants on the "
      "target");
  line.number("-j", 1, 1024, args.jobs, "try so many variants of -O3 at a time (default: 1)");
  line.choice("--goal", {"balance", "path", "steps", "threadblocks"}, args.goal,
              "what -O2 weighs most (default: balance)");
  line.number("--max-channels", 1, 1 << 16, args.maxChannels, "use at most so many channels");
  line.number("--max-threadblocks", 1, 1 << 16, args.maxThreadblocks,
              "use at most so many threadblocks on a rank");
  line.flag("--aggregate", args.aggregate,
            "join adjacent operations between the same ranks, wherever that breaks no fusion");
  line.flag("--no-fuse", args.noFuse, "keep every receive and send apart");
  line.option("--fuse", "KINDS", args.fuse, "fuse these only: a list of rcs, rrcs, rrs");
  line.choice("--fused-ops", {"keep", "lower"}, args.fusedOps,
              "what becomes of receives that reduce or send as well in the end (default: keep; "
              "lower for rccl, which does not execute them)");
  line.group("Verification");
  line.flag("--verify-each", args.verifyEach, "check the result after every pass");
  line.flag("--no-verify", args.noVerify, "do not prove anything");
  line.group("Insight");
  line.flagOr("--explain", {"text", "json"}, args.explain,
              "say which instructions were fused, why the others were not, and what was weighed");
  args.dumps.addTo(line);
  line.option("--print-after", "STAGE", args.printAfter,
              "print text IR to stderr after 'trace', a pass, or 'all'");
  line.flag("--time-passes", args.timePasses, "print how long each pass took to stderr");
  std::optional<int> ended = line.parse(argc, argv);
  listing = list.chosen();
  listingTargets = targets.chosen();
  describing = describe.chosen();
  return ended;
}

std::optional<dsl::Declaration> Cclc::findProgram(const std::string &name) {
  if (isUserProgram(name))
    return loadUserProgram(name, resources.headers, diags);
  if (const dsl::Declaration *found = registry.find(name))
    return *found;
  std::vector<std::string> names;
  for (const dsl::Declaration &program : registry.all())
    names.push_back(program.name());
  diags.error({}, "unknown program '" + name + "'" + didYouMean(name, names) +
                      "; 'cclc list' shows the bundled ones, and a file of your own ends in .cpp");
  return std::nullopt;
}

ExitCode Cclc::describe() {
  std::optional<dsl::Declaration> program = findProgram(args.described);
  if (!program)
    return unusable();
  describeProgram(*program, args.json, llvm::outs());
  return ExitCode::Success;
}

LogicalResult Cclc::readFusion(CompileRequest &request) {
  if (args.noFuse && args.fuse)
    return diags.error({}, "--no-fuse and --fuse exclude each other");
  if (!args.noFuse && !args.fuse)
    return success();
  FusionOptions &fusion = request.fusion.emplace(FusionOptions::none());
  SmallVector<StringRef, 4> kinds;
  if (args.fuse)
    StringRef(*args.fuse).split(kinds, ',', -1, /*KeepEmpty=*/false);
  for (StringRef kind : kinds) {
    bool *on = kind == "rcs"    ? &fusion.rcs
               : kind == "rrcs" ? &fusion.rrcs
               : kind == "rrs"  ? &fusion.rrs
                                : nullptr;
    if (!on)
      return diags.error({}, "--fuse takes a list of rcs, rrcs and rrs, not '" + kind + "'");
    *on = true;
  }
  return success();
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

LogicalResult Cclc::readRequest(CompileRequest &request) {
  for (const std::string &text : args.parameters) {
    auto pair = parseKeyValue("-p", text, diags);
    if (!pair)
      return failure();
    request.parameters.push_back(*pair);
  }
  if (args.ranks)
    request.ranks = *args.ranks;
  if (args.instances)
    request.instances = *args.instances;
  if (args.layout)
    request.layout = *parseInstanceLayout(*args.layout);
  if (args.placement)
    request.placement = *parseRankPlacement(*args.placement);
  if (args.protocol)
    request.protocol = *parseProtocol(*args.protocol);
  if (args.slots) {
    request.slots = parseSlots(*args.slots, diags);
    if (!request.slots)
      return failure();
  } else if (emitForm() == "xml" && !args.target) {
    request.slots = Slots(mscclSlots(request.protocol));
  }
  if (!args.sets.empty() && !args.target)
    return diags.error({}, "--set needs --target: it replaces a value of the target");
  if (args.target) {
    request.target = TargetRequest{*args.target, resources.targets, {}, std::nullopt};
    if (failed(parseOverrides(args.sets, request.target->overrides, diags)))
      return failure();
  }
  if (args.golden && args.output)
    return diags.error({}, "--update-golden and -o exclude each other: there is one plan to write");
  if (args.golden && args.noVerify)
    return diags.error({}, "--update-golden and --no-verify exclude each other: a golden plan is "
                           "proved");
  if (args.golden == "-" || (args.golden && emitForm() == "mscclpp"))
    return diags.error({}, "--update-golden takes a file, in the form json, xml, text or bin");
  if (failed(args.dumps.check(diags)))
    return failure();
  if (args.dialect && emitForm() != "xml")
    return diags.error({}, "--xml-dialect needs --emit=xml");
  if (args.printAfter) {
    std::vector<std::string> stages = {"trace", "all"};
    PassRegistry passes; // those that a compilation may run
    registerTransforms(passes);
    registerSchedulers(passes);
    for (const PassEntry &pass : passes.all())
      stages.push_back(pass.name);
    if (!llvm::is_contained(stages, *args.printAfter))
      return diags.error({}, "--print-after: there is no stage '" + *args.printAfter + "'" +
                                 didYouMean(*args.printAfter, stages));
    request.passes.printAfterAll = args.printAfter == "all";
    request.passes.printAfter = *args.printAfter;
    request.passes.printTo = &llvm::errs();
    request.passes.print.locations = args.locations;
  }
  if (args.level)
    request.optimisation = args.level->front() - '0';
  if (args.goal)
    request.goal = *parseGoal(*args.goal);
  request.aggregate = args.aggregate;
  request.jobs = args.jobs.value_or(1);
  if (args.maxChannels)
    request.maxChannels = *args.maxChannels;
  if (args.maxThreadblocks)
    request.maxThreadblocks = *args.maxThreadblocks;
  if (emitForm() == "xml") {
    request.maxChannels =
        std::min(request.maxChannels.value_or(dialect().channels), dialect().channels);
    request.maxThreadblocks =
        std::min(request.maxThreadblocks.value_or(dialect().threadblocks), dialect().threadblocks);
    request.maxPerChannel = MscclDialect::perChannel;
  }
  request.lowerFused =
      args.fusedOps ? *args.fusedOps == "lower" : emitForm() == "xml" && !dialect().fusedOps;
  request.verify = !args.noVerify;
  request.passes.verifySemantics = args.verifyEach;
  request.passes.timePasses = args.timePasses;
  if (failed(readFusion(request)))
    return failure();
  return readSizes(request);
}

std::string Cclc::emitForm() const {
  if (args.emit)
    return *args.emit;
  const std::optional<std::string> &named = args.output ? args.output : args.golden;
  StringRef file = named ? StringRef(*named) : "-";
  return file.ends_with(".xml")   ? "xml"
         : file.ends_with(".ccl") ? "text"
         : file.ends_with(".bin") ? "bin"
                                  : "json";
}

/// Statistics or graphs alone are what was asked for.
bool Cclc::writesPlan() const {
  return args.output || args.emit || args.golden ||
         (args.stats.empty() && args.explain.empty() && !args.dumps.any());
}

/// Whether the runtime that the XML is for executes the plan.
LogicalResult Cclc::checkDialect(const Compiled &compiled) {
  const ProgramInfo &info = compiled.plan.info();
  if (failed(checkMscclLimits(compiled.plan, dialect(), diags)))
    return failure();
  uint32_t slots = mscclSlots(info.protocol);
  if (compiled.report && compiled.report->slotsNeeded.value_or(0) > slots)
    return diags.error({}, llvm::formatv("illegal for {0}: {1} slots needed, the limit is {2} with "
                                         "protocol {3}; compile with --slots {2}",
                                         dialect().name, *compiled.report->slotsNeeded, slots,
                                         protocolName(info.protocol)));
  if (!dialect().hasOutOfPlace && info.placements == Placements::both())
    diags.warning({},
                  llvm::formatv("{0} uses an algorithm in place or out of place, not both: this "
                                "file is for in place; compile another one with -p "
                                "buffers=out_of_place",
                                dialect().runtime));
  return success();
}

LogicalResult Cclc::writePlan(const ExecPlan &plan) {
  std::string form = emitForm();
  auto write = [&](raw_ostream &os) {
    if (form == "xml")
      writeMscclXml(plan, dialect(), os);
    else if (form == "text")
      print(os, plan, {.locations = args.locations, .dependences = false});
    else if (form == "bin")
      writePlanBin(plan, os);
    else if (form == "mscclpp")
      mscclpp::writeJson(*lowered, os);
    else
      writePlanJson(plan, os);
  };
  if (!args.golden)
    return writeFile(args.output.value_or("-"), write, diags);
  progress.clear();
  return updateGolden(*args.golden, plan, write, llvm::outs(), diags);
}

ExitCode Cclc::compileProgram() {
  CompileRequest request;
  if (failed(readRequest(request)))
    return unusable();
  std::optional<dsl::Declaration> program = findProgram(args.program);
  if (!program)
    return unusable();
  LogicalResult dumped = success();
  request.onChunkProgram = [&](const ChunkProgram &chunks) {
    dumped = args.dumps.write(chunks, diags);
  };
  request.onInstrProgram = [&](const InstrProgram &instrs) {
    if (succeeded(dumped))
      dumped = args.dumps.write(instrs, diags);
  };
  Remarks remarks;
  if (!args.explain.empty())
    request.remarks = &remarks;
  request.onStage = [&](StringRef stage) { progress.stage(program->name() + ": " + stage); };
  CompileOutcome outcome = compile(*program, request, diags);
  if (!outcome.compiled)
    return end(outcome.code);
  if (failed(dumped))
    return unusable();

  const Compiled &compiled = *outcome.compiled;
  if (writesPlan() && emitForm() == "xml" && failed(checkDialect(compiled)))
    return end(ExitCode::Wrong);
  if (writesPlan() && emitForm() == "mscclpp") {
    progress.stage("lower to MSCCL++");
    auto result = lowerToMscclpp(compiled.plan, request.verify, diags);
    if (const ExitCode *code = std::get_if<ExitCode>(&result))
      return end(*code);
    lowered = std::get<mscclpp::Plan>(std::move(result));
  }
  progress.stage("write");
  if (failed(args.dumps.write(compiled.plan, diags)) ||
      (writesPlan() && failed(writePlan(compiled.plan))))
    return unusable();
  progress.clear();
  bool planOnStdout = writesPlan() && !args.golden && args.output.value_or("-") == "-";
  raw_ostream &os = planOnStdout ? llvm::errs() : llvm::outs();
  if (args.stats == "json")
    writeStatsJson(compiled, os);
  else if (!args.stats.empty())
    printStats(compiled, os);
  if (args.explain == "json")
    writeExplanationJson(remarks, compiled.plan.info(), os);
  else if (!args.explain.empty())
    printExplanation(remarks, compiled.plan.info(), os);
  if (args.timePasses)
    printTimings(compiled, llvm::errs());
  return end(ExitCode::Success);
}

ExitCode Cclc::run() {
  if (listing) {
    printPrograms(registry, args.json, llvm::outs());
    return ExitCode::Success;
  }
  if (listingTargets) {
    printTargets(resources.targets, args.json, llvm::outs());
    return ExitCode::Success;
  }
  if (describing)
    return describe();
  if (args.program.empty()) {
    diags.error({}, "no PROGRAM is given; 'cclc list' shows the bundled ones");
    return unusable();
  }
  return compileProgram();
}
} // namespace

int cclc::cclcMain(int argc, char **argv) {
  return guarded("cclc", [&] {
    Cclc cclc(argv[0]);
    if (std::optional<int> code = cclc.parse(argc, argv))
      return static_cast<ExitCode>(*code);
    return cclc.run();
  });
}
