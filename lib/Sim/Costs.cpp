//===- Costs.cpp - Critical path segments summed by kind of cost ----------===//
//
// Each segment of the critical path is assigned to one of six kinds by its cause; a segment on a
// link is split into the latency of the route and the rest, its bandwidth. The advice for a kind is
// chosen from utilisation and waits of the links. Also sums by phase.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Costs.h"

#include "cclc/Limits/PlanReads.h"
#include "cclc/Sim/SweepResult.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr unsigned numKinds = 6;

class CostTable {
public:
  CostTable(const SizeResult &size, const PlacedPlan &plan) : size(size), plan(plan) {
    for (const PathSegment &segment : size.criticalPath)
      add(segment);
  }

  std::vector<Cost> costs() const {
    std::vector<Cost> result;
    for (unsigned k = 0; k < numKinds; ++k) {
      if (sums[k].total == SimTime())
        continue;
      auto kind = static_cast<Cost::Kind>(k);
      Cost cost{kind, sums[k].total, LocTable::unknown(), 0, SimTime(), help(kind)};
      for (auto [line, time] : sums[k].byLine)
        if (time > cost.timeOfLine) {
          cost.line = LocId(line.first);
          cost.phase = line.second;
          cost.timeOfLine = time;
        }
      result.push_back(std::move(cost));
    }
    std::sort(result.begin(), result.end(), [](const Cost &a, const Cost &b) {
      return a.time != b.time ? a.time > b.time : a.kind < b.kind;
    });
    return result;
  }

private:
  struct Sum {
    SimTime total;
    llvm::MapVector<std::pair<uint32_t, uint32_t>, SimTime> byLine; ///< by line and phase
  };

  void add(Cost::Kind kind, const PathSegment &segment, SimTime time) {
    Sum &sum = sums[static_cast<size_t>(kind)];
    sum.total += time;
    const Step &step = plan.plan.steps()[segment.step];
    sum.byLine[{step.loc.index(), step.phase}] += time;
  }

  void add(const PathSegment &segment) {
    SimTime length = segment.end - segment.begin;
    switch (segment.cause) {
    case Cause::Launch:
      return add(Cost::Kind::Launch, segment, length);
    case Cause::Contention:
      return add(Cost::Kind::Contention, segment, length);
    case Cause::Slot:
      return add(Cost::Kind::Slot, segment, length);
    case Cause::Link: {
      SimTime latency = std::min(length, latencyOf(segment));
      ++messages;
      add(Cost::Kind::Latency, segment, latency);
      return add(Cost::Kind::Bandwidth, segment, length - latency);
    }
    default:
      return add(Cost::Kind::Engine, segment, length);
    }
  }

  /// The latency of the message that the step waits for, or of the one that it sends.
  SimTime latencyOf(const PathSegment &segment) const {
    bool receives = traits(plan.plan.steps()[segment.step].op).receives;
    ArrayRef<ConnectionId> connections = receives ? plan.connections.recvsOf(segment.threadblock)
                                                  : plan.connections.sendsOf(segment.threadblock);
    if (connections.empty())
      return SimTime();
    uint32_t connection = connections.front().index();
    // A read is preceded by its request. A signal takes less time.
    bool isRead =
        receives && fetchesMessages(plan.plan, plan.plan.threadblocks()[segment.threadblock],
                                    plan.machine.queue.reads);
    SimTime request = isRead ? plan.placedConnections[connection].creditLatency : SimTime();
    return request + plan.routes[connection].latency;
  }

  std::string help(Cost::Kind kind) const {
    switch (kind) {
    case Cost::Kind::Launch:
      return "independent of the plan: amortise it with larger sizes, or more runs in one launch";
    case Cost::Kind::Engine:
      return "find the engine with --what-if; use fewer serialised steps, or more channels or "
             "instances";
    case Cost::Kind::Latency:
      return formatv("{0} serialised {1}: use an algorithm with fewer rounds, or shorter routes "
                     "(cclc --placement)",
                     messages, messages == 1 ? "message" : "messages");
    case Cost::Kind::Bandwidth:
      return bandwidthHelp();
    case Cost::Kind::Contention: {
      auto most =
          std::max_element(size.links.begin(), size.links.end(), [](const auto &a, const auto &b) {
            return a.use.longestWait < b.use.longestWait;
          });
      if (most == size.links.end() || most->use.longestWait == SimTime())
        return "flows share links: use another placement or order";
      return formatv("messages waited up to {0} ns for {1}: use another placement, order or route",
                     nanosecondsText(most->use.longestWait), plan.machine.linkName(most->link));
    }
    case Cost::Kind::Slot:
      return formatv("use more than {0} (--slots), or earlier receives", plan.slots.phrase());
    }
    return {};
  }

  std::string bandwidthHelp() const {
    if (size.links.empty() || size.time == SimTime())
      return "use an algorithm that sends fewer bytes";
    const SizeResult::UsedLink &busiest = size.links.front();
    uint64_t percent =
        uint64_t(Wide(busiest.use.busy.picoseconds()) * 100 / size.time.picoseconds());
    std::string name = plan.machine.linkName(busiest.link);
    if (percent > 100)
      return formatv("messages overlap on {0}, {1} % of its rate: the network model has no "
                     "contention; compare with --network cut-through, or alpha-beta",
                     name, percent);
    if (percent >= 80)
      return formatv("utilisation of {0} is {1} %: use an algorithm that sends fewer bytes over it",
                     name, percent);
    return formatv(
        "peak link utilisation is {0} %: add channels or instances, or use smaller chunks",
        percent);
  }

  const SizeResult &size;
  const PlacedPlan &plan;
  std::array<Sum, numKinds> sums;
  uint64_t messages = 0; ///< number of messages on the path
};
} // namespace

StringRef cclc::costName(Cost::Kind kind) {
  constexpr std::array<StringRef, numKinds> names = {
      "launch", "engines", "latency of links", "bandwidth of links", "contention", "full slots"};
  return names[static_cast<size_t>(kind)];
}

std::string cclc::phaseName(const ProgramInfo &info, uint32_t index) {
  const Phase &phase = info.phases[index];
  if (!phase.gate || info.calls.size() < 2)
    return phase.name;
  const Call &call = info.calls[phase.gate->call];
  return formatv("{0} of {1} {2}", phase.name, call.collective, call.generation);
}

std::vector<PhaseTime> cclc::phaseTimes(ArrayRef<PathSegment> path, ShownPlan plan) {
  ArrayRef<Phase> phases = plan.info().phases;
  if (llvm::all_of(phases, [](const Phase &phase) { return phase.name.empty(); }))
    return {};
  std::vector<SimTime> times(phases.size());
  for (const PathSegment &segment : path) {
    bool isOfStep = segment.cause != Cause::Launch;
    times[isOfStep ? plan.step(segment.step).phase : 0] += segment.end - segment.begin;
  }
  std::vector<PhaseTime> result;
  for (uint32_t p = 0; p < times.size(); ++p) {
    if (times[p] == SimTime())
      continue;
    // Phases of different levels of a hierarchy may have equal names.
    std::string name = phaseName(plan.info(), p);
    auto row = llvm::find_if(result, [&](const PhaseTime &phase) { return phase.phase == name; });
    if (row == result.end())
      row = result.insert(row, {name, SimTime()});
    row->time += times[p];
  }
  return result;
}

std::vector<Cost> cclc::costsOf(const SizeResult &size, const PlacedPlan &plan) {
  return CostTable(size, plan).costs();
}
