//===- AhbmLower.cpp - Lowering a plan to an algorithm module -------------===//
//
// Finds the coordinates of each rank from the levels of the plan, the queue of each connection from
// its table of neighbours, and the tiles and sizes from its collective. Ranks with equal streams
// share one. Everything that the contract cannot express is rejected with the name of the feature.
//
//===----------------------------------------------------------------------===//

#include "AhbmStreams.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Limits/PlanCheck.h"
#include "cclc/Proof/Deadlock.h"
#include "cclc/Support/Text.h"
#include "cclc/Support/Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::kernbench;
using llvm::formatv;

/// The bytes of an element: kernels of AHBM compute in f16.
static constexpr uint64_t elementBytes = 2;
/// The elements of a tile in KernBench's configuration, if the plan has no largest size.
static constexpr uint64_t defaultElements = 8;

namespace {
class ModuleBuilder {
public:
  ModuleBuilder(const ExecPlan &plan, DiagnosticEngine &diags)
      : plan(plan), info(plan.info()), connections(plan), diags(diags) {}

  FailureOr<AlgorithmModule> run(std::optional<uint32_t> worldSize);

private:
  DiagnosticEngine::InFlight illegal(const llvm::Twine &what, Location loc = {}) {
    return diags.error(std::move(loc), "illegal for ahbm-module: " + what);
  }
  LogicalResult checkFeatures();
  LogicalResult findLevels();
  LogicalResult chooseRanks(std::optional<uint32_t> worldSize);
  LogicalResult findTiles();
  LogicalResult findQueues();
  LogicalResult findQueuesOf(RankId from, RankId to, ArrayRef<uint32_t> members);
  LogicalResult findStreams();

  const ExecPlan &plan;
  const ProgramInfo &info;
  ConnectionTable connections;
  DiagnosticEngine &diags;
  std::vector<Queue> queues; ///< by connection
  AlgorithmModule module;
  uint32_t pes = 1; ///< participating PEs of a cube
};
} // namespace

LogicalResult ModuleBuilder::checkFeatures() {
  if (failed(checkNoSwitches(plan, "ahbm-module", diags)))
    return failure();
  if (!info.calls.empty())
    return illegal(formatv("the plan has {0}, but a kernel is one call of a collective; compile "
                           "every call separately",
                           counted(info.calls.size(), "call")));
  if (info.protocol != Protocol::Simple)
    return illegal(formatv("protocol {0}: the queues of AHBM have no flags in their data; compile "
                           "with --protocol Simple",
                           protocolName(info.protocol)));
  if (!info.placements.allowsInPlace())
    return illegal("the plan is out of place, but a kernel gets one tensor; compile with "
                   "-p buffers=in_place");
  return success();
}

/// Levels are named sip, cube and pe, and the inner ones may be missing: their first members
/// participate.
LogicalResult ModuleBuilder::findLevels() {
  const auto &levels = info.geometry.levels;
  const char *names[] = {"sip", "cube", "pe"};
  bool named = !levels.empty() && levels.size() <= std::size(names);
  for (size_t i = 0; named && i < levels.size(); ++i)
    named = levels[i].name == names[i];
  if (!named || info.geometry.ranks() != plan.ranks() || !llvm::is_sorted(info.placementOnTarget))
    return illegal("the ranks are not arranged in SIPs, cubes and PEs; compile for a target of "
                   "family ahbm, with a rank on every participating PE and --placement=linear");
  module.sips = levels[0];
  module.cubes = levels.size() > 1 ? levels[1] : GridLevel{"cube"};
  pes = levels.size() > 2 ? levels[2].size() : 1;
  return success();
}

LogicalResult ModuleBuilder::chooseRanks(std::optional<uint32_t> worldSize) {
  uint32_t sips = module.sips.size();
  module.worldSize = worldSize.value_or(sips);
  module.overridesWorldSize = module.worldSize != sips;
  module.rankIs = module.overridesWorldSize ? RankIs::Pe : RankIs::Sip;
  if (module.overridesWorldSize && module.worldSize != plan.ranks())
    return illegal(formatv("the world size is {0}, but the plan has {1} (rank = SIP) and {2} "
                           "(rank = PE)",
                           module.worldSize, counted(sips, "SIP"),
                           counted(plan.ranks(), "participating PE")));
  return success();
}

LogicalResult ModuleBuilder::findTiles() {
  const Collective &collective = info.collective;
  module.chunks = collective.userChunks(RankId(0), Placement::InPlace);
  for (uint32_t r = 1; r < plan.ranks(); ++r)
    if (uint32_t chunks = collective.userChunks(RankId(r), Placement::InPlace);
        chunks != module.chunks)
      return illegal(formatv("the tiles have different sizes: {0} on r0 and {1} on r{2}; the "
                             "tensor of a kernel is divided equally",
                             counted(module.chunks, "chunk"), counted(chunks, "chunk"), r));
  uint64_t elements =
      info.maxBytes ? *info.maxBytes / elementBytes : defaultElements + module.chunks - 1;
  module.elements = std::max<uint64_t>(1, elements / module.chunks) * module.chunks;
  for (const Step &step : plan.steps())
    if (traits(step.op).communicates())
      module.largestMessage = std::max(module.largestMessage, step.count);
  return success();
}

/// The queues between two ranks: their connections, in the order of their channels, use the
/// directions of the table of neighbours in its order.
LogicalResult ModuleBuilder::findQueuesOf(RankId from, RankId to, ArrayRef<uint32_t> members) {
  std::vector<Direction> directions;
  for (const Neighbour &row : info.neighbours)
    if (row.rank == from && row.peer == to)
      directions.push_back(row.direction);
  const Threadblock &sender =
      plan.threadblocks()[connections.connections()[members.front()].senderTb];
  StepId step(sender.firstStep);
  while (!traits(plan.steps()[step.index()].op).sends)
    step = StepId(step.index() + 1);
  if (directions.empty())
    return illegal(formatv("{0} sends to r{1}, which is not a neighbour of r{2}: kernels address "
                           "a queue by its direction",
                           stepName(plan, step), to.index(), from.index()),
                   stepLocation(plan, step));
  if (members.size() > directions.size())
    return illegal(formatv("r{0} sends to r{1} on {2}, but has {3} in this direction ({4}); "
                           "compile with --max-channels {5}",
                           from.index(), to.index(), counted(members.size(), "channel"),
                           counted(directions.size(), "queue"), directionName(directions.front()),
                           directions.size()),
                   stepLocation(plan, step));
  for (size_t i = 0; i < members.size(); ++i) {
    Queue queue{directions[i], opposite(directions[i])};
    for (auto [rank, direction] :
         {std::pair(from, queue.atSender), std::pair(to, queue.atReceiver)}) {
      auto peers = llvm::count_if(info.neighbours, [&, rank = rank, at = direction](auto &row) {
        return row.rank == rank && row.direction == at;
      });
      if (peers > 1)
        return illegal(formatv("direction '{0}' of r{1} leads to {2} neighbours: kernels address "
                               "a queue by its direction",
                               directionName(direction), rank.index(), peers),
                       stepLocation(plan, step));
    }
    queues[members[i]] = queue;
  }
  return success();
}

LogicalResult ModuleBuilder::findQueues() {
  queues.assign(connections.size(), Queue{Direction::E, Direction::W});
  std::map<std::pair<RankId, RankId>, std::vector<uint32_t>> pairs;
  for (uint32_t c = 0; c < connections.size(); ++c) {
    const Threadblock &tb = plan.threadblocks()[connections.connections()[c].senderTb];
    pairs[{tb.rank, *tb.sendPeer}].push_back(c);
  }
  for (auto &[ranks, members] : pairs) {
    llvm::sort(members, [&](uint32_t a, uint32_t b) {
      auto channel = [&](uint32_t c) {
        return plan.threadblocks()[connections.connections()[c].senderTb].channel;
      };
      return channel(a) < channel(b);
    });
    if (failed(findQueuesOf(ranks.first, ranks.second, members)))
      return failure();
  }
  return success();
}

LogicalResult ModuleBuilder::findStreams() {
  const Slots slots = kernelSlots(plan, connections);
  module.slots = slots.limit();
  FailureOr<std::vector<Stream>> streams = makeStreams(plan, connections, queues, slots, diags);
  if (failed(streams))
    return failure();
  std::map<Stream, uint32_t> numbers;
  uint32_t cubes = module.cubes.size(), perSip = cubes * pes;
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    Stream &stream = (*streams)[r];
    auto [entry, isNew] = numbers.try_emplace(std::move(stream), uint32_t(numbers.size()));
    if (isNew)
      module.streams.push_back(entry->first);
    uint32_t tile = module.rankIs == RankIs::Sip ? r % perSip : 0;
    module.ranks.push_back({r / perSip, r % perSip / pes, r % pes, tile, entry->second});
  }
  return success();
}

FailureOr<AlgorithmModule> ModuleBuilder::run(std::optional<uint32_t> worldSize) {
  if (failed(checkFeatures()) || failed(findLevels()) || failed(chooseRanks(worldSize)) ||
      failed(findTiles()) || failed(findQueues()) || failed(findStreams()))
    return failure();
  module.name = info.name;
  module.collective = collectiveName(info.collective.kind());
  module.target = info.target.title();
  module.neighbours = info.neighbours;
  for (const Phase &phase : info.phases)
    module.phases.push_back(phase.name);
  return std::move(module);
}

FailureOr<AlgorithmModule> kernbench::lowerToModule(const ExecPlan &plan,
                                                    std::optional<uint32_t> worldSize,
                                                    DiagnosticEngine &diags) {
  return ModuleBuilder(plan, diags).run(worldSize);
}
