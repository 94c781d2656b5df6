#include "cclc/Sim/Costs.h"

#include "cclc/Sim/Report.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {
constexpr unsigned numKinds = 6;

class CostTable {
public:
  CostTable(const SizeReport &size, const BoundPlan &plan) : size(size), plan(plan) {
    for (const PathSegment &segment : size.criticalPath)
      add(segment);
  }

  std::vector<Cost> costs() const {
    std::vector<Cost> result;
    for (unsigned k = 0; k < numKinds; ++k) {
      if (sums[k].total == SimTime())
        continue;
      auto kind = static_cast<Cost::Kind>(k);
      Cost cost{kind, sums[k].total, LocTable::unknown(), SimTime(), help(kind)};
      for (auto [line, time] : sums[k].byLine)
        if (time > cost.timeOfLine) {
          cost.line = LocId(line);
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
    llvm::MapVector<uint32_t, SimTime> byLine;
  };

  void add(Cost::Kind kind, const PathSegment &segment, SimTime time) {
    Sum &sum = sums[static_cast<size_t>(kind)];
    sum.total += time;
    sum.byLine[plan.plan.steps()[segment.step].loc.index()] += time;
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

  /// Of the message that the step waits for, or of the one that it sends.
  SimTime latencyOf(const PathSegment &segment) const {
    bool receives = traits(plan.plan.steps()[segment.step].op).receives;
    OptionalId<ConnectionId> connection = receives ? plan.connections.recvOf(segment.threadblock)
                                                   : plan.connections.sendOf(segment.threadblock);
    return connection ? plan.bound[(*connection).index()].latency : SimTime();
  }

  std::string help(Cost::Kind kind) const {
    switch (kind) {
    case Cost::Kind::Launch:
      return "not of the plan: larger sizes, or more runs in one launch, spread it";
    case Cost::Kind::Engine:
      return "--what-if says which; fewer steps one after the other, or more channels or "
             "instances, whose threadblocks work side by side";
    case Cost::Kind::Latency:
      return formatv("{0} {1} one after the other: an algorithm of fewer rounds, or shorter ways "
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
        return "flows share links: another placement or order";
      return formatv("messages waited up to {0} ns for {1}: another placement, order or route",
                     nanosecondsText(most->use.longestWait), plan.machine.linkName(most->link));
    }
    case Cost::Kind::Slot:
      return formatv("more than {0} (--slots), or receivers that are ready earlier",
                     plan.slots.phrase());
    }
    return {};
  }

  std::string bandwidthHelp() const {
    if (size.links.empty() || size.time == SimTime())
      return "fewer bytes";
    const SizeReport::UsedLink &busiest = size.links.front();
    uint64_t percent =
        uint64_t(Wide(busiest.use.busy.picoseconds()) * 100 / size.time.picoseconds());
    std::string name = plan.machine.linkName(busiest.link);
    if (percent >= 80)
      return formatv("{0} is taken {1} % of the time: an algorithm that sends fewer bytes over it",
                     name, percent);
    return formatv("no link is taken more than {0} % of the time: more channels, instances or "
                   "smaller chunks send at once",
                   percent);
  }

  const SizeReport &size;
  const BoundPlan &plan;
  std::array<Sum, numKinds> sums;
  uint64_t messages = 0; ///< on the path
};
} // namespace

StringRef cclc::costName(Cost::Kind kind) {
  constexpr std::array<StringRef, numKinds> names = {
      "launch", "engines", "latency of links", "bandwidth of links", "contention", "full slots"};
  return names[static_cast<size_t>(kind)];
}

std::vector<Cost> cclc::costsOf(const SizeReport &size, const BoundPlan &plan) {
  return CostTable(size, plan).costs();
}
