//===- Synthesis.cpp - Algorithms for the links of a machine --------------===//
//
// The bound of the links comes from Bound, the trees from Synth: packed for large buffers, or grown
// in time for small ones. The program made of them is then compiled like a bundled one.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/Synthesis/Synthesis.h"

#include "TreeChoice.h"
#include "cclc/Bound/LinkBound.h"
#include "cclc/Compiler/RankGroup.h"
#include "cclc/Support/MemoryBudget.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
bool hasAlgorithm(CollectiveKind kind) { return synth::hasTrees(kind) || synth::hasPaths(kind); }
std::vector<std::string> possibleCollectives() {
  std::vector<std::string> names;
  for (unsigned i = 0; i <= unsigned(CollectiveKind::Custom); ++i)
    if (auto kind = static_cast<CollectiveKind>(i); hasAlgorithm(kind))
      names.emplace_back(collectiveName(kind));
  return names;
}
synth::MessageCosts messageCosts(const Machine &machine, const CompileRequest &request) {
  return synth::MessageCosts::of(machine, request.protocol.value_or(Protocol::Simple));
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

LogicalResult Synthesis::check(const CompileRequest &compilation, DiagnosticEngine &diags) const {
  std::vector<std::string> names = possibleCollectives();
  std::optional<CollectiveKind> kind = parseCollective(how.collective);
  if (!kind || !hasAlgorithm(*kind))
    return diags.error({}, formatv("'{0}' is not a collective that cclc synth finds algorithms "
                                   "for{1}; these are {2}",
                                   how.collective, didYouMean(how.collective, names),
                                   llvm::join(names, ", ")));
  if (!compilation.target)
    return diags.error({}, "cclc synth requires --target to find an algorithm for its links");
  if (how.isSmall && how.toNeighbours)
    return diags.error({}, "--neighbours: paths for small buffers take any transfers");
  if (how.chunks && (how.isSmall || !synth::hasTrees(*kind)))
    return diags.error(
        {}, how.isSmall
                ? std::string("--chunks: trees for small buffers have one chunk")
                : formatv("--chunks: cclc synth has no trees for {0}", how.collective).str());
  if (how.toNeighbours && !synth::hasPaths(*kind))
    return diags.error({},
                       formatv("--neighbours: cclc synth has no paths for {0}", how.collective));
  if (how.root && !Collective(*kind, /*ranks=*/1, /*chunks=*/1).isRooted())
    return diags.error({}, formatv("--root: {0} has no root", how.collective));
  return success();
}

FailureOr<dsl::Declaration> Synthesis::find(CompileRequest &request, DiagnosticEngine &diags) {
  if (failed(check(request, diags)))
    return failure();
  CollectiveKind kind = *parseCollective(how.collective);
  name = std::string(collectiveName(kind)) + (synth::hasTrees(kind) ? "_trees" : "_paths");
  dsl::Declaration any(name);
  any.collective(kind).buffers(dsl::Buffers::Both, kind == CollectiveKind::AllToAll
                                                       ? dsl::Buffers::OutOfPlace
                                                       : dsl::Buffers::InPlace);
  if (synth::hasTrees(kind))
    any.param(synth::channelsOfTrees);
  if (synth::hasTrees(kind) && !how.isSmall)
    any.param(synth::takesTurns);
  if (kind == CollectiveKind::AllReduce && !how.isSmall)
    any.param(synth::roundsOfTrees);
  FailureOr<RankGroup> group = resolveRanks(any, request, diags);
  if (failed(group))
    return failure();
  uint32_t ranks = group->endpoints.size();
  if (how.root.value_or(0) >= ranks)
    return diags.error({}, formatv("--root: {0} is not one of the {1} ranks", *how.root, ranks));
  leastSecondsPerByte = leastSecondsPerByteOf(kind, RankId(how.root.value_or(0)), *group);
  request.ranks = ranks;
  buffer = Bytes(request.maxBytes.value_or(1024));
  return synth::hasTrees(kind) ? findTrees(*group, request, diags)
                               : findPaths(*group, request, diags);
}

LogicalResult Synthesis::reportNoPath(const RankGroup &group, DiagnosticEngine &diags) const {
  return diags.error({}, formatv("target {0} has no path between some of the {1} ranks",
                                 group.machine.name, group.endpoints.size()));
}

LogicalResult Synthesis::reportFewPeers(const RankGroup &group, StringRef algorithm,
                                        DiagnosticEngine &diags) const {
  return diags.error({}, formatv("the queues of a PE of target {0} have too few peers for {1} the "
                                 "{2} ranks; connections may share queues (--multiplex-queues)",
                                 group.machine.name, algorithm, group.endpoints.size()));
}

FailureOr<dsl::Declaration> Synthesis::findTrees(const RankGroup &group,
                                                 const CompileRequest &request,
                                                 DiagnosticEngine &diags) {
  const Machine &machine = group.machine;
  synth::TreeRequest wanted{*parseCollective(how.collective), RankId(how.root.value_or(0)),
                            how.trees, leastSecondsPerByte};
  synth::TransferGraph graph(machine, group.endpoints);
  synth::TreeSearch search(machine, graph, wanted);
  if (how.isSmall)
    trees = synth::findTimedTrees(graph, wanted, messageCosts(machine, request), buffer);
  else
    trees = search.find(how.trees);
  if (trees && how.chunks)
    trees = synth::divideTrees(graph, *trees, *how.chunks);
  if (trees)
    synth::scheduleRounds(graph, *trees);
  if (trees && !how.isSmall && !how.trees && !how.chunks)
    choose(search, graph, machine, request);
  if (!trees && how.isSmall && graph.diameter())
    return reportFewPeers(group, "trees over", diags);
  if (!trees)
    return reportNoPath(group, diags);
  if (how.isSmall)
    summary = formatv("Spanning trees for small buffers on {0}, {1}, of depth {2} or less.",
                      machine.name, treesText(), trees->depth);
  else
    summary =
        formatv("Spanning trees for the links of {0}, {1}, of depth {2} or less. The "
                "busiest link{3} takes {4:f4} times the lower bound of the collective.",
                machine.name, treesText(), trees->depth, trees->loadsStreams ? " or stream" : "",
                trees->secondsPerByte / leastSecondsPerByte);
  return synth::declare(*trees, name, summary);
}

void Synthesis::choose(synth::TreeSearch &search, const synth::TransferGraph &graph,
                       const Machine &machine, const CompileRequest &request) {
  TreeChoice made = chooseTrees(*trees, search, graph, machine, request);
  trees = std::move(made.trees);
  if (!made.known)
    return;
  const TreeChoice::Known &known = *made.known;
  choice =
      formatv("chosen: --trees {0} --chunks {1}{2}{3}; {4} takes {5:f1} us, and {6:f1} us with "
              "the fewest trees\n",
              trees->treesPerRoot / trees->chunksPerTree, trees->chunksPerTree,
              known.channels ? formatv(" -p channels={0}", *known.channels).str() : "",
              known.ordered ? " -p ordered=yes" : "", sizeText(known.buffer),
              double(known.chosen.picoseconds()) / 1e6, double(known.fewest.picoseconds()) / 1e6);
}

FailureOr<dsl::Declaration> Synthesis::findPaths(const RankGroup &group,
                                                 const CompileRequest &request,
                                                 DiagnosticEngine &diags) {
  synth::PathRequest wanted{
      *parseCollective(how.collective), RankId(how.root.value_or(0)), how.trees,
      how.toNeighbours ? synth::Transfers::Neighbours : synth::Transfers::All, leastSecondsPerByte};
  synth::TransferGraph graph(group.machine, group.endpoints);
  if (how.isSmall)
    paths = synth::findTimedPaths(graph, wanted, messageCosts(group.machine, request), buffer);
  else
    paths = synth::findPaths(graph, wanted);
  if (!paths && how.isSmall && graph.diameter())
    return reportFewPeers(group, "paths between", diags);
  if (!paths)
    return reportNoPath(group, diags);
  std::string found = formatv("{0} per pair of ranks, of {1} or fewer", paths->chunksPerPair,
                              counted(paths->depth, "transfer"));
  if (how.isSmall)
    summary = formatv("Paths for small buffers on {0}, {1}.", group.machine.name, found);
  else
    summary = formatv("Paths for the links of {0}, {1}. The busiest link takes {2:f4} times the "
                      "lower bound of the collective.",
                      group.machine.name, found, paths->secondsPerByte / leastSecondsPerByte);
  return synth::declare(*paths, name, summary);
}

/// "1 tree per root", "2 trees per root, 4 chunks each".
std::string Synthesis::treesText() const {
  std::string text = counted(trees->treesPerRoot / trees->chunksPerTree, "tree") + " per root";
  if (trees->chunksPerTree > 1)
    text += formatv(", {0} chunks each", trees->chunksPerTree);
  return text;
}

void Synthesis::writeSource(raw_ostream &os) const {
  if (trees)
    synth::writeSource(*trees, name, summary, os);
  else
    synth::writeSource(*paths, name, summary, os);
}

void Synthesis::printSummary(raw_ostream &os) const {
  double busiest = trees ? trees->secondsPerByte : paths->secondsPerByte;
  if (trees)
    os << formatv("{0}: {1}, {2}, depth {3}\n", name, counted(trees->ranks, "rank"), treesText(),
                  trees->depth);
  else
    os << formatv("{0}: {1}, {2} per pair of ranks, of {3} or fewer\n", name,
                  counted(paths->ranks, "rank"), counted(paths->chunksPerPair, "path"),
                  counted(paths->depth, "transfer"));
  if (std::optional<SimTime> estimate = trees ? trees->estimate : paths->estimate)
    os << formatv("estimated time of {0} bytes, without launch: {1:f3} us\n", buffer.count(),
                  double(estimate->picoseconds()) / 1e6);
  os << formatv(
      "busiest link{0}: {1:f2} GB/s of the buffer, {2:f4} times the bound of {3:f2} GB/s\n",
      trees && trees->loadsStreams ? " or stream" : "", 1e-9 / busiest,
      busiest / leastSecondsPerByte, 1e-9 / leastSecondsPerByte);
  os << choice;
}
