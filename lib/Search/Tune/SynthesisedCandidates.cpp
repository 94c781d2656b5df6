//===- SynthesisedCandidates.cpp - Trees and paths as candidates ----------===//
//
// What cclc synth finds for the links between the ranks: packed for large buffers, and what is the
// first to arrive for small ones.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/CandidateSpace.h"

#include "ParameterValues.h"
#include "cclc/Search/Synth/PathAlgorithm.h"
#include "cclc/Search/Synth/TreeAlgorithm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// The numbers of trees per root that are packed, beside the number that cclc synth chooses. With
/// more ranks, packing takes longer than the rest of the search.
constexpr uint32_t mostTrees = 8, treesTried[] = {1, 2, 4, mostTrees};
constexpr std::optional<uint32_t> pathsTried[] = {std::nullopt, 2, 4};
constexpr uint32_t maxRanksOfTrees = 64;
/// The number of chunks that several trees of a root are divided into, with their chosen number. A
/// single tree gains as much by instances.
constexpr uint32_t chunksOfTree = 2;
/// The largest number of their transfers if more trees than necessary are divided.
constexpr size_t mostDivided = 2'048;
/// The rounds of an all-reduce that is tried with several: most transfers of all of them, also of a
/// plan that has variants, and their number. Few rounds gain nothing.
constexpr size_t mostRepeated = 524'288, mostOfVariants = 65'536, fewestRounds = 16,
                 mostRounds = 64;
/// Loads that differ by less are alike.
constexpr double equalLoads = 0.005;
/// The default of cclc synth --latency.
constexpr Bytes smallBuffer(1024);

std::vector<EndpointId> endpointsOf(const TuneProblem &problem) {
  return {problem.endpoints.begin(), problem.endpoints.end()};
}

/// The link bound in seconds per byte of the buffer, for the ranks in their order: trees have no
/// other.
double leastSecondsPerByteOf(const TuneProblem &problem) {
  constexpr Bytes buffer(uint64_t(1) << 40); // large, so that rounding does not matter
  return double(problem.bounds->link().time(buffer).picoseconds()) * 1e-12 / double(buffer.count());
}
} // namespace

/// Finds trees for the links between the ranks, as cclc synth does: packed ones for large buffers,
/// and those that are the first to arrive for small ones.
void CandidateSpace::addTrees(const TuneProblem &problem) {
  if (!synth::hasTrees(problem.collective) || problem.ranks() > maxRanksOfTrees ||
      !problem.hasLinkBound())
    return;
  synth::TransferGraph graph(problem.machine, endpointsOf(problem));
  synth::TreeRequest request{problem.collective, RankId(0), std::nullopt,
                             leastSecondsPerByteOf(problem)};
  synth::TreeSearch search(problem.machine, graph, request);
  std::vector<uint32_t> found;
  const std::string kind(collectiveName(problem.collective));
  const bool takesRounds = values->isGiven(dsl::ParamSpec(synth::roundsOfTrees));
  auto declare = [&](synth::TreeAlgorithm algorithm, const char *summary) {
    if (takesRounds)
      scheduleRounds(graph, algorithm);
    return std::make_unique<dsl::Declaration>(synth::declare(algorithm, kind + "_trees", summary));
  };
  // Of the trees with the least load, the fewest.
  struct Repeated {
    synth::TreeAlgorithm algorithm;
    size_t transfers, number;
  };
  std::optional<Repeated> repeated;
  auto add = [&](std::optional<uint32_t> count) {
    std::optional<synth::TreeAlgorithm> algorithm = search.find(count);
    if (!algorithm || llvm::is_contained(found, algorithm->treesPerRoot))
      return;
    found.push_back(algorithm->treesPerRoot);
    std::string source = formatv("synth {0} --trees {1}", kind, algorithm->treesPerRoot);
    const size_t transfers =
        (algorithm->fromRoot.size() + algorithm->toRoot.size()) * (problem.ranks() - 1);
    trees.push_back({declare(*algorithm, "Packed spanning trees."), source});
    const double load = algorithm->secondsPerByte;
    const bool isBetter = !repeated ||
                          load < repeated->algorithm.secondsPerByte * (1 - equalLoads) ||
                          (load < repeated->algorithm.secondsPerByte * (1 + equalLoads) &&
                           transfers < repeated->transfers);
    if (problem.collective == CollectiveKind::AllReduce && isBetter)
      repeated = {*algorithm, transfers, trees.size() - 1};
    if ((!count || (count == mostTrees && chunksOfTree * transfers <= mostDivided)) &&
        algorithm->treesPerRoot > 1)
      trees.push_back(
          {declare(synth::divideTrees(graph, *algorithm, chunksOfTree), "Divided spanning trees."),
           formatv("{0} --chunks {1}", source, chunksOfTree)});
  };
  add(std::nullopt);
  for (uint32_t count : treesTried)
    add(count);
  if (repeated && !takesRounds) {
    synth::TreeAlgorithm &algorithm = repeated->algorithm;
    scheduleRounds(graph, algorithm);
    trees[repeated->number].program = declare(algorithm, "Packed spanning trees.");
    addRounds(trees[repeated->number], repeated->transfers, algorithm.secondsPerByte);
  }
  for (Protocol protocol : open.protocols) {
    synth::MessageCosts costs = synth::MessageCosts::of(problem.machine, protocol);
    if (auto algorithm = synth::findTimedTrees(graph, request, costs, smallBuffer))
      trees.push_back({declare(*algorithm, "Spanning trees for small buffers."),
                       formatv("synth {0} --latency", kind), protocol});
  }
}

/// Adds the rounds of \p found, whose busiest link is occupied for \p secondsPerByte of the buffer.
void CandidateSpace::addRounds(const Trees &found, size_t transfers, double secondsPerByte) {
  const size_t most = transfers <= mostOfVariants / fewestRounds ? mostOfVariants : mostRepeated;
  const size_t rounds = std::min<size_t>(llvm::bit_floor(most / transfers), mostRounds);
  if (rounds < fewestRounds)
    return;
  const dsl::ParamSpec spec(synth::roundsOfTrees);
  const Candidate once = values->lowest({found.program.get(), found.source});
  for (Protocol protocol : open.protocols)
    if (protocol != Protocol::LL) { // which is none for large buffers
      saturatingPlans.push_back({once.with(spec, std::to_string(rounds)), secondsPerByte});
      saturatingPlans.back().candidate.variant.protocol = protocol;
    }
}

/// Finds paths for the links between the ranks, as cclc synth does: packed ones for large buffers,
/// and those that are the first to arrive for small ones.
void CandidateSpace::addPaths(const TuneProblem &problem) {
  if (!synth::hasPaths(problem.collective) || problem.ranks() > maxRanksOfTrees ||
      !problem.hasLinkBound())
    return;
  synth::TransferGraph graph(problem.machine, endpointsOf(problem));
  const std::string kind(collectiveName(problem.collective));
  for (synth::Transfers transfers : {synth::Transfers::All, synth::Transfers::Neighbours}) {
    std::vector<uint32_t> found;
    for (std::optional<uint32_t> count : pathsTried) {
      std::optional<synth::PathAlgorithm> algorithm = synth::findPaths(
          graph, {problem.collective, RankId(0), count, transfers, leastSecondsPerByteOf(problem)});
      if (!algorithm || llvm::is_contained(found, algorithm->chunksPerPair))
        continue;
      found.push_back(algorithm->chunksPerPair);
      bool toNeighbours = transfers == synth::Transfers::Neighbours;
      trees.push_back({std::make_unique<dsl::Declaration>(
                           synth::declare(*algorithm, kind + "_paths", "Packed paths.")),
                       formatv("synth {0} --trees {1}{2}", kind, found.back(),
                               toNeighbours ? " --neighbours" : ""),
                       {}});
    }
  }
  for (Protocol protocol : open.protocols) {
    synth::MessageCosts costs = synth::MessageCosts::of(problem.machine, protocol);
    synth::PathRequest request{problem.collective, RankId(0), std::nullopt, synth::Transfers::All,
                               leastSecondsPerByteOf(problem)};
    if (auto algorithm = synth::findTimedPaths(graph, request, costs, smallBuffer))
      trees.push_back({std::make_unique<dsl::Declaration>(
                           synth::declare(*algorithm, kind + "_paths", "Paths for small buffers.")),
                       formatv("synth {0} --latency", kind), protocol});
  }
}
