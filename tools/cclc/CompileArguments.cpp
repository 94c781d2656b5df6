//===- CompileArguments.cpp - Options of a compilation --------------------===//
//
// Declares the options by group, in the order of the help. Values are stored as texts, most of
// which Cclc.cpp parses.
//
//===----------------------------------------------------------------------===//

#include "CompileArguments.h"

#include "cclc/Compiler/Variant.h"
#include "cclc/Formats/Msccl/Dialect.h"
#include "cclc/Tools/Cli/Sizes.h"
#include "cclc/Tools/Cli/Values.h"

using namespace cclc;

void CompileArguments::addTraceTimeout(CommandLine &line) {
  line.number("--trace-timeout", 1, 1'000'000, traceSeconds,
              "limit the run time of the program's code (default: 60)", "SECONDS");
}

void CompileArguments::addTo(CommandLine &line) {
  line.positional("PROGRAM", program, "name, C++ or Python file, or shared object", false);
  addOptions(line, planFormatNames());
}

void CompileArguments::addOptions(CommandLine &line, std::vector<std::string> forms) {
  addAlgorithm(line);
  addOutput(line, std::move(forms));
  addOptimisation(line);
  addInsight(line);
}

void CompileArguments::addAlgorithm(CommandLine &line) {
  line.group("Algorithm");
  line.list("-p,--param", "KEY=VALUE", parameters, "set a parameter; see cclc describe");
  line.number("--ranks", 1, 1 << 16, ranks,
              "set the number of ranks (default: the target's, else the program's)");
  line.number("--instances", 1, 1024, instances,
              "run N copies of the algorithm, each on a share of every chunk");
  line.number("--threadblock-group", 1, maxSharing, sharing,
              "share the operations of each threadblock of MSCCL++ among N threadblocks (default: "
              "1; with -O3 the fastest)");
  line.choice("--instance-layout", {"blocked", "interleaved", "batched"}, layout,
              "choose the part of a buffer that each copy handles (default: blocked)");
  line.choice("--protocol", {"Simple", "LL", "LL128"}, protocol,
              "set the protocol of the plan (default: Simple; with -O3 the fastest)");
  line.option("--min-bytes", "SIZE", minBytes, "set the smallest buffer size of the plan");
  line.option("--max-bytes", "SIZE", maxBytes, "set the largest buffer size of the plan");
  line.number("--trace-limit", 1, 4'000'000'000, traceLimit,
              "limit the number of operations of the program (default: 100000000)", "OPS");
  addTraceTimeout(line);
  line.group("Machine");
  line.option("--target", "NAME|FILE", target, "compile for this machine");
  line.settings(sets);
  line.option("--endpoints", "LIST", endpoints,
              "compile for a group of endpoints, one for each rank in order: 0,2,8-15 or 0-56:8");
  line.choice("--placement", {"linear", "snake", "auto"}, placement,
              "map ranks to PEs, for programs that do not read the geometry (default: linear; with "
              "-O3 the fastest)");
  line.option("--slots", "N|inf", slots,
              "set the number of slots of a connection (default: the target's, else that of the "
              "XML's runtime, else 8)");
  line.option(
      "--slot-size", "SIZE", slotSize,
      "set the size of a slot, on a target whose slots plans choose (default: the target's)");
}

void CompileArguments::addOutput(CommandLine &line, std::vector<std::string> forms) {
  line.group("Output");
  line.option("-o,--output", "FILE", output, "write the plan to FILE (default: -, stdout)");
  line.choice("--emit", std::move(forms), emit,
              "choose the form of the plan (default: by the ending of FILE, else json)");
  line.choice("--rolled", {"auto", "on", "off"}, rolled,
              "write the plan of one rank for all ranks of a symmetric program (default: auto, for "
              "programs with over 2^24 operations)");
  line.messages(format);
  line.option(
      "--update-golden", "FILE", golden,
      "compare with the plan in FILE; if they differ, replace it and print the differences");
  line.choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, dialectName,
              "write XML for this runtime (default: msccl)");
  line.number("--world-size", 1, 1 << 16, worldSize,
              "set the world size of an algorithm module: the number of SIPs, or of ranks, each of "
              "which is then a PE (default: the number of SIPs)");
  line.flag("--print-locs", locations, "print source locations in text IR");
  line.flagOr("--stats", {"text", "json"}, stats, "print plan statistics");
}

void CompileArguments::addOptimisation(CommandLine &line) {
  line.group("Optimisation");
  line.choice("-O", {"0", "1", "2", "3"}, level,
              "set the optimisation level: 0 none, 1 fusion, 2 alternative schedules (default), 3 "
              "variants timed on the target, including protocols and placements");
  line.number("-j", 1, 1024, jobs,
              "use up to N threads, and evaluate N -O3 variants in parallel (default: 1)");
  line.choice("--optimize-for", {"balance", "path", "steps", "threadblocks"}, goal,
              "choose the goal of -O2 (default: balance)");
  line.renamed("--goal", "--optimize-for");
  line.number("--max-channels", 1, 1 << 16, maxChannels,
              "limit the number of channels to N (default: the target's limit, else 32)");
  line.number("--max-threadblocks", 1, 1 << 16, maxThreadblocks,
              "limit the number of threadblocks of a rank to N (default: the target's limit)");
  line.flag("--aggregate", aggregate,
            "join adjacent operations between the same ranks wherever that preserves fusions");
  line.flag("--no-fuse", noFuse, "disable fusion");
  line.option("--fuse", "KINDS", fuse, "enable only these fusions: a list of rcs, rrcs, rrs");
  line.choice(
      "--fused-ops", {"keep", "lower"}, fusedOps,
      "keep or split fused receives (default: keep; lower for rccl, which does not execute them)");
  line.group("Verification");
  line.flag("--verify-each", verifyEach, "check the program after every pass");
  line.flag("--no-verify", noVerify, "disable all proofs");
}

void CompileArguments::addInsight(CommandLine &line) {
  line.group("Insight");
  line.flagOr("--explain", {"text", "json"}, explain,
              "print the alternatives that were evaluated and the remarks of the passes");
  dumps.addTo(line);
  line.option("--print-after", "STAGE", printAfter,
              "print text IR to stderr after 'trace' or a pass");
  line.flag("--print-after-all", printAfterAll, "print text IR to stderr after every stage");
  line.flag("--time-passes", timePasses, "print time and memory of each stage to stderr");
}

const PlanFormat &CompileArguments::form() const {
  if (emit)
    return *findPlanFormat(*emit);
  return planFormatForFile(output.value_or(golden.value_or("-")));
}

const MscclDialect &CompileArguments::dialect() const {
  return *findMscclDialect(dialectName.value_or("msccl"));
}

bool CompileArguments::writesPlan() const {
  return output || emit || golden || (stats.empty() && explain.empty() && !dumps.any());
}

LogicalResult CompileArguments::readSlots(CompileRequest &request, DiagnosticEngine &diags) const {
  if (slots) {
    request.slots = parseSlots(*slots, diags);
    if (!request.slots)
      return failure();
  }
  if (!slotSize)
    return success();
  std::optional<uint64_t> size = parseSize("--slot-size", *slotSize, diags);
  if (!size)
    return failure();
  if (*size == 0)
    return diags.error({}, "--slot-size takes at least 1 byte");
  request.slotSize = Bytes(*size);
  return success();
}
