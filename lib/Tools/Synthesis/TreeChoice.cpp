//===- TreeChoice.cpp - The number of trees of cclc synth -----------------===//
//
// A rank executes its steps once for every piece of a chunk, and each time the links far from the
// roots are idle until the first chunks arrive. With more chunks per root this costs a smaller part
// of the time, sums are added in more orders, and more connections are used at once. But small
// buffers take longer: there are more messages, and slots may be full all around a ring of ranks,
// so that only one message at a time moves on. Trees on channels of their own do not wait for those
// of others, and transfers that take turns do not keep links from more urgent ones. The load of the
// links does not show any of this, so all numbers are simulated with a part of a large buffer, and
// the best ones with all of it.
//
//===----------------------------------------------------------------------===//

#include "TreeChoice.h"

#include "cclc/Sim/Engine.h"
#include "cclc/Sim/Network/Network.h"
#include "cclc/Sim/PlacedPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace cclc;

namespace {
constexpr uint64_t smallBuffer = 1 << 10, largeBuffer = 256 << 20;
/// How much longer small buffers may take than with the fewest trees, as a ratio.
constexpr int64_t slowerNumerator = 11, slowerDenominator = 10;
/// The largest numbers of trees and chunks per root, and of transfers of all trees. More trees
/// take longer to find.
constexpr uint32_t mostTrees = 8, mostChunksOfTrees = 32;
constexpr uint64_t mostTransfers = 16'384;
/// The number of executions of steps above which a smaller buffer is simulated instead.
constexpr uint64_t maxExecutions = 1'000'000;
/// All plans are simulated with this part of the large buffer.
constexpr uint64_t partOfBuffer = 4;
/// The number of plans that are simulated with all of it.
constexpr size_t numBest = 16;
/// A plan with more channels, or whose transfers do not take turns, has to be faster by this part,
/// in percent.
constexpr int64_t worthwhile = 1;

class Chooser {
public:
  Chooser(const Machine &machine, const synth::TransferGraph &graph,
          const CompileRequest &compilation)
      : machine(machine), graph(graph), request(compilation) {
    request.optimisation = std::min(request.optimisation, 2u);
    request.verify = false;
    request.remarks = nullptr;
    large = request.maxBytes.value_or(largeBuffer);
  }

  /// Simulates the fewest trees, with which all others are compared. Fails if they cannot be.
  bool begin(const synth::TreeAlgorithm &trees);
  /// Considers trees on the channels that the compiler chooses and on several, whose transfers take
  /// turns or not.
  void consider(synth::TreeAlgorithm trees);
  /// The best trees of all.
  std::optional<TreeChoice> take();

private:
  struct Candidate {
    synth::TreeAlgorithm trees;
    SimTime time;  ///< of a part of the large buffer, then of all of it
    size_t number; ///< in the order in which they were considered
  };

  bool chooses(StringRef parameter) const;
  uint32_t mostChannels(const synth::TreeAlgorithm &trees) const;
  void considerOne(const synth::TreeAlgorithm &trees);
  template <class Fn> bool withPlan(const synth::TreeAlgorithm &trees, Fn fn) const;
  std::optional<SimTime> timeOf(const PlacedPlan &plan, uint64_t bytes) const;

  const Machine &machine;
  const synth::TransferGraph &graph;
  CompileRequest request;
  uint64_t large;          ///< the large buffer; the same for all plans
  SimTime longest, fewest; ///< of the small buffer; of the large one with the fewest trees
  std::vector<Candidate> candidates;
};

/// Calls \p fn with the plan of \p trees, if there is one.
template <class Fn> bool Chooser::withPlan(const synth::TreeAlgorithm &trees, Fn fn) const {
  DiagnosticEngine refused;
  FailureOr<Compiled> compiled = compile(declare(trees, "trees", ""), request, refused);
  if (failed(compiled))
    return false;
  const ExecPlan &plan = compiled->plan;
  FailureOr<PlacedPlan> placed = PlacedPlan::create(
      plan, machine, request.slots.value_or(machine.slotsFor(plan.info())), refused);
  return succeeded(placed) && fn(*placed);
}

std::optional<SimTime> Chooser::timeOf(const PlacedPlan &plan, uint64_t bytes) const {
  DiagnosticEngine refused;
  FailureOr<Sizing> sizing = Sizing::create(plan, Bytes(bytes), DataType::F32, refused);
  if (failed(sizing) || sizing->executions(plan) > 2 * maxExecutions)
    return std::nullopt;
  std::unique_ptr<NetworkModel> network = createNetwork(machine.network, plan.routes);
  SimResult result = simulate(plan, *sizing, *network);
  return result.completed ? std::optional(result.time) : std::nullopt;
}

bool Chooser::begin(const synth::TreeAlgorithm &trees) {
  return withPlan(trees, [&](const PlacedPlan &plan) {
    DiagnosticEngine refused;
    for (; large > smallBuffer; large /= 2) {
      FailureOr<Sizing> sizing = Sizing::create(plan, Bytes(large), DataType::F32, refused);
      if (succeeded(sizing) && sizing->executions(plan) <= maxExecutions)
        break;
    }
    std::optional<SimTime> small = timeOf(plan, smallBuffer), most = timeOf(plan, large);
    if (!small || !most)
      return false;
    longest = SimTime(small->picoseconds() * slowerNumerator / slowerDenominator);
    fewest = *most;
    return true;
  });
}

/// Whether the user has left \p parameter open.
bool Chooser::chooses(StringRef parameter) const {
  return llvm::none_of(request.parameters,
                       [&](const auto &given) { return given.first == parameter; });
}

/// The largest number of channels that the machine has for the trees.
uint32_t Chooser::mostChannels(const synth::TreeAlgorithm &trees) const {
  const bool isTwofold = trees.collective == CollectiveKind::AllReduce && !trees.sharesChannels;
  const uint32_t each = request.instances.value_or(1) * (isTwofold ? 2 : 1);
  return std::min(uint32_t(synth::channelsOfTrees.max),
                  machine.limits.channels.value_or(UINT32_MAX) / each);
}

void Chooser::considerOne(const synth::TreeAlgorithm &trees) {
  withPlan(trees, [&](const PlacedPlan &plan) {
    std::optional<SimTime> small = timeOf(plan, smallBuffer);
    if (!small || *small > longest)
      return false;
    std::optional<SimTime> time = timeOf(plan, std::max(large / partOfBuffer, smallBuffer));
    if (time)
      candidates.push_back({trees, *time, candidates.size()});
    return time.has_value();
  });
}

void Chooser::consider(synth::TreeAlgorithm trees) {
  synth::scheduleRounds(graph, trees);
  const uint32_t most = chooses(synth::channelsOfTrees.name) ? mostChannels(trees) : 1;
  for (bool ordered : {true, false}) {
    if (ordered && !chooses(synth::takesTurns.name))
      continue;
    trees.ordered = ordered;
    for (trees.channels = 1; trees.channels <= most; trees.channels *= 2)
      considerOne(trees);
  }
}

std::optional<TreeChoice> Chooser::take() {
  if (candidates.empty())
    return std::nullopt;
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tuple(a.time, a.number) < std::tuple(b.time, b.number);
  });
  candidates.resize(std::min(candidates.size(), numBest));
  for (Candidate &each : candidates)
    if (!withPlan(each.trees, [&](const PlacedPlan &plan) {
          std::optional<SimTime> time = timeOf(plan, large);
          each.time = time.value_or(SimTime::max());
          return time.has_value();
        }))
      each.time = SimTime::max();
  llvm::sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tuple(a.trees.channels, !a.trees.ordered, a.time, a.number) <
           std::tuple(b.trees.channels, !b.trees.ordered, b.time, b.number);
  });
  const Candidate *best = &candidates.front();
  for (const Candidate &each : candidates)
    if (each.time * 100 < best->time * (100 - worthwhile))
      best = &each;
  TreeChoice::Known known{{}, best->trees.ordered, Bytes(large), best->time, fewest};
  if (chooses(synth::channelsOfTrees.name))
    known.channels = best->trees.channels;
  return TreeChoice{best->trees, known};
}
} // namespace

TreeChoice cclc::chooseTrees(const synth::TreeAlgorithm &fewest, synth::TreeSearch &search,
                             const synth::TransferGraph &graph, const Machine &machine,
                             const CompileRequest &compilation) {
  Chooser chooser(machine, graph, compilation);
  if (!chooser.begin(fewest))
    return {fewest, {}};
  chooser.consider(fewest);
  const uint32_t before = fewest.treesPerRoot;
  const uint64_t all = fewest.fromRoot.size() + fewest.toRoot.size();
  for (uint32_t times : {2u, 4u, 8u}) {
    if (before * times > mostChunksOfTrees || all * times * (graph.ranks() - 1) > mostTransfers)
      break;
    chooser.consider(divideTrees(graph, fewest, times));
    if (before * times > mostTrees)
      continue;
    if (std::optional<synth::TreeAlgorithm> more = search.find(before * times))
      chooser.consider(std::move(*more));
  }
  return chooser.take().value_or(TreeChoice{fewest, {}});
}
