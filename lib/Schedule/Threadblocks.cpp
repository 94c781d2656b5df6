//===- Threadblocks.cpp - A worker for every side of a connection ---------===//
//
// What fused instructions and the user left open: connections whose sends or
// receives have no threadblock yet. A threadblock may serve one outgoing and one
// incoming connection of a channel. Pairing those that depend on each other most
// saves waits; pairing the two directions of one neighbour saves threadblocks;
// pairing strangers makes one wait for the other, so it is done only where a
// rank has too many threadblocks.
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace cclc;
using namespace cclc::schedule;

namespace {
class Pairing {
public:
  Pairing(const InstrProgram &program, const ScheduleOptions &options, Assignment &assignment)
      : program(program), options(options), assignment(assignment) {}

  void run() {
    pairDependent();
    pairNeighbours();
    if (options.maxThreadblocks)
      pairStrangers();
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      if (!assignment.connections[c].sender)
        addWorker(ConnectionId(c), {});
      if (!assignment.connections[c].receiver)
        addWorker({}, ConnectionId(c));
    }
  }

private:
  Connection &connection(ConnectionId id) { return assignment.connections[id.index()]; }

  bool isOpen(ConnectionId out, ConnectionId in) {
    return !connection(out).sender && !connection(in).receiver &&
           connection(out).channel == connection(in).channel;
  }

  void addWorker(OptionalId<ConnectionId> out, OptionalId<ConnectionId> in) {
    ThreadblockId id(assignment.workers.size());
    RankId rank = out ? connection(*out).src : connection(*in).dst;
    ChannelId channel = connection(out ? *out : *in).channel;
    assignment.workers.push_back({rank, channel, out, in, std::nullopt});
    if (out)
      connection(*out).sender = id;
    if (in)
      connection(*in).receiver = id;
  }

  /// The connection that an instruction sends on, as far as that is open.
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

  /// Counts the dependences between a receive on one and a send on the other
  /// connection, either way round, and pairs greedily by that count.
  void pairDependent() {
    llvm::DenseMap<uint64_t, uint32_t> index;
    struct Candidate {
      ConnectionId out, in;
      uint32_t weight;
    };
    std::vector<Candidate> candidates;
    auto add = [&](OptionalId<ConnectionId> out, OptionalId<ConnectionId> in) {
      if (!out || !in || !isOpen(*out, *in))
        return;
      uint64_t key = uint64_t((*out).index()) << 32 | (*in).index();
      auto [it, inserted] = index.try_emplace(key, candidates.size());
      if (inserted)
        candidates.push_back({*out, *in, 0});
      ++candidates[it->second].weight;
    };
    for (uint32_t id = 0; id < program.size(); ++id)
      for (DepEdge edge : program.dependences().preds(id)) {
        add(openOut(id), openIn(edge.node()));
        add(openOut(edge.node()), openIn(id));
      }
    auto isNeighbour = [&](const Candidate &c) {
      return connection(c.out).dst == connection(c.in).src;
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate &a, const Candidate &b) {
                       if (a.weight != b.weight)
                         return a.weight > b.weight;
                       return isNeighbour(a) && !isNeighbour(b);
                     });
    for (const Candidate &c : candidates)
      if (isOpen(c.out, c.in))
        addWorker(c.out, c.in);
  }

  void pairNeighbours() {
    llvm::DenseMap<uint64_t, uint32_t> outTo; // by (src, dst) and channel
    auto key = [](RankId src, RankId dst, ChannelId channel) {
      return uint64_t(src.index()) << 40 | uint64_t(dst.index()) << 16 | channel.index();
    };
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const Connection &out = assignment.connections[c];
      if (!out.sender)
        outTo[key(out.src, out.dst, out.channel)] = c;
    }
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const Connection &in = assignment.connections[c];
      auto it = outTo.find(key(in.dst, in.src, in.channel));
      if (it != outTo.end() && isOpen(ConnectionId(it->second), ConnectionId(c)))
        addWorker(ConnectionId(it->second), ConnectionId(c));
    }
  }

  void pairStrangers() {
    uint32_t ranks = program.info().ranks();
    std::vector<std::vector<ConnectionId>> outs(ranks), ins(ranks);
    std::vector<uint32_t> workers(ranks);
    for (const Worker &worker : assignment.workers)
      ++workers[worker.rank.index()];
    for (uint32_t c = 0; c < assignment.connections.size(); ++c) {
      const Connection &both = assignment.connections[c];
      if (!both.sender)
        outs[both.src.index()].push_back(ConnectionId(c));
      if (!both.receiver)
        ins[both.dst.index()].push_back(ConnectionId(c));
    }
    for (uint32_t r = 0; r < ranks; ++r) {
      uint64_t total = workers[r] + outs[r].size() + ins[r].size();
      for (ConnectionId out : outs[r])
        for (ConnectionId in : ins[r])
          if (total > *options.maxThreadblocks && isOpen(out, in)) {
            addWorker(out, in);
            --total;
          }
    }
  }

  const InstrProgram &program;
  const ScheduleOptions &options;
  Assignment &assignment;
};
} // namespace

void schedule::assignThreadblocks(const InstrProgram &program, const ScheduleOptions &options,
                                  Assignment &assignment) {
  Pairing(program, options, assignment).run();
}
