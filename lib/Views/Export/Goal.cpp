//===- Goal.cpp - Writing GOAL schedules ----------------------------------===//
//
// Writes the language of T. Hoefler, C. Siebert and A. Lumsdaine, Group Operation Assembly
// Language (ICPP 2009). Engines that threadblocks share are processors of the rank, and connections
// get network interfaces by greedy edge colouring, so that only messages of one connection are
// ordered.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Export/Goal.h"

#include "StepParts.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Limits/PlanReads.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace cclc;
using llvm::formatv;

namespace {

constexpr uint32_t numUnits = 256; ///< number of processors, and of interfaces, of a GOAL rank

/// The name of a part.
struct Label {
  uint32_t threadblock, trip, step;
  char letter;
  uint32_t transmission = 0; ///< not written if 0
  friend raw_ostream &operator<<(raw_ostream &os, const Label &label) {
    os << 't' << label.threadblock << '_' << label.trip << '_' << label.step << label.letter;
    return label.transmission ? os << label.transmission : os;
  }
};

class GoalWriter {
public:
  GoalWriter(const PlacedPlan &placed, const Sizing &sizing, raw_ostream &os)
      : placed(placed), plan(placed.plan), machine(placed.machine), sizing(sizing),
        parts(placed, sizing), os(os) {
    assignTags();
    assignInterfaces();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      mostThreadblocks = std::max(mostThreadblocks, plan.numThreadblocks(RankId(r)));
  }

  LogicalResult check(DiagnosticEngine &diags) const {
    if (failed(checkNoSwitches(plan, "GOAL", diags)))
      return failure();
    if (hasReads(plan, machine.queue.reads))
      return diags.error({}, formatv("target {0} fetches messages with one-sided reads, which GOAL "
                                     "does not have: add --set queue.one_sided_reads=off",
                                     machine.name));
    // The largest number denotes any tag.
    if (numMessages >= std::numeric_limits<uint32_t>::max())
      return diags.error({}, formatv("{0} messages are more than the tags of GOAL", numMessages));
    if (mostInterfaces > numUnits)
      diags.warning({}, formatv("a rank needs {0} interfaces to separate its connections, but GOAL "
                                "has {1}: some share one",
                                mostInterfaces, numUnits));
    if (mostThreadblocks > numUnits - numSharedEngines)
      diags.warning({}, formatv("a rank has {0} threadblocks, but GOAL has {1} processors for "
                                "them: some share one",
                                mostThreadblocks, numUnits - numSharedEngines));
    return success();
  }

  void write() {
    header();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      rank(RankId(r));
  }

private:
  uint32_t cpuOf(const StepPart &part, uint32_t threadblock) const {
    return part.engine == PartEngine::Threadblock ? threadblock % threadblockCpus()
                                                  : threadblockCpus() + uint32_t(part.engine);
  }
  uint32_t threadblockCpus() const {
    return std::min(mostThreadblocks, numUnits - numSharedEngines);
  }

  /// Assigns a unique tag to every message of the run.
  void assignTags() {
    for (const Connection &connection : placed.connections.connections()) {
      firstTag.push_back(numMessages);
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t) {
        numMessages += uint64_t(parts.messagesOf(plan.steps()[send])) * sizing.pieces;
      });
    }
  }

  /// Assigns interfaces. Messages of an interface are serialised at both ends, so connections with
  /// a common rank get different interfaces.
  void assignInterfaces() {
    std::vector<std::vector<bool>> out(plan.ranks()), in(plan.ranks());
    for (const PlacedConnection &connection : placed.placedConnections) {
      std::vector<bool> &from = out[rankOf(connection.senderTb).index()];
      std::vector<bool> &to = in[rankOf(connection.receiverTb).index()];
      uint32_t nic = 0;
      while ((nic < from.size() && from[nic]) || (nic < to.size() && to[nic]))
        ++nic;
      for (std::vector<bool> *taken : {&from, &to}) {
        taken->resize(std::max<size_t>(taken->size(), nic + 1));
        (*taken)[nic] = true;
      }
      interface.push_back(nic % numUnits);
      mostInterfaces = std::max(mostInterfaces, nic + 1);
    }
  }

  RankId rankOf(uint32_t threadblock) const { return plan.threadblocks()[threadblock].rank; }

  void header() {
    os << formatv("// {0}: {1} over {2} ranks on {3}, {4} bytes of {5}, {6} {7} per chunk\n",
                  plan.info().name, collectiveName(plan.info().collective.kind()), plan.ranks(),
                  machine.name, sizing.requested.count(), dataTypeName(sizing.type), sizing.pieces,
                  sizing.pieces == 1 ? "piece" : "pieces");
    if (!placed.placedConnections.empty()) {
      SimTime least = SimTime::max(), most;
      uint64_t slowest = std::numeric_limits<uint64_t>::max(), fastest = 0;
      for (const Route &route : placed.routes) {
        // The delay of a message before it is sent does not delay other messages.
        SimTime latency = route.latency + machine.queue.sendOverhead;
        least = std::min(least, latency);
        most = std::max(most, latency);
        uint64_t rate = route.bottleneck.isUnlimited() ? std::numeric_limits<uint64_t>::max()
                                                       : route.bottleneck.bytesPerSecond();
        slowest = std::min(slowest, rate);
        fastest = std::max(fastest, rate);
      }
      auto gap = [](uint64_t rate) {
        return rate == std::numeric_limits<uint64_t>::max() ? 0.0 : 1e9 / double(rate);
      };
      os << formatv("// L {0:f3}", double(least.picoseconds()) / 1000);
      if (least != most)
        os << formatv(" to {0:f3}", double(most.picoseconds()) / 1000);
      os << formatv(" ns, G {0:f6}", gap(fastest));
      if (slowest != fastest)
        os << formatv(" to {0:f6}", gap(slowest));
      os << " ns a byte, o 0, g 0, O 0, S above every message\n";
    }
    os << "num_ranks " << plan.ranks() << '\n';
  }

  void rank(RankId r) {
    os << "\nrank " << r.index() << " {\nstart: calc " << nanoseconds(parts.launch()) << '\n';
    first = plan.firstThreadblock(r);
    uint32_t count = plan.numThreadblocks(r);
    for (uint32_t t = 0; t < count; ++t)
      threadblock(t);
    // A label must be defined before it is used, so dependences on other threadblocks are written
    // last.
    for (uint32_t t = 0; t < count; ++t)
      waits(t);
    os << "}\n";
  }

  void threadblock(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[first + t];
    std::optional<Label> previous;
    uint64_t sent = 0, received = 0;
    for (uint32_t trip = 0; trip < sizing.pieces; ++trip)
      for (uint32_t s = 0; s < tb.numSteps; ++s) {
        const Step &step = plan.steps()[tb.firstStep + s];
        for (uint32_t n = 0; n < parts.messagesOf(step); ++n) {
          Bytes wire = parts.onWire(trip, step, n);
          SmallVector<StepPart, 6> chain = parts.of(step, parts.sizeOf(trip, step, n), n);
          auto label = [&](const StepPart &part) { return Label{t, trip, s, part.letter, n}; };
          for (const StepPart &part : chain) {
            os << label(part) << ": ";
            if (part.letter == 'r')
              message("recv", " from ", wire, *placed.connections.recvOf(first + t), t, received++);
            else if (part.letter == 's')
              message("send", " to ", wire, *placed.connections.sendOf(first + t), t, sent++);
            else
              os << "calc " << nanoseconds(part.cost) << " cpu " << cpuOf(part, t);
            os << '\n';
          }
          for (size_t p = 1; p < chain.size(); ++p)
            require(label(chain[p]), label(chain[p - 1]));
          Label begin = label(chain[gate(chain)]);
          if (previous)
            require(begin, *previous);
          else
            os << begin << " requires start\n";
          previous = label(chain.back());
        }
      }
  }

  void waits(uint32_t t) {
    const Threadblock &tb = plan.threadblocks()[first + t];
    for (uint32_t trip = 0; trip < sizing.pieces; ++trip)
      for (uint32_t s = 0; s < tb.numSteps; ++s) {
        const Step &step = plan.steps()[tb.firstStep + s];
        if (!step.waits() || step.wait()->tb.index() == t)
          continue;
        uint32_t other = step.wait()->tb.index();
        uint32_t otherFirst = plan.threadblocks()[first + other].firstStep;
        uint32_t target =
            (*placed.publishers[otherFirst + step.wait()->step.index()]).index() - otherFirst;
        auto chainOf = [&](const Step &what, uint32_t n) {
          return parts.of(what, parts.sizeOf(trip, what, n), n);
        };
        SmallVector<StepPart, 6> mine = chainOf(step, 0);
        const Step &awaited = plan.steps()[otherFirst + target];
        uint32_t last = parts.messagesOf(awaited) - 1;
        require({t, trip, s, mine[gate(mine)].letter},
                {other, trip, target, chainOf(awaited, last).back().letter, last});
      }
  }

  /// The first part that depends on the previous step; a message is written to its slot
  /// independently of the threadblock.
  static size_t gate(ArrayRef<StepPart> chain) {
    return chain.size() > 1 && chain[1].letter == 'w' ? 2 : 0;
  }

  void require(const Label &label, const Label &other) {
    os << label << " requires " << other << '\n';
  }

  void message(StringRef verb, StringRef preposition, Bytes wire, ConnectionId id, uint32_t t,
               uint64_t number) {
    const PlacedConnection &connection = placed.placedConnections[id.index()];
    uint32_t peer = verb == "send" ? connection.receiverTb : connection.senderTb;
    os << verb << ' ' << wire.count() << 'b' << preposition << rankOf(peer).index() << " tag "
       << firstTag[id.index()] + number << " cpu " << t % threadblockCpus() << " nic "
       << interface[id.index()];
  }

  static uint64_t nanoseconds(SimTime time) { return (time.picoseconds() + 500) / 1000; }

  const PlacedPlan &placed;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  StepParts parts;
  raw_ostream &os;
  std::vector<uint64_t> firstTag;  ///< by connection
  std::vector<uint32_t> interface; ///< by connection
  uint64_t numMessages = 0;
  uint32_t mostInterfaces = 0, mostThreadblocks = 1;
  uint32_t first = 0; ///< first threadblock of the current rank
};
} // namespace

LogicalResult cclc::checkGoal(const PlacedPlan &plan, const Sizing &sizing,
                              DiagnosticEngine &diags) {
  return GoalWriter(plan, sizing, llvm::nulls()).check(diags);
}

void cclc::writeGoal(const PlacedPlan &plan, const Sizing &sizing, raw_ostream &os) {
  GoalWriter(plan, sizing, os).write();
}
