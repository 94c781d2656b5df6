//===- FoldedPlan.cpp - Few ranks that stand for all ----------------------===//
//
// The conditions are sufficient, and checked on the machine of all ranks: every route is compared
// with that of rank 0, and every link is used once at most. Engines without a duration are not
// shared, because nothing waits for them. A protocol divides the steps of a threadblock, which
// shares nothing for that.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/FoldedPlan.h"

#include "GateKeeper.h"

#include "cclc/Limits/PlanReads.h"
#include "cclc/Target/Routing.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;

/// What the threadblocks of a PE share, and wait for; empty if there is nothing. With a protocol,
/// each computes and copies by itself.
static std::string sharedPart(const Machine &machine, bool hasProtocol) {
  constexpr Bytes large(uint64_t(1) << 30);
  const std::pair<bool, const char *> parts[] = {
      {machine.pe.streams.has_value(), "streams"},
      {machine.processors.has_value(), "processors"},
      {!hasProtocol && machine.pe.math.duration(large) > SimTime(), "the engine for reductions"},
      {!hasProtocol && machine.pe.copy.duration(large) > SimTime(), "the engine for copies"},
      {!machine.pe.dmaRate.isUnlimited(), "the DMA engine"},
      {machine.queue.write.duration(large) > SimTime(), "the port for writes to slots"},
      {machine.queue.read.duration(large) > SimTime(), "the port for reads of slots"},
      {machine.directionQueues.areLimited(), "queues"},
      {machine.memory.loadStore, "the channels to memory"}};
  for (auto [shared, name] : parts)
    if (shared)
      return name;
  return "";
}

namespace {
/// The values of the links of a route.
using LinkValues = SmallVector<std::pair<Bandwidth, SimTime>, 8>;

/// A route for each connection of the folded plan.
class FoldedRouting final : public Routing {
public:
  void add(RankId src, RankId dst, ChannelId channel, ArrayRef<LinkId> links) {
    paths[{src, dst}].emplace(channel, Path(links.begin(), links.end()));
  }
  void route(const Machine &, EndpointId src, EndpointId dst,
             SmallVectorImpl<LinkId> &links) const override {
    if (auto found = paths.find(ends(src, dst)); found != paths.end())
      links.append(found->second.begin()->second);
  }
  void routeOnChannel(const Machine &, EndpointId src, EndpointId dst, ChannelId channel,
                      SmallVectorImpl<LinkId> &links) const override {
    links.append(paths.at(ends(src, dst)).at(channel));
  }

private:
  static std::pair<RankId, RankId> ends(EndpointId src, EndpointId dst) {
    return {RankId(src.index()), RankId(dst.index())};
  }
  std::map<std::pair<RankId, RankId>, std::map<ChannelId, Path>> paths;
};
} // namespace

/// Sets the links of all ranks, and compares their values with those of rank 0.
std::string FoldedPlan::findRouteFault(const Machine &machine, bool contends) {
  std::vector<bool> used(machine.links().size());
  SmallVector<LinkId, 64> route;
  std::vector<LinkValues> ofFirst;
  const std::vector<uint32_t> &placement = plan.info.placementOnTarget;
  auto endpoint = [&](uint32_t rank) {
    return EndpointId(placement.empty() ? rank : placement[rank]);
  };
  for (uint32_t r = 0; r < plan.info.ranks(); ++r) {
    size_t number = 0;
    for (const RolledPlan::Threadblock &tb : plan.threadblocks) {
      if (!tb.send)
        continue;
      EndpointId from = endpoint(r), to = endpoint(plan.group.rotateRank(r, *tb.send));
      if (!machine.routes().alternatives(machine, from, to, tb.channel).empty())
        return "messages choose between several routes";
      route.clear();
      machine.routes().routeOnChannel(machine, from, to, tb.channel, route);
      if (route.empty())
        return formatv("rank {0} has no path to rank {1}", r, plan.group.rotateRank(r, *tb.send));
      LinkValues values;
      for (LinkId link : route) {
        if (contends && used[link.index()])
          return formatv("two connections use link {0}", machine.linkName(link));
        used[link.index()] = true;
        values.emplace_back(machine.link(link).bandwidth, machine.latency(machine.link(link)));
      }
      links.insert(links.end(), route.begin(), route.end());
      if (r == 0) {
        ofFirst.push_back(std::move(values));
        ends.push_back(links.size());
      } else if (values != ofFirst[number]) {
        return formatv("rank {0} of {1} has another route to its peer than rank 0", r,
                       plan.info.ranks());
      }
      ++number;
    }
  }
  return "";
}

std::string FoldedPlan::findFault(const Machine &machine, StringRef network) {
  if (!llvm::StringSwitch<bool>(network).Cases("cut-through", "fifo", "ideal", true).Default(false))
    return "network " + network.str() + " is not one of cut-through, fifo and ideal";
  if (hasReads(folded, machine.queue.reads))
    return "messages are read by their receivers";
  if (GateKeeper(folded).hasGates())
    return "the plan has phases with gates";
  if (std::string part = sharedPart(machine, machine.find(plan.info.protocol)); !part.empty())
    return "the threadblocks of a rank share " + part;
  if (machine.numEndpoints() < plan.info.ranks())
    return formatv("target {0} has {1} endpoints for {2} ranks", machine.name,
                   machine.numEndpoints(), plan.info.ranks());
  for (uint32_t endpoint : plan.info.placementOnTarget)
    if (endpoint >= machine.numEndpoints())
      return "the plan is placed on a larger machine";
  return findRouteFault(machine, network != "ideal");
}

FailureOr<std::unique_ptr<const FoldedPlan>>
FoldedPlan::create(const RolledPlan &plan, ExecPlan folded, const Machine &machine,
                   StringRef network, Slots slots, std::string &fault, DiagnosticEngine &diags) {
  std::unique_ptr<FoldedPlan> made(new FoldedPlan(plan, std::move(folded)));
  fault = made->findFault(machine, network);
  if (!fault.empty())
    return std::unique_ptr<const FoldedPlan>();
  FoldedRouting routing;
  const FoldedRanks ranks = foldedRanks(plan);
  size_t ofRank = made->links.size() / plan.info.ranks();
  for (uint32_t r = 0; r < ranks.ranks(); ++r) {
    size_t begin = 0, number = 0;
    for (const RolledPlan::Threadblock &tb : plan.threadblocks) {
      if (!tb.send)
        continue;
      size_t end = made->ends[number++];
      routing.add(RankId(r), ranks.at(RankId(r), *tb.send), tb.channel,
                  ArrayRef(made->links).slice(r * ofRank + begin, end - begin));
      begin = end;
    }
  }
  FailureOr<PlacedPlan> placed = PlacedPlan::create(made->folded, machine, slots, diags, &routing);
  if (failed(placed))
    return failure();
  made->onMachine.emplace(std::move(*placed));
  return std::unique_ptr<const FoldedPlan>(std::move(made));
}

FailureOr<Sizing> FoldedPlan::sizing(Bytes requested, DataType type,
                                     DiagnosticEngine &diags) const {
  uint64_t chunks = std::max<uint64_t>(chunksOfBuffer(plan.info.collective), 1);
  uint64_t elements = ceilDiv(ceilDiv(requested.count(), sizeOf(type)), chunks);
  uint64_t foldedChunks = std::max<uint64_t>(chunksOfBuffer(folded.info().collective), 1);
  FailureOr<Sizing> sizing =
      Sizing::create(placed(), Bytes(elements * foldedChunks * sizeOf(type)), type, diags);
  if (succeeded(sizing))
    sizing->requested = requested;
  return sizing;
}

SizeResult FoldedPlan::ofAllRanks(SizeResult row) const {
  uint64_t ranks = plan.info.ranks(), few = folded.ranks();
  row.messages = row.messages / few * ranks;
  row.steps = row.steps / few * ranks;
  auto [numerator, denominator] = busFactor(plan.info.collective);
  row.busBandwidth = row.algorithmBandwidth * numerator / denominator;
  row.links.clear();
  row.threadblocks.clear();
  return row;
}

/// The path ends on rank 0, which is the first of equal ones. Going back, it changes from a rank to
/// one of its peers at a time, because messages and credits take time. A peer of a folded rank has
/// one distance.
std::vector<PathSegment> FoldedPlan::pathOfAllRanks(const ExecPlan &all, const RolledForm &form,
                                                    ArrayRef<PathSegment> path) const {
  using Element = RotationGroup::Element;
  const FoldedRanks ranks = foldedRanks(plan);
  const size_t size = plan.threadblocks.size();
  std::vector<Element> distances = plan.distances();
  for (size_t d = distances.size(); d-- > 0;)
    distances.push_back(plan.group.difference(plan.group.identity(), distances[d]));
  std::vector<PathSegment> result(path.begin(), path.end());
  Element element = plan.group.identity();
  RankId at(0);
  for (PathSegment &segment : llvm::reverse(result)) {
    const Threadblock &few = folded.threadblocks()[segment.threadblock];
    if (few.rank != at)
      element = plan.group.sum(element, *llvm::find_if(distances, [&](const Element &distance) {
                                 return ranks.at(at, distance) == few.rank;
                               }));
    at = few.rank;
    size_t first = plan.group.rotateRank(0, element) * size;
    auto numbers = ArrayRef(form.threadblocks).slice(first, size);
    uint32_t tb = first + (llvm::find(numbers, segment.threadblock % size) - numbers.begin());
    segment.step += all.threadblocks()[tb].firstStep - few.firstStep;
    segment.threadblock = tb;
  }
  return result;
}

SimResult FoldedPlan::ofAllRanks(const ExecPlan &whole, const RolledForm &form,
                                 const SimResult &few) const {
  uint64_t ranks = plan.info.ranks();
  SimResult all;
  all.completed = few.completed;
  all.stopped = few.stopped;
  all.time = few.time;
  all.firstRun = few.firstRun;
  all.messages = few.messages / folded.ranks() * ranks;
  all.steps = few.steps / folded.ranks() * ranks;
  all.events = few.events;
  for (uint32_t t : form.threadblocks) {
    all.causes.push_back(few.causes[t]);
    all.finished.push_back(few.finished[t]);
  }
  all.links.resize(few.links.size());
  size_t ofRank = links.size() / ranks;
  for (size_t l = 0; l < links.size(); ++l)
    all.links[links[l].index()] = few.links[links[l % ofRank].index()];
  all.criticalPath = pathOfAllRanks(whole, form, few.criticalPath);
  return all;
}
