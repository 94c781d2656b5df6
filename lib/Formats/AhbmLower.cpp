//===- AhbmLower.cpp - Lowering a plan to an algorithm module -------------===//
//
// Finds the coordinates of each rank from its endpoint and the levels of the machine, and the tiles
// and sizes from the collective of the plan. Ranks with equal streams share one. Everything that
// the contract cannot express is rejected with the name of the feature.
//
//===----------------------------------------------------------------------===//

#include "AhbmStreams.h"

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
  ModuleBuilder(const ExecPlan &plan, const Machine *machine, DiagnosticEngine &diags)
      : plan(plan), info(plan.info()), machine(machine), connections(plan), diags(diags) {}

  FailureOr<AlgorithmModule> run(std::optional<uint32_t> worldSize);

private:
  DiagnosticEngine::InFlight illegal(const llvm::Twine &what) {
    return kernbench::illegal(diags, what);
  }
  LogicalResult checkFeatures();
  LogicalResult findPlaces();
  LogicalResult chooseRanks(std::optional<uint32_t> worldSize);
  LogicalResult findTiles();
  LogicalResult findSlots();
  LogicalResult findStreams();

  const ExecPlan &plan;
  const ProgramInfo &info;
  const Machine *machine;
  ConnectionTable connections;
  DiagnosticEngine &diags;
  AlgorithmModule module;
  std::vector<uint32_t> tiles; ///< the ranks of each SIP
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

/// The coordinates of the ranks, in the levels of the machine.
LogicalResult ModuleBuilder::findPlaces() {
  const char *names[] = {"sip", "cube", "pe"};
  auto isNamed = [](const GridLevel &level, StringRef name) { return level.name == name; };
  if (!machine || !llvm::equal(machine->geometry().levels, names, isNamed))
    return illegal("the plan has no places in SIPs, cubes and PEs; compile for a target of family "
                   "ahbm (--target ahbm)");
  const std::vector<GridLevel> &levels = machine->geometry().levels;
  const uint32_t pes = levels[2].size(), perSip = levels[1].size() * pes;
  std::vector<bool> taken(machine->numEndpoints());
  tiles.assign(levels[0].size(), 0);
  bool inFirstCube = true;
  for (uint32_t r = 0; r < plan.ranks(); ++r) {
    uint32_t at = info.placementOnTarget.empty() ? r : info.placementOnTarget[r];
    if (at >= taken.size() || taken[at])
      return illegal(formatv("r{0} is at endpoint {1}, which {2}", r, at,
                             at < taken.size() ? "another rank has" : "the target has not"));
    taken[at] = true;
    uint32_t sip = at / perSip, cube = at % perSip / pes;
    module.ranks.push_back({sip, cube, at % pes, tiles[sip]++, 0});
    inFirstCube &= cube == 0;
  }
  module.sips = levels[0];
  module.cubes = inFirstCube ? GridLevel{"cube"} : levels[1];
  return success();
}

LogicalResult ModuleBuilder::chooseRanks(std::optional<uint32_t> worldSize) {
  const uint32_t sips = tiles.size();
  const bool areEqual = llvm::all_equal(tiles);
  module.worldSize = worldSize.value_or(areEqual ? sips : plan.ranks());
  if (areEqual && module.worldSize == sips)
    return success();
  module.rankIs = RankIs::Pe;
  for (Participant &place : module.ranks)
    place.tile = 0;
  if (module.worldSize == plan.ranks())
    return success();
  if (module.worldSize == sips)
    return illegal(formatv("the world size is {0} (rank = SIP), but the SIPs have from {1} to {2} "
                           "ranks; compile with --world-size {3} (rank = PE)",
                           sips, *llvm::min_element(tiles), *llvm::max_element(tiles),
                           plan.ranks()));
  return illegal(formatv("the world size is {0}, but the plan has {1} (rank = SIP) and {2} "
                         "(rank = PE)",
                         module.worldSize, counted(sips, "SIP"),
                         counted(plan.ranks(), "participating PE")));
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
  return success();
}

/// Slots that the plan chooses, or that hold the largest message.
LogicalResult ModuleBuilder::findSlots() {
  uint32_t count = 1;
  for (const Step &step : plan.steps())
    if (traits(step.op).communicates())
      count = std::max(count, step.count);
  const uint64_t message = module.elements / module.chunks * count * elementBytes;
  module.slotSize = info.slotBytes.value_or(0); // zero: a slot holds any message
  if (module.slotSize == 0)
    module.slotSize = message;
  if (message <= module.slotSize)
    return success();
  const uint64_t fits = module.slotSize / (elementBytes * count) * module.chunks * elementBytes;
  return illegal(formatv("messages of up to {0} bytes for tiles of {1} bytes do not fit in slots "
                         "of {2}; compile with --slot-size {0}{3}",
                         message, module.elements * elementBytes, counted(module.slotSize, "byte"),
                         fits ? formatv(" or --max-bytes {0}", fits).str() : ""));
}

LogicalResult ModuleBuilder::findStreams() {
  const Slots slots = kernelSlots(plan, connections);
  module.slots = slots.limit();
  FailureOr<Queues> queues = findQueues(plan, *machine, connections, diags);
  if (failed(queues))
    return failure();
  FailureOr<std::vector<Stream>> streams =
      makeStreams(plan, connections, queues->ofConnection, slots, diags);
  if (failed(streams))
    return failure();
  module.queues = std::move(queues->ends);
  std::map<Stream, uint32_t> numbers;
  for (auto [place, stream] : llvm::zip_equal(module.ranks, *streams)) {
    auto [entry, isNew] = numbers.try_emplace(std::move(stream), uint32_t(numbers.size()));
    if (isNew)
      module.streams.push_back(entry->first);
    place.stream = entry->second;
  }
  return success();
}

FailureOr<AlgorithmModule> ModuleBuilder::run(std::optional<uint32_t> worldSize) {
  if (failed(checkFeatures()) || failed(findPlaces()) || failed(chooseRanks(worldSize)) ||
      failed(findTiles()) || failed(findSlots()) || failed(findStreams()))
    return failure();
  module.name = info.name;
  module.collective = collectiveName(info.collective.kind());
  module.target = info.target.title();
  for (const Phase &phase : info.phases)
    module.phases.push_back(phase.name);
  return std::move(module);
}

FailureOr<AlgorithmModule> kernbench::lowerToModule(const ExecPlan &plan, const Machine *machine,
                                                    std::optional<uint32_t> worldSize,
                                                    DiagnosticEngine &diags) {
  return ModuleBuilder(plan, machine, diags).run(worldSize);
}
