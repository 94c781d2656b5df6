//===- PlacedPlan.cpp - Ranks, routes and pieces --------------------------===//
//
// Binds a plan to a machine once for all sizes (placement, routes, credits), and a size to
// the bound plan (elements of a chunk, pieces, transmissions).
//
// Implements rules 4 to 7, P1 and P2.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/PlacedPlan.h"

#include "cclc/Limits/PlanReads.h"
#include "cclc/Sim/SizeVerifier.h"
#include "cclc/Target/EqualRoutes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

LogicalResult PlacedPlan::placeRanks(DiagnosticEngine &diags) {
  const std::vector<uint32_t> &placed = plan.info().placementOnTarget;
  std::vector<bool> taken(machine.numEndpoints());
  for (uint32_t endpoint : placed) {
    if (endpoint >= machine.numEndpoints()) {
      if (plan.info().target.name == machine.name)
        return diags.error({}, formatv("the plan places a rank on endpoint {0}, but target {1} "
                                       "has {2}",
                                       endpoint, machine.name, machine.numEndpoints()));
      // The plan was placed on a larger machine.
      diags.warning({}, formatv("the plan places a rank on endpoint {0} of target {1}, but target "
                                "{2} has only {3}: its ranks run on the first {4}",
                                endpoint, plan.info().target.name, machine.name,
                                machine.numEndpoints(), plan.ranks()));
      break;
    }
    if (taken[endpoint])
      return diags.error({}, formatv("the plan places two ranks on endpoint {0}", endpoint));
    taken[endpoint] = true;
    endpointOf.push_back(EndpointId(endpoint));
  }
  if (endpointOf.size() < plan.ranks()) {
    endpointOf.clear();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      endpointOf.push_back(EndpointId(r));
  }
  return success();
}

FailureOr<PlacedPlan> PlacedPlan::create(const ExecPlan &plan, const Machine &machine, Slots slots,
                                         DiagnosticEngine &diags, const Routing *routing) {
  const Routing &routes = routing ? *routing : machine.routes();
  if (plan.ranks() > machine.numEndpoints())
    return diags.error({}, formatv("the plan has {0} ranks, but target {1} has room for {2}",
                                   plan.ranks(), machine.name, machine.numEndpoints()));
  PlacedPlan result(plan, machine, slots);
  if (std::optional<uint64_t> chosen = plan.info().slotBytes; chosen && !machine.hasSlotsOfPlans())
    diags.warning({},
                  formatv("the plan chooses slots of {0} bytes, but target {1} fixes their size: "
                          "{2}",
                          *chosen, machine.name,
                          result.slotSize == Bytes()
                              ? "it is not limited"
                              : formatv("{0} bytes", result.slotSize.count()).str()));
  if (!result.protocol && machine.hasProtocols())
    return diags.error({}, formatv("target {0} has no protocol {1}, which the plan uses",
                                   machine.name, protocolName(plan.info().protocol)));
  if (result.protocol && machine.queue.reads != OneSidedReads::Off)
    return diags.error({},
                       formatv("target {0} has 'protocols', whose messages are always sent, but "
                               "'{1}.one_sided_reads' is not off",
                               machine.name, machine.queueKey));
  if (failed(result.placeRanks(diags)))
    return failure();
  if (plan.hasWaits())
    result.publishers = findPublishers(plan);

  SmallVector<LinkId, 64> route;
  for (uint32_t r = 0; machine.memory.loadStore && r < plan.ranks(); ++r) {
    route.clear();
    EndpointId endpoint = result.endpointOf[r];
    machine.routeToMemory(endpoint, endpoint, route);
    for (LinkId link : route)
      if (!machine.link(link).present || !machine.link(*machine.link(link).reverse).present)
        return diags.error({},
                           formatv("target {0} has no path from rank {1} to its memory and back",
                                   machine.name, r));
  }
  for (const Connection &connection : result.connections.connections()) {
    RankId src = plan.threadblocks()[connection.senderTb].rank;
    RankId dst = plan.threadblocks()[connection.receiverTb].rank;
    route.clear();
    routes.routeOnChannel(machine, result.endpointOf[src.index()], result.endpointOf[dst.index()],
                          plan.threadblocks()[connection.senderTb].channel, route);
    if (route.empty()) {
      size_t off = llvm::count_if(machine.links(), [](const Link &link) { return !link.present; });
      return diags.error(
          {}, formatv("target {0} has no path from rank {1} to rank {2}{3}", machine.name,
                      src.index(), dst.index(),
                      off ? formatv(" ({0} {1} off)", off, off == 1 ? "link is" : "links are").str()
                          : ""));
    }
    const Route &way = result.routes.add(route);
    PlacedConnection placed{connection.senderTb, connection.receiverTb,
                            way.latency + transferTime(machine.queue.creditSize, way.bottleneck),
                            0};
    for (const Step &step : plan.steps(plan.threadblocks()[connection.receiverTb]))
      placed.messages += traits(step.op).receives;
    result.placedConnections.push_back(placed);
  }
  FailureOr<SwitchRoutes> switchRoutes =
      SwitchRoutes::create(plan, machine, result.endpointOf, result.routes, diags);
  if (failed(switchRoutes))
    return failure();
  result.switchRoutes = std::move(*switchRoutes);
  result.addRouteChoices(routes);
  if (plan.usesSwitches() && hasReads(plan, machine.queue.reads))
    return diags.error({}, formatv("target {0} fetches messages with one-sided reads, which the "
                                   "operations of switches do not support: add --set "
                                   "queue.one_sided_reads=off",
                                   machine.name));
  if (plan.usesSwitches() && result.routes.hasChoices())
    return diags.error({}, formatv("target {0} selects a route for every message, which the "
                                   "operations of switches do not support",
                                   machine.name));
  return result;
}

void PlacedPlan::addRouteChoices(const Routing &routing) {
  for (uint32_t c = 0; c < placedConnections.size(); ++c) {
    const Threadblock &sender = plan.threadblocks()[placedConnections[c].senderTb];
    RankId dst = plan.threadblocks()[placedConnections[c].receiverTb].rank;
    std::vector<Path> paths = routing.alternatives(machine, endpointOf[sender.rank.index()],
                                                   endpointOf[dst.index()], sender.channel);
    if (!paths.empty())
      routes.addChoice(c, paths);
  }
}

void cclc::warnOfEqualRoutes(const PlacedPlan &placed, DiagnosticEngine &diags) {
  if (auto text = equalRoutesText(placed.machine, placed.endpointOf, placed.plan))
    diags.warning({}, *text);
}

/// What a slot must hold at least: an element of each of \p chunks.
static std::string elementsText(uint32_t chunks, DataType type) {
  std::string text = formatv("one {0} element", dataTypeName(type));
  if (chunks > 1)
    text += formatv(" of each of {0} chunks, and the plan deadlocks if its steps are split further",
                    chunks);
  return text;
}

FailureOr<Sizing> Sizing::create(const PlacedPlan &placed, Bytes requested, DataType type,
                                 DiagnosticEngine &diags) {
  uint64_t chunks = chunksOfBuffer(placed.plan.info().collective);
  Sizing sizing;
  sizing.requested = requested;
  sizing.type = type;
  uint64_t elements = ceilDiv(requested.count(), sizeOf(type));
  sizing.chunkElements = chunks ? ceilDiv(elements, chunks) : elements;
  if (sizing.chunkElements == 0)
    return diags.error({}, "the buffer has 0 bytes");
  sizing.pieceElements = sizing.chunkElements;
  if (const ProtocolModel *protocol = placed.protocol) {
    uint64_t fits = placed.slotSize.count() / sizeOf(type);
    if (fits == 0)
      return diags.error({}, formatv("a slot of {0} bytes cannot hold one {1} element",
                                     placed.slotSize.count(), dataTypeName(type)));
    sizing.pieceElements = std::min(sizing.pieceElements, fits);
    sizing.chunksPerTransmission =
        std::clamp<uint64_t>(fits / sizing.chunkElements, 1, protocol->maxChunks);
  } else if (uint64_t slot = placed.slotSize.count()) {
    uint64_t fits = slot / sizeOf(type);
    uint64_t whole = std::clamp<uint64_t>(fits / sizing.chunkElements, 1, placed.maxCount);
    uint32_t together = fewestSafeChunks(placed, whole);
    if (fits < together)
      return diags.error(
          {}, formatv("a slot of {0} bytes cannot hold {1}", slot, elementsText(together, type)));
    sizing.pieceElements = std::min(sizing.pieceElements, fits / together);
    sizing.chunksPerTransmission = together;
  }
  uint64_t pieces = ceilDiv(sizing.chunkElements, sizing.pieceElements);
  if (pieces >= ~uint32_t(0))
    return diags.error({}, formatv("{0} pieces per chunk exceed the limit", pieces));
  sizing.pieces = pieces;
  return sizing;
}

Executions Sizing::numberExecutions(const PlacedPlan &placed) const {
  const ExecPlan &plan = placed.plan;
  OneSidedReads reads = placed.machine.queue.reads;
  if (!placed.protocol && transmissions(placed.maxCount) <= 1 && !hasReads(plan, reads))
    return Executions(plan.steps().size());
  Executions result;
  for (const Threadblock &tb : plan.threadblocks()) {
    bool isRead = fetchesMessages(plan, tb, reads);
    for (const Step &step : plan.steps(tb)) {
      // A request is a further part.
      uint32_t requests = isRead && traits(step.op).receives ? transmissions(step.count) : 0;
      result.append(parts(placed.protocol, step) + requests);
    }
  }
  return result;
}
