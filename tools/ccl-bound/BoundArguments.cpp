//===- BoundArguments.cpp - Options and their conflicts -------------------===//
//
// All texts of the command line are parsed and checked before a machine is loaded. A plan has
// ranks, endpoints and a root of its own, so it excludes the options that select them.
//
//===----------------------------------------------------------------------===//

#include "BoundArguments.h"

#include "cclc/IR/CollectiveNames.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Tools/Cli/CommandLine.h"
#include "cclc/Tools/Cli/Values.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

void BoundArguments::addTo(CommandLine &line) {
  line.positional("TARGET", target, "a bundled target or a target file", true);
  line.positional(
      "COLLECTIVE", collectiveText,
      "allreduce, allgather, reducescatter, alltoall, alltonext, broadcast, reduce, "
      "gather, scatter, sendrecv, scan or exscan; without it, print the peak of all but scans, by "
      "default at 1G",
      false);
  line.suggest("COLLECTIVE", collectiveNames());
  line.group("Ranks");
  line.number("--ranks", 1, 1 << 16, ranks,
              "set the number of ranks (default: all endpoints that the mapper selects)");
  line.option("--endpoints", "LIST", endpointList,
              "bound a group of endpoints, one for each rank in order: 0,2,8-15 or 0-56:8");
  line.choice("--mapper", {"all_pes", "cube_leaders", "leader_only"}, mapperText,
              "select the PEs that are ranks (default: all_pes)");
  line.number("--root", 0, (1 << 16) - 1, root,
              "set the root of broadcast, reduce, gather and scatter (default: 0)", "RANK");
  line.choice("--relay", {"any", "ranks"}, relay,
              "select what routes may pass: any endpoint, or only those of ranks (default: any)");
  line.group("Failures");
  line.choice("--without", {"link", "nic", "rank"}, without,
              "bound the collective without each link, NIC or rank, one row for those whose loss "
              "costs the same");
  line.group("Machine");
  line.settings(sets);
  line.option("--network", "NAME", network,
              "select the contention model: " + networkNames() + " (default: the target's)");
  addSizeOptions(line, sizeTexts);
  line.number("--time-limit", 1, 1'000'000, timeLimit,
              "end the search for bounds after this many seconds: the output says that it is "
              "partial, and what is printed are bounds",
              "SECONDS");
  line.group("Plan");
  line.option(
      "--plan", "FILE", plan,
      "simulate this plan and report the share of its largest bound; ranks, endpoints and root "
      "are those of the plan");
  line.group("Measurements");
  line.option("--measured", "FILE", measured,
              "print the shares of the peak and of the best flat ring that an output of nccl-tests "
              "or OSU reaches");
  line.group("Output");
  line.option("--json", "FILE", json, "write the bounds as JSON to FILE");
  line.messages(format);
}

LogicalResult BoundArguments::readCollective(DiagnosticEngine &diags) {
  if (collectiveText.empty()) {
    const std::pair<bool, const char *> ofCollective[] = {{plan.has_value(), "--plan"},
                                                          {root.has_value(), "--root"},
                                                          {without.has_value(), "--without"}};
    for (auto [given, option] : ofCollective)
      if (given)
        return diags.error({}, formatv("{0} needs a COLLECTIVE", option));
    if (!sizeTexts.areNamed())
      sizeTexts.bytes = {"1G"};
  } else if (collectiveText == collectiveName(CollectiveKind::Custom)) {
    if (!plan)
      return diags.error({}, "a custom collective is given by a plan: add --plan");
    kind = CollectiveKind::Custom;
  } else {
    FailureOr<CollectiveKind> parsed = parseCollective(collectiveText, diags);
    if (failed(parsed))
      return failure();
    kind = *parsed;
  }
  if (isPeak() && plan)
    return diags.error({}, "--measured and --plan exclude each other: the times of a plan are "
                           "simulated");
  if (isPeak() && root)
    return diags.error({}, "--measured and --root exclude each other: the root of benchmarks is 0");
  if (timeLimit && (isPeak() || without))
    return diags.error({}, "--time-limit applies to the bounds of one COLLECTIVE, without "
                           "--measured and --without");
  if (measured && without)
    return diags.error({}, "--measured and --without exclude each other: the whole machine was "
                           "measured");
  if (without && sizeTexts.areSeveral())
    return diags.error({}, "--without is for one size: replace the sweep by --bytes");
  if (isPeak() && sizeTexts.areSeveral())
    return diags.error({}, "the peak is that of one size: replace the sweep by --bytes");
  return success();
}

LogicalResult BoundArguments::read(const Resources &resources, DiagnosticEngine &diags) {
  if (failed(readCollective(diags)))
    return failure();
  const std::pair<bool, const char *> ofPlan[] = {{ranks.has_value(), "--ranks"},
                                                  {endpointList.has_value(), "--endpoints"},
                                                  {mapperText.has_value(), "--mapper"},
                                                  {root.has_value(), "--root"}};
  if (plan && without)
    return diags.error({}, "--without and --plan exclude each other: a plan is simulated with all "
                           "parts");
  if (plan && relay)
    return diags.error({}, "--relay and --plan exclude each other: messages of a plan take the "
                           "routes of the target");
  for (auto [given, option] : ofPlan)
    if (given && plan)
      return diags.error(
          {}, formatv("{0} and --plan exclude each other: the plan has its own", option));
  if (endpointList && (ranks || mapperText))
    return diags.error({}, formatv("--endpoints and {0} exclude each other: both select the ranks",
                                   ranks ? "--ranks" : "--mapper"));
  if (endpointList) {
    std::optional<std::vector<uint32_t>> list = parseNumbers("--endpoints", *endpointList, diags);
    if (!list)
      return failure();
    endpoints = std::move(*list);
  }
  if (mapperText)
    mapper = *parseMapper(*mapperText);
  if (root && !Collective(kind, 1, 1).isRooted())
    return diags.error({}, formatv("--root does not apply to {0}", collectiveName(kind).data()));
  NamedFiles files;
  files.target(target, resources.targets);
  files.input("--plan", plan);
  files.input("--measured", measured);
  files.output("--json", json);
  if (failed(files.check(diags)) || failed(parseOverrides(sets, overrides, diags)) ||
      (network && failed(checkNetwork(*network, diags))))
    return failure();
  return parseSizes(sizeTexts, sizes, diags);
}

BoundTableRequest BoundArguments::request(const Resources &resources) const {
  BoundTableRequest request;
  request.ranks = {{target, resources.targets, overrides, std::nullopt},
                   ranks,
                   endpoints,
                   mapper,
                   relay != "ranks"};
  request.collective = kind;
  request.root = root.value_or(0);
  request.network = network;
  request.sizes = sizes;
  if (timeLimit)
    request.deadline = Deadline::after(std::chrono::seconds(*timeLimit));
  return request;
}

PeakRequest BoundArguments::peakRequest(const Resources &resources) const {
  PeakRequest peak;
  peak.ranks = request(resources).ranks;
  if (!collectiveText.empty())
    peak.collective = kind;
  peak.network = network;
  peak.bytes = sizes.front();
  peak.measured = measured;
  return peak;
}
