//===- SimArguments.cpp - Options of ccl-sim ------------------------------===//
//
// Declares the options by group, in the order of the help, and checks their combinations. Values
// are stored as texts, which CclSim.cpp parses.
//
//===----------------------------------------------------------------------===//

#include "SimArguments.h"

#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Tools/Cli/CommandLine.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

void SimArguments::addTo(CommandLine &line) {
  line.positionals("FILE", files,
                   "plan; several of MSCCL++ or with --lint, none with --dma and --plan");
  addRun(line);
  addVerification(line);
  addOutput(line);
}

void SimArguments::addRun(CommandLine &line) {
  line.group("Machine");
  line.option("--target", "NAME|FILE", target,
              "simulate this machine (default: the target of the plan)");
  line.settings(sets);
  line.option("--slots", "N|inf", slots,
              "set the number of slots of a connection (default: the target's)");
  line.option("--network", "NAME", network,
              "select the contention model: " + networkNames() + " (default: the target's)");
  line.list("--skew", "RANK=VALUE", skew,
            "delay the start of a rank (SECONDS) or slow its engines (xFACTOR); "
            "random=SECONDS[:SEED] delays all ranks");
  line.group("Message");
  addSizeOptions(line, sizes);
  line.choice("--dtype", dataTypeNames(), dtype, "set the element type (default: f32)");
  line.choice("--op", reduceOpNames(), op, "set the reduction operator (default: sum)");
  line.number("--repeat", 1, 1 << 20, repeat,
              "run the plan N times back to back and report the average time");
  line.choice("--rolled", {"auto", "on", "off"}, rolled,
              "simulate few ranks of a rolled plan in place of all (default: auto, for plans with "
              "over 2^24 steps whose times are equal)");
  line.number("-j", 1, 1024, jobs, "simulate N sizes in parallel (default: 1)");
  line.group("Several plans");
  line.list("--plan", "FILE@START_SECONDS[:FIRST_RANK]", plans,
            "simulate several plans at once, each from its start on, with its ranks FIRST_RANK "
            "endpoints further on; --bytes is given once, or once for each plan");
  line.group("Memory");
  line.option(
      "--dma", "REQUESTS", dma,
      "time memory requests of --bytes each instead of a plan: PE<-PE reads, PE->PE writes the "
      "memory of the second PE; ',' separates concurrent requests, ';' consecutive ones");
}

void SimArguments::addVerification(CommandLine &line) {
  line.group("Verification");
  line.flag("--check-data", checkData, "execute with real data and compare the result");
  line.number("--seed", 0, ~uint64_t(0), seed, "use random data; implies --check-data");
  line.option("--schedule", "random:SEED", schedule,
              "delay events at random to explore other interleavings");
  line.flag("--verify-only", verifyOnly, "prove the plan without running it; no target required");
  line.flag(
      "--lint", lint,
      "check XML files, and those in folders, against the MSCCL runtimes, or plans of MSCCL++ as a "
      "set");
  line.choice("--xml-dialect", {"msccl", "rccl", "msccl-executor"}, dialect,
              "restrict --lint to this runtime (default: all)");
  line.option("--why", "RANK:BUFFER:INDEX", why,
              "print the provenance of a cell, such as 3:o:2, without running the plan");
}

void SimArguments::addOutput(CommandLine &line) {
  line.group("Output");
  line.flag("--critical-path", criticalPath, "report the critical path, step by step");
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
  line.option("--json", "FILE", json, "write all results as JSON");
  line.option("--sarif", "FILE", sarif, "write the findings of --lint as SARIF");
  line.messages(format);
  line.option("--dump-target", "FILE", dumpTarget,
              "write the resolved target, after --set, with every key");
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

LogicalResult SimArguments::checkCombinations(DiagnosticEngine &diags) const {
  const std::pair<bool, const char *> ofOneSize[] = {{goal.has_value(), "--emit-goal"},
                                                     {chakra.has_value(), "--emit-chakra"},
                                                     {trace.has_value(), "--trace"}};
  for (auto [given, name] : ofOneSize)
    if (given && sizes.areSeveral())
      return diags.error({}, std::string(name) + " writes a single size: select it with --bytes");
  if (chakra == "-")
    return diags.error({}, "--emit-chakra writes one file per rank, PREFIX.RANK.et, and cannot "
                           "write to standard output");
  if (sarif && !lint)
    return diags.error({}, "--sarif requires --lint");
  if (report && (verifyOnly || lint || dma || why))
    return diags.error(
        {},
        "--report requires a run of a plan; it excludes --verify-only, --why, --lint and --dma");
  if (advise && schedule)
    return diags.error({}, "--advise excludes --schedule, whose times are meaningless");
  if (bounds && noBounds)
    return diags.error({}, "--bounds and --no-bounds exclude each other");
  if (const char *option = optionOfRanks(); option && rolled == "on")
    return diags.error({}, formatv("--rolled=on simulates few ranks and excludes {0}", option));
  if (baseline && !report)
    return diags.error({}, "--baseline requires --report");
  if (measured && !report)
    return diags.error({}, "--measured requires --report");
  return success();
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

const char *SimArguments::optionOfRanks() const {
  const std::pair<bool, const char *> options[] = {{checkData, "--check-data"},
                                                   {json.has_value(), "--json"},
                                                   {report.has_value(), "--report"},
                                                   {trace.has_value(), "--trace"},
                                                   {goal.has_value(), "--emit-goal"},
                                                   {chakra.has_value(), "--emit-chakra"},
                                                   {dumpTarget.has_value(), "--dump-target"},
                                                   {why.has_value(), "--why"},
                                                   {schedule.has_value(), "--schedule"},
                                                   {!skew.empty(), "--skew"},
                                                   {criticalPath, "--critical-path"},
                                                   {whatIf, "--what-if"},
                                                   {advise, "--advise"},
                                                   {bounds, "--bounds"},
                                                   {verifyOnly, "--verify-only"}};
  for (auto [given, name] : options)
    if (given)
      return name;
  return nullptr;
}
