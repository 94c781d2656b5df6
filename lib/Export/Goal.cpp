//===- Goal.cpp - Writing GOAL schedules ----------------------------------===//
//
// Writes the language of T. Hoefler, C. Siebert and A. Lumsdaine, Group Operation Assembly
// Language (ICPP 2009). A step becomes a chain of parts for each of its transmissions: receive,
// overhead, engines, send.
// Engines that threadblocks share are processors of the rank, and connections get network
// interfaces by greedy edge colouring, so that only messages of one connection are ordered.
//
//===----------------------------------------------------------------------===//

#include "cclc/Export/Goal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace cclc;
using llvm::formatv;

namespace {

constexpr uint32_t numUnits = 256; ///< number of processors, and of interfaces, of a GOAL rank

/// The consecutive parts of an execution of a step, or of one of its transmissions.
struct Part {
  char letter; ///< the last letter of its label
  SimTime cost;
  uint32_t cpu = 0;
};

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
  GoalWriter(const BoundPlan &bound, const Sizing &sizing, raw_ostream &os)
      : bound(bound), plan(bound.plan), machine(bound.machine), sizing(sizing), os(os) {
    assignTags();
    assignInterfaces();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      mostThreadblocks = std::max(mostThreadblocks, plan.numThreadblocks(RankId(r)));
  }

  LogicalResult check(DiagnosticEngine &diags) const {
    // The largest number denotes any tag.
    if (numMessages >= std::numeric_limits<uint32_t>::max())
      return diags.error({}, formatv("{0} messages are more than the tags of GOAL", numMessages));
    if (mostInterfaces > numUnits)
      diags.warning({}, formatv("a rank needs {0} interfaces to separate its connections, but GOAL "
                                "has {1}: some share one",
                                mostInterfaces, numUnits));
    if (mostThreadblocks > numUnits - numEngines)
      diags.warning({}, formatv("a rank has {0} threadblocks, but GOAL has {1} processors for "
                                "them: some share one",
                                mostThreadblocks, numUnits - numEngines));
    return success();
  }

  void write() {
    header();
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      rank(RankId(r));
  }

private:
  /// Engines that all threadblocks of a PE share, each a separate processor.
  enum Engine : uint32_t { Math, Copy, Read, Write, numEngines };
  uint32_t engineCpu(Engine engine) const { return threadblockCpus() + engine; }
  uint32_t threadblockCpus() const { return std::min(mostThreadblocks, numUnits - numEngines); }

  /// Assigns a unique tag to every message of the run.
  void assignTags() {
    for (const Connection &connection : bound.connections.connections()) {
      firstTag.push_back(numMessages);
      forEachMessage(plan, connection, [&](uint32_t send, uint32_t) {
        numMessages += uint64_t(transmissionsOf(plan.steps()[send])) * sizing.pieces;
      });
    }
  }

  /// Assigns interfaces. Messages of an interface are serialised at both ends, so connections with
  /// a common rank get different interfaces.
  void assignInterfaces() {
    std::vector<std::vector<bool>> out(plan.ranks()), in(plan.ranks());
    for (const BoundConnection &connection : bound.bound) {
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

  /// A protocol's transmissions are not written separately.
  uint32_t transmissionsOf(const Step &step) const {
    return bound.protocol ? 1 : sizing.parts(nullptr, step);
  }
  Bytes sizeOf(uint32_t trip, const Step &step, uint32_t transmission) const {
    bool all = transmissionsOf(step) == 1;
    return sizing.pieceBytes(trip) * (all ? step.count : sizing.chunksOf(transmission, step.count));
  }

  RankId rankOf(uint32_t threadblock) const { return plan.threadblocks()[threadblock].rank; }

  void header() {
    os << formatv("// {0}: {1} over {2} ranks on {3}, {4} bytes of {5}, {6} {7} per chunk\n",
                  plan.info().name, collectiveName(plan.info().collective.kind()), plan.ranks(),
                  machine.name, sizing.requested.count(), dataTypeName(sizing.type), sizing.pieces,
                  sizing.pieces == 1 ? "piece" : "pieces");
    if (!bound.bound.empty()) {
      SimTime least = SimTime::max(), most;
      uint64_t slowest = std::numeric_limits<uint64_t>::max(), fastest = 0;
      for (const Route &route : bound.routes) {
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
    os << "\nrank " << r.index() << " {\nstart: calc "
       << nanoseconds(bound.protocol ? bound.protocol->launch : machine.launch) << '\n';
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
        for (uint32_t n = 0; n < transmissionsOf(step); ++n) {
          Bytes size = sizeOf(trip, step, n);
          SmallVector<Part, 6> parts = partsOf(t, step, size, n);
          auto label = [&](const Part &part) { return Label{t, trip, s, part.letter, n}; };
          for (const Part &part : parts) {
            os << label(part) << ": ";
            if (part.letter == 'r')
              message("recv", " from ", size, *bound.connections.recvOf(first + t), t, received++);
            else if (part.letter == 's')
              message("send", " to ", size, *bound.connections.sendOf(first + t), t, sent++);
            else
              os << "calc " << nanoseconds(part.cost) << " cpu " << part.cpu;
            os << '\n';
          }
          for (size_t p = 1; p < parts.size(); ++p)
            require(label(parts[p]), label(parts[p - 1]));
          Label begin = label(parts[gate(parts)]);
          if (previous)
            require(begin, *previous);
          else
            os << begin << " requires start\n";
          previous = label(parts.back());
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
            (*bound.publishers[otherFirst + step.wait()->step.index()]).index() - otherFirst;
        auto partsAt = [&](uint32_t who, const Step &what, uint32_t n) {
          return partsOf(who, what, sizeOf(trip, what, n), n);
        };
        SmallVector<Part, 6> mine = partsAt(t, step, 0);
        const Step &awaited = plan.steps()[otherFirst + target];
        uint32_t last = transmissionsOf(awaited) - 1;
        require({t, trip, s, mine[gate(mine)].letter},
                {other, trip, target, partsAt(other, awaited, last).back().letter, last});
      }
  }

  /// The parts of a transmission of a step in the order of their execution.
  SmallVector<Part, 6> partsOf(uint32_t t, const Step &step, Bytes size,
                               uint32_t transmission) const {
    const OpTraits &op = traits(step.op);
    uint32_t own = t % threadblockCpus();
    SmallVector<Part, 6> parts;
    auto add = [&](char letter, SimTime cost, uint32_t cpu) {
      if (cost > SimTime())
        parts.push_back({letter, cost, cpu});
    };
    if (op.receives) {
      parts.push_back({'r', SimTime()});
      if (!bound.protocol)
        add('w', machine.queue.write.duration(size), engineCpu(Write));
    }
    size_t arrived = parts.size();
    add('d', overheadOf(step, op, transmission), own);
    if (bound.protocol) {
      // The threadblock itself does all the work.
      if (step.op == OpKind::Reduce)
        add('m', machine.pe.math.duration(size), own);
      else if (step.op != OpKind::Nop)
        add('c', bound.protocol->trip.duration(size), own);
    } else {
      if (op.receives)
        add('q', machine.queue.read.duration(size), engineCpu(Read));
      if (op.reduces())
        add('m', machine.pe.math.duration(size), engineCpu(Math));
      if (step.op == OpKind::Copy)
        add('c', machine.pe.copy.duration(size), engineCpu(Copy));
    }
    if (op.sends)
      parts.push_back({'s', SimTime()});
    // There must be a part that follows the waits of the step.
    if (parts.size() == arrived && arrived != 1)
      parts.push_back({'j', SimTime(), own});
    return parts;
  }

  /// The part of the time of a step that does not depend on its size.
  SimTime overheadOf(const Step &step, const OpTraits &op, uint32_t transmission) const {
    SimTime time = transmission ? SimTime() : machine.pe.dispatchOf(op.communicates());
    if (!bound.protocol)
      return time + (op.receives ? machine.queue.receiveOverhead : SimTime());
    if (step.waits())
      time += step.op == OpKind::Nop ? machine.pe.nop : machine.pe.wait;
    if (!op.sends && !op.receives)
      return time;
    return time + bound.protocol->stepLatency + bound.protocol->sliceLatency;
  }

  /// The first part that depends on the previous step; a message is written to its slot
  /// independently of the threadblock.
  static size_t gate(ArrayRef<Part> parts) {
    return parts.size() > 1 && parts[1].letter == 'w' ? 2 : 0;
  }

  void require(const Label &label, const Label &other) {
    os << label << " requires " << other << '\n';
  }

  void message(StringRef verb, StringRef preposition, Bytes size, ConnectionId id, uint32_t t,
               uint64_t number) {
    const BoundConnection &connection = bound.bound[id.index()];
    uint32_t peer = verb == "send" ? connection.receiverTb : connection.senderTb;
    Bytes wire = bound.protocol ? bound.protocol->onWire(size) : size;
    os << verb << ' ' << wire.count() << 'b' << preposition << rankOf(peer).index() << " tag "
       << firstTag[id.index()] + number << " cpu " << t % threadblockCpus() << " nic "
       << interface[id.index()];
  }

  static uint64_t nanoseconds(SimTime time) { return (time.picoseconds() + 500) / 1000; }

  const BoundPlan &bound;
  const ExecPlan &plan;
  const Machine &machine;
  const Sizing &sizing;
  raw_ostream &os;
  std::vector<uint64_t> firstTag;  ///< by connection
  std::vector<uint32_t> interface; ///< by connection
  uint64_t numMessages = 0;
  uint32_t mostInterfaces = 0, mostThreadblocks = 1;
  uint32_t first = 0; ///< first threadblock of the current rank
};
} // namespace

LogicalResult cclc::checkGoal(const BoundPlan &plan, const Sizing &sizing,
                              DiagnosticEngine &diags) {
  return GoalWriter(plan, sizing, llvm::nulls()).check(diags);
}

void cclc::writeGoal(const BoundPlan &plan, const Sizing &sizing, raw_ostream &os) {
  GoalWriter(plan, sizing, os).write();
}
