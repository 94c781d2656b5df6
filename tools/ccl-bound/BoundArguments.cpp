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
  line.positional("COLLECTIVE", collectiveText,
                  "allreduce, allgather, reducescatter, alltoall, alltonext, broadcast, reduce, "
                  "gather, scatter or sendrecv",
                  true);
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
  line.group("Machine");
  line.settings(sets);
  line.option("--network", "NAME", network,
              "select the contention model: " + networkNames() + " (default: the target's)");
  addSizeOptions(line, sizeTexts);
  line.group("Plan");
  line.option(
      "--plan", "FILE", plan,
      "simulate this plan and report the share of its largest bound; ranks, endpoints and root "
      "are those of the plan");
  line.group("Output");
  line.option("--json", "FILE", json, "write the bounds as JSON to FILE");
  line.messages(format);
}

LogicalResult BoundArguments::read(const Resources &resources, DiagnosticEngine &diags) {
  if (collectiveText == collectiveName(CollectiveKind::Custom)) {
    if (!plan)
      return diags.error({}, "a custom collective is given by a plan: add --plan");
    kind = CollectiveKind::Custom;
  } else {
    FailureOr<CollectiveKind> parsed = parseCollective(collectiveText, diags);
    if (failed(parsed))
      return failure();
    kind = *parsed;
  }
  const std::pair<bool, const char *> ofPlan[] = {{ranks.has_value(), "--ranks"},
                                                  {endpointList.has_value(), "--endpoints"},
                                                  {mapperText.has_value(), "--mapper"},
                                                  {root.has_value(), "--root"}};
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
  files.output("--json", json);
  if (failed(files.check(diags)) || failed(parseOverrides(sets, overrides, diags)) ||
      (network && failed(checkNetwork(*network, diags))))
    return failure();
  return parseSizes(sizeTexts, sizes, diags);
}

BoundTableRequest BoundArguments::request(const Resources &resources) const {
  BoundTableRequest request;
  request.ranks = {{target, resources.targets, overrides, std::nullopt}, ranks, endpoints, mapper};
  request.collective = kind;
  request.root = root.value_or(0);
  request.network = network;
  request.sizes = sizes;
  return request;
}
