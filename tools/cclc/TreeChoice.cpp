//===- TreeChoice.cpp - The number of trees of cclc synth -----------------===//
//
// A rank executes its steps once for every piece of a chunk, and each time the links far from the
// roots are idle until the first chunks arrive. With more chunks per root this costs a smaller part
// of the time, sums are added in more orders, and more connections are used at once. But small
// buffers take longer: there are more messages, and slots may be full all around a ring of ranks,
// so that only one message at a time moves on. The load of the links does not show any of this.
// So the plans of some numbers are simulated.
//
//===----------------------------------------------------------------------===//

#include "TreeChoice.h"

#include "cclc/Network/Network.h"
#include "cclc/Sim/BoundPlan.h"
#include "cclc/Sim/Engine.h"

#include <array>

using namespace cclc;

namespace {
constexpr uint64_t smallBuffer = 1 << 10, largeBuffer = 256 << 20;
/// How much longer small buffers may take than with the fewest trees, as a ratio.
constexpr int64_t slowerNumerator = 11, slowerDenominator = 10;
/// The largest number of chunks per root, and of transfers of all trees.
constexpr uint32_t mostChunks = 8;
constexpr uint64_t mostTransfers = 16'384;
/// The number of executions of steps above which a smaller buffer is simulated instead.
constexpr uint64_t maxExecutions = 1'000'000;

struct Times {
  SimTime small, large;
};

class Chooser {
public:
  Chooser(const Machine &machine, const CompileRequest &compilation)
      : machine(machine), request(compilation) {
    request.optimisation = std::min(request.optimisation, 2u);
    request.verify = false;
    request.remarks = nullptr;
    large = request.maxBytes.value_or(largeBuffer);
  }

  void consider(synth::TreeAlgorithm algorithm);
  synth::TreeAlgorithm take() { return std::move(*best); }

private:
  std::optional<Times> timesOf(const synth::TreeAlgorithm &algorithm);
  std::optional<SimTime> timeOf(const BoundPlan &plan, uint64_t bytes) const;

  const Machine &machine;
  CompileRequest request;
  uint64_t large; ///< the large buffer; the same for all plans
  std::optional<synth::TreeAlgorithm> best;
  std::optional<Times> first, least;
};

std::optional<SimTime> Chooser::timeOf(const BoundPlan &plan, uint64_t bytes) const {
  DiagnosticEngine refused;
  FailureOr<Sizing> sizing = Sizing::create(plan, Bytes(bytes), DataType::F32, refused);
  if (failed(sizing) || sizing->executions(plan) > 2 * maxExecutions)
    return std::nullopt;
  std::unique_ptr<NetworkModel> network = createNetwork(machine.network, plan.routes);
  SimResult result = simulate(plan, *sizing, *network);
  return result.completed ? std::optional(result.time) : std::nullopt;
}

std::optional<Times> Chooser::timesOf(const synth::TreeAlgorithm &algorithm) {
  DiagnosticEngine refused;
  CompileOutcome outcome = compile(declare(algorithm, "trees", ""), request, refused);
  if (!outcome.compiled)
    return std::nullopt;
  const ExecPlan &plan = outcome.compiled->plan;
  FailureOr<BoundPlan> bound = BoundPlan::create(
      plan, machine, request.slots.value_or(machine.slotsFor(plan.info())), refused);
  if (failed(bound))
    return std::nullopt;
  if (!first)
    for (; large > smallBuffer; large /= 2) {
      FailureOr<Sizing> sizing = Sizing::create(*bound, Bytes(large), DataType::F32, refused);
      if (succeeded(sizing) && sizing->executions(*bound) <= maxExecutions)
        break;
    }
  std::optional<SimTime> small = timeOf(*bound, smallBuffer), most = timeOf(*bound, large);
  return small && most ? std::optional(Times{*small, *most}) : std::nullopt;
}

/// The first of all is the one with the fewest trees.
void Chooser::consider(synth::TreeAlgorithm algorithm) {
  std::optional<Times> times;
  if (!best || first)
    times = timesOf(algorithm);
  if (!best) {
    best = std::move(algorithm);
    first = least = times;
    return;
  }
  if (!times || times->large >= least->large ||
      times->small * slowerDenominator > first->small * slowerNumerator)
    return;
  least = times;
  best = std::move(algorithm);
}
} // namespace

synth::TreeAlgorithm cclc::chooseTrees(const synth::TreeAlgorithm &fewest,
                                       synth::TreeRequest request,
                                       const synth::TransferGraph &graph, const Machine &machine,
                                       const CompileRequest &compilation) {
  Chooser chooser(machine, compilation);
  chooser.consider(fewest);
  const uint32_t before = fewest.treesPerRoot;
  const uint64_t all = fewest.fromRoot.size() + fewest.toRoot.size();
  for (uint32_t times : {2u, 4u, 8u}) {
    if (before * times > mostChunks || all * times * (graph.ranks() - 1) > mostTransfers)
      break;
    chooser.consider(divideTrees(graph, fewest, times));
    request.trees = before * times;
    if (std::optional<synth::TreeAlgorithm> more = findTrees(machine, graph, request))
      chooser.consider(std::move(*more));
  }
  return chooser.take();
}
