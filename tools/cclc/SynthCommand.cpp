//===- SynthCommand.cpp - cclc synth --------------------------------------===//
//
// The bound of the links comes from Bound, the trees from Synth: packed for large buffers, or grown
// in time for small ones. The program made of them is then compiled like a bundled one.
//
//===----------------------------------------------------------------------===//

#include "SynthCommand.h"

#include "cclc/Bound/LinkBound.h"
#include "cclc/Compiler/RankGroup.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
std::vector<std::string> collectivesWithTrees() {
  std::vector<std::string> names;
  for (unsigned i = 0; i <= unsigned(CollectiveKind::Custom); ++i)
    if (auto kind = static_cast<CollectiveKind>(i); synth::hasTrees(kind))
      names.emplace_back(collectiveName(kind));
  return names;
}
/// The bound on the time per byte of the buffer, in seconds.
double leastSecondsPerByteOf(CollectiveKind kind, RankId root, const RankGroup &group) {
  FlowGraph graph = FlowGraph::create(group.machine, group.endpoints);
  Collective collective(kind, group.endpoints.size(), 1, root);
  LinkBound bound = findLinkBound(graph, collective, &group.machine, group.endpoints);
  constexpr Bytes buffer(uint64_t(1) << 40); // large, so that rounding does not matter
  return double(bound.time(buffer).picoseconds()) * 1e-12 / double(buffer.count());
}
} // namespace

void SynthCommand::addTo(CommandLine &verb, CompileArguments &args) {
  verb.positional("COLLECTIVE", collectiveText,
                  "allreduce, allgather, reducescatter, broadcast or reduce", true);
  verb.number("--trees", 1, 64, trees,
              "set the number of trees per root (default: the fewest that load the busiest link "
              "within 1 % of the best found)");
  verb.flag("--latency", isSmall,
            "minimise the time of small buffers, of --max-bytes (default: 1K), instead of the load "
            "of the busiest link; the default of --trees is then 1");
  verb.number("--root", 0, 65535, root, "set the root of a broadcast or reduction (default: 0)");
  std::vector<std::string> forms = planFormatNames();
  forms.emplace_back("cpp");
  args.addOptions(verb, std::move(forms));
}

LogicalResult SynthCommand::begin(CompileArguments &args, DiagnosticEngine &diags) {
  std::vector<std::string> names = collectivesWithTrees();
  std::optional<CollectiveKind> kind = parseCollective(collectiveText);
  if (!kind || !synth::hasTrees(*kind))
    return diags.error({}, formatv("'{0}' is not a collective that cclc synth finds algorithms "
                                   "for{1}; these are {2}",
                                   collectiveText, didYouMean(collectiveText, names),
                                   llvm::join(names, ", ")));
  if (!args.target)
    return diags.error({}, "cclc synth requires --target to find an algorithm for its links");
  if (root && !Collective(*kind, /*ranks=*/1, /*chunks=*/1).isRooted())
    return diags.error({}, formatv("--root: {0} has no root", collectiveText));
  toSource = args.emit == "cpp";
  if (toSource)
    args.emit.reset();
  return success();
}

FailureOr<dsl::Declaration> SynthCommand::synthesise(CompileRequest &request,
                                                     DiagnosticEngine &diags) {
  CollectiveKind kind = *parseCollective(collectiveText);
  name = std::string(collectiveName(kind)) + "_trees";
  dsl::Declaration any(name);
  any.collective(kind).buffers(dsl::Buffers::Both, dsl::Buffers::InPlace);
  FailureOr<RankGroup> group = resolveRanks(any, request, diags);
  if (failed(group))
    return failure();
  const Machine &machine = group->machine;
  uint32_t ranks = group->endpoints.size();
  if (root.value_or(0) >= ranks)
    return diags.error({}, formatv("--root: {0} is not one of the {1} ranks", *root, ranks));
  synth::TreeRequest wanted{kind, RankId(root.value_or(0)), trees, 0};
  leastSecondsPerByte = leastSecondsPerByteOf(kind, wanted.root, *group);
  wanted.leastSecondsPerByte = leastSecondsPerByte;
  synth::TransferGraph graph(machine, group->endpoints);
  buffer = Bytes(request.maxBytes.value_or(1024));
  if (isSmall)
    algorithm = synth::findTimedTrees(
        graph, wanted,
        synth::MessageCosts::of(machine, request.protocol.value_or(Protocol::Simple)), buffer);
  else
    algorithm = synth::findTrees(graph, wanted);
  if (!algorithm && isSmall && graph.diameter())
    return diags.error({}, formatv("the queues of a PE of target {0} have too few peers for trees "
                                   "over the {1} ranks; connections may share queues "
                                   "(--multiplex-queues)",
                                   machine.name, ranks));
  if (!algorithm)
    return diags.error(
        {}, formatv("target {0} has no path between some of the {1} ranks", machine.name, ranks));
  request.ranks = ranks;
  if (isSmall)
    summary =
        formatv("Spanning trees for small buffers on {0}, {1} per root, of depth {2} or less.",
                machine.name, counted(algorithm->treesPerRoot, "tree"), algorithm->depth);
  else
    summary =
        formatv("Spanning trees for the links of {0}, {1} per root, of depth {2} or less. The "
                "busiest link takes {3:f4} times the lower bound of the collective.",
                machine.name, counted(algorithm->treesPerRoot, "tree"), algorithm->depth,
                algorithm->secondsPerByte / leastSecondsPerByte);
  return synth::declare(*algorithm, name, summary);
}

void SynthCommand::writeSource(raw_ostream &os) const {
  synth::writeSource(*algorithm, name, summary, os);
}

void SynthCommand::printSummary(raw_ostream &os) const {
  os << formatv("{0}: {1}, {2} per root, depth {3}\n", name, counted(algorithm->ranks, "rank"),
                counted(algorithm->treesPerRoot, "tree"), algorithm->depth);
  if (algorithm->estimate)
    os << formatv("estimated time of {0} bytes, without launch: {1:f3} us\n", buffer.count(),
                  double(algorithm->estimate->picoseconds()) / 1e6);
  os << formatv("busiest link: {0:f2} GB/s of the buffer, {1:f4} times the bound of {2:f2} GB/s\n",
                1e-9 / algorithm->secondsPerByte, algorithm->secondsPerByte / leastSecondsPerByte,
                1e-9 / leastSecondsPerByte);
}
