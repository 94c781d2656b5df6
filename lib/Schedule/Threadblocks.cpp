//===- Threadblocks.cpp - Assigning threadblocks to connections -----------===//
//
// Assigns threadblocks to the sends and receives of connections that neither fused instructions nor
// the user have assigned. A threadblock may serve one outgoing and one incoming connection of a
// channel. Pairing sends with the receives that they depend on most saves waits; pairing the two
// directions of one neighbour saves threadblocks; pairing unrelated peers serialises them, so it is
// done only if a rank has too many threadblocks.
//
// The step list is executed once for every piece of a chunk. A threadblock that sends early and
// receives late (a leaf of a tree, which sends its part and later receives the result) could begin
// the next piece only after the result of the previous one; in separate threadblocks, sends are
// pipelined. So the two directions of a neighbour are paired only if they are busy at the same
// time: at the same or at successive depths of the DAG.
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::schedule;

namespace {
class Pairer {
public:
  Pairer(const ProgramGraph &graph, const ThreadblockLimits &limits, Assignment &assignment)
      : program(graph.program), depth(graph.depth), limits(limits), assignment(assignment) {}

  Pairing run(Pairing pairing) {
    Pairing used = Pairing::Dependent;
    if (pairing >= Pairing::Neighbours && pairNeighbours())
      used = Pairing::Neighbours;
    if (pairing >= Pairing::Unrelated && pairUnrelated())
      used = Pairing::Unrelated;
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      if (!assignment.connections[c].sender)
        addThreadblock(ConnectionId(c), {});
      if (!assignment.connections[c].receiver)
        addThreadblock({}, ConnectionId(c));
    }
    if (limits.inLockstep)
      sortThreadblocks();
    return used;
  }

  /// Counts the sends on one connection that depend on a receive on another one, and
  /// pairs greedily by that count.
  void pairDependent() {
    llvm::DenseMap<uint64_t, uint32_t> weightOf; // by pair
    for (uint32_t id = 0; id < program.size(); ++id) {
      OptionalId<ConnectionId> out = openOut(id);
      if (!out)
        continue;
      for (DepEdge edge : program.dependences().preds(id))
        if (OptionalId<ConnectionId> in = openIn(edge.node()); in && isOpen(*out, *in))
          ++weightOf[uint64_t((*out).index()) << 32 | (*in).index()];
    }
    // The heaviest first, then neighbours, then by number.
    struct Candidate {
      uint64_t rank, pair;
      bool operator<(const Candidate &other) const {
        return rank != other.rank ? rank < other.rank : pair < other.pair;
      }
    };
    std::vector<Candidate> candidates;
    candidates.reserve(weightOf.size());
    for (auto [pair, weight] : weightOf) {
      bool isNeighbour = connection(ConnectionId(pair >> 32)).dst ==
                         connection(ConnectionId(static_cast<uint32_t>(pair))).src;
      candidates.push_back({uint64_t(~weight) << 1 | uint64_t(!isNeighbour), pair});
    }
    std::sort(candidates.begin(), candidates.end());
    for (const Candidate &c : candidates) {
      ConnectionId out(c.pair >> 32), in(static_cast<uint32_t>(c.pair));
      if (isOpen(out, in))
        addThreadblock(out, in);
    }
  }

private:
  ConnectionDraft &connection(ConnectionId id) { return assignment.connections[id.index()]; }

  bool isOpen(ConnectionId out, ConnectionId in) {
    return !connection(out).sender && !connection(in).receiver &&
           connection(out).channel == connection(in).channel &&
           (!limits.transfers ||
            connection(out).transfers + connection(in).receiveSteps <= *limits.transfers);
  }

  void addThreadblock(OptionalId<ConnectionId> out, OptionalId<ConnectionId> in) {
    ThreadblockId id(assignment.threadblocks.size());
    RankId rank = out ? connection(*out).src : connection(*in).dst;
    ChannelId channel = connection(out ? *out : *in).channel;
    assignment.threadblocks.push_back({rank, channel, out, in, std::nullopt});
    if (out)
      connection(*out).sender = id;
    if (in)
      connection(*in).receiver = id;
  }

  /// The connection that an instruction sends on, if its sender is unassigned.
  OptionalId<ConnectionId> openOut(uint32_t id) {
    const Instr &instr = program.instrs()[id];
    if (!instr.to)
      return {};
    OptionalId<ConnectionId> out = assignment.connectionOf[(*instr.to).index()];
    return connection(*out).sender ? OptionalId<ConnectionId>() : out;
  }
  OptionalId<ConnectionId> openIn(uint32_t id) {
    OptionalId<ConnectionId> in = assignment.connectionOf[id];
    return in && !connection(*in).receiver ? in : OptionalId<ConnectionId>();
  }

  /// The range of depths in which a connection is used.
  struct Busy {
    uint32_t from = ~uint32_t(0), to = 0;
    void add(uint32_t depth) {
      from = std::min(from, depth);
      to = std::max(to, depth);
    }
    bool touches(const Busy &other) const { return from <= other.to + 1 && other.from <= to + 1; }
  };

  void findBusyTimes() {
    sending.resize(assignment.connections.size());
    receiving.resize(assignment.connections.size());
    for (uint32_t id = 0; id < program.size(); ++id) {
      OptionalId<InstrId> from = program.instrs()[id].from;
      if (!from)
        continue;
      uint32_t connection = (*assignment.connectionOf[id]).index();
      receiving[connection].add(depth[id]);
      sending[connection].add(depth[(*from).index()]);
    }
  }

  bool pairNeighbours() {
    findBusyTimes();
    bool any = false;
    llvm::DenseMap<uint64_t, uint32_t> outTo; // by (src, dst) and channel
    auto key = [](RankId src, RankId dst, ChannelId channel) {
      return uint64_t(src.index()) << 40 | uint64_t(dst.index()) << 16 | channel.index();
    };
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const ConnectionDraft &out = assignment.connections[c];
      if (!out.sender)
        outTo[key(out.src, out.dst, out.channel)] = c;
    }
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const ConnectionDraft &in = assignment.connections[c];
      auto it = outTo.find(key(in.dst, in.src, in.channel));
      if (it != outTo.end() && isOpen(ConnectionId(it->second), ConnectionId(c)) &&
          sending[it->second].touches(receiving[c])) {
        addThreadblock(ConnectionId(it->second), ConnectionId(c));
        any = true;
      }
    }
    return any;
  }

  bool pairUnrelated() {
    bool any = false;
    uint32_t ranks = program.info().ranks();
    std::vector<std::vector<ConnectionId>> outs(ranks), ins(ranks);
    std::vector<uint32_t> threadblocks(ranks);
    for (const ThreadblockDraft &threadblock : assignment.threadblocks)
      ++threadblocks[threadblock.rank.index()];
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const ConnectionDraft &both = assignment.connections[c];
      if (!both.sender)
        outs[both.src.index()].push_back(ConnectionId(c));
      if (!both.receiver)
        ins[both.dst.index()].push_back(ConnectionId(c));
    }
    for (uint32_t r = 0; r < ranks; ++r) {
      uint64_t total = threadblocks[r] + outs[r].size() + ins[r].size();
      for (ConnectionId out : outs[r])
        for (ConnectionId in : ins[r])
          if (total > limits.enough && isOpen(out, in)) {
            addThreadblock(out, in);
            --total;
            any = true;
          }
    }
    return any;
  }

  /// Numbers the threadblocks by their connections. Those that are equal on all ranks follow each
  /// other.
  void sortThreadblocks() {
    auto place = [&](OptionalId<ConnectionId> connection) {
      return connection ? (*connection).index() / program.info().ranks() + 1 : 0;
    };
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> order; ///< connections, old number
    for (const ThreadblockDraft &threadblock : assignment.threadblocks)
      order.emplace_back(place(threadblock.send), place(threadblock.recv), order.size());
    std::sort(order.begin(), order.end());
    std::vector<ThreadblockDraft> sorted;
    for (auto [send, recv, old] : order) {
      const ThreadblockDraft &threadblock = assignment.threadblocks[old];
      ThreadblockId number(sorted.size());
      if (threadblock.send)
        connection(*threadblock.send).sender = number;
      if (threadblock.recv)
        connection(*threadblock.recv).receiver = number;
      sorted.push_back(threadblock);
    }
    assignment.threadblocks = std::move(sorted);
  }

  const InstrProgram &program;
  const std::vector<uint32_t> &depth; ///< by instruction
  const ThreadblockLimits &limits;
  Assignment &assignment;
  std::vector<Busy> sending, receiving; ///< by connection: when its two ends are busy
};
} // namespace

void schedule::pairDependent(const ProgramGraph &graph, const ThreadblockLimits &limits,
                             Assignment &assignment) {
  Pairer(graph, limits, assignment).pairDependent();
}

Pairing schedule::assignThreadblocks(const ProgramGraph &graph, Pairing pairing,
                                     const ThreadblockLimits &limits, Assignment &assignment) {
  return Pairer(graph, limits, assignment).run(pairing);
}
