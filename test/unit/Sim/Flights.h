//===- Flights.h - Messages of no plan on networks, for tests ---*- C++ -*-===//

#ifndef CCL_TEST_UNIT_SIM_FLIGHTS_H
#define CCL_TEST_UNIT_SIM_FLIGHTS_H

#include "Simulation.h"

#include <functional>
#include <map>
#include <set>

namespace cclc::test {

/// A plan with one message on each of some connections, each on its own channel.
inline ExecPlan pairs(uint32_t ranks,
                      const std::vector<std::pair<uint32_t, uint32_t>> &connections) {
  uint32_t chunks = connections.size();
  ProgramInfo info(Collective(ranks, CustomSpec{chunks, chunks, {}}));
  info.placements = Placements::outOfPlace();
  ExecPlanBuilder builder(info);
  LocId loc = LocTable::unknown();
  for (uint32_t r = 0; r < ranks; ++r)
    for (uint32_t c = 0; c < connections.size(); ++c) {
      auto [from, to] = connections[c];
      if (from == r) {
        builder.beginThreadblock(RankId(r), RankId(to), {}, ChannelId(c));
        builder.addStep(Step(OpKind::Send, Operand(Buffer::Input, c), {}, 1, loc, loc));
      } else if (to == r) {
        builder.beginThreadblock(RankId(r), {}, RankId(from), ChannelId(c));
        builder.addStep(Step(OpKind::Recv, {}, Operand(Buffer::Output, c), 1, loc, loc));
      }
    }
  DiagnosticEngine diags;
  return std::move(*std::move(builder).finish(diags));
}

struct TestLink {
  uint32_t from, to;
  uint64_t bandwidth = 100'000'000'000, propagation = 500; ///< B/s, ns
};

inline Machine graph(uint32_t nodes, const std::vector<TestLink> &links) {
  std::string text = R"({"name": "g", "family": "graph", "nodes": [)";
  for (uint32_t n = 0; n < nodes; ++n)
    text += (n ? ", " : "") + ("{\"name\": \"n" + std::to_string(n)) + "\"}";
  text += "], \"links\": [";
  for (const TestLink &link : links)
    text += (&link != links.data() ? ", " : "") + ("{\"from\": \"n" + std::to_string(link.from)) +
            "\", \"to\": \"n" + std::to_string(link.to) +
            "\", \"bandwidth\": " + std::to_string(link.bandwidth) +
            ", \"propagation\": " + std::to_string(link.propagation) + "e-9}";
  TemporaryFile file(text + "]}");
  return machine(file.name());
}

/// Connections between the ranks of a graph.
struct Net {
  Net(uint32_t nodes, const std::vector<TestLink> &links,
      const std::vector<std::pair<uint32_t, uint32_t>> &connections)
      : plan(pairs(nodes, connections)), target(graph(nodes, links)), sim(plan, target, 1 << 20) {
    // The connections of a plan are numbered by their senders.
    for (uint32_t c = 0; c < connections.size(); ++c) {
      const Threadblock &tb = plan.threadblocks()[sim.placed.placedConnections[c].senderTb];
      byChannel[tb.channel.index()] = c;
    }
  }
  uint32_t connection(uint32_t c) const { return byChannel.at(c); }
  ArrayRef<LinkId> route(uint32_t c) const {
    return sim.placed.routes.linksOf(sim.placed.routes[c]);
  }

  ExecPlan plan;
  Machine target;
  Simulation sim;
  std::map<uint32_t, uint32_t> byChannel;
};

struct Message {
  uint32_t connection;
  uint64_t bytes;
  int64_t start;
  int64_t arrival = -1, contention = 0;
};

/// Sends messages that belong to no plan.
class Flights final : NetworkHost {
public:
  explicit Flights(const Net &net, StringRef network = "maxmin")
      : model(createNetwork(network, net.sim.placed.routes)) {
    model->attach(*this);
  }
  void fly(std::vector<Message> &messages) {
    for (uint32_t m = 0; m < messages.size(); ++m)
      push(messages[m].start, [this, m, &messages] {
        uint32_t f = model->create(messages[m].connection, Bytes(messages[m].bytes), now, m);
        model->start(f, now);
      });
    arrive = [this, &messages](uint32_t f, SimTime at) {
      REQUIRE(at >= now);
      messages[model->flight(f).sender].arrival = at.picoseconds();
      messages[model->flight(f).sender].contention = model->flight(f).contention.picoseconds();
      push(at.picoseconds(), [this, f] { model->release(f); });
    };
    while (!events.empty()) {
      auto first = events.begin();
      now = SimTime(first->first.first);
      auto happen = std::move(first->second);
      events.erase(first);
      happen();
    }
  }

private:
  void push(int64_t at, std::function<void()> happens) {
    events.emplace(std::make_pair(at, pushed++), std::move(happens));
  }
  void schedule(SimTime at, uint32_t token) override {
    REQUIRE(at >= now);
    push(at.picoseconds(), [this, token] { model->event(token, now); });
  }
  void arrives(uint32_t flight, SimTime at) override { arrive(flight, at); }

  std::unique_ptr<NetworkModel> model;
  std::map<std::pair<int64_t, uint64_t>, std::function<void()>> events;
  std::function<void(uint32_t, SimTime)> arrive;
  SimTime now;
  uint64_t pushed = 0;
};

/// A ring, so that all endpoints are connected, and more links.
inline std::vector<TestLink> randomLinks(Random &random, uint32_t nodes) {
  std::vector<TestLink> links;
  std::set<std::pair<uint32_t, uint32_t>> taken;
  auto add = [&](uint32_t from, uint32_t to) {
    if (from != to && taken.emplace(from, to).second)
      links.push_back({from, to, random.between(1, 400) * 1'000'000'007ull,
                       random.chance(30) ? 1000 : random.between(1, 5000)});
  };
  for (uint32_t n = 0; n < nodes; ++n)
    add(n, (n + 1) % nodes);
  for (uint32_t n = random.below(2 * nodes); n > 0; --n)
    add(random.below(nodes), random.below(nodes));
  return links;
}

struct NetSize {
  uint32_t leastNodes = 2, mostNodes = 9, leastConnections = 1, mostConnections = 15;
};

inline Net randomNet(Random &random, NetSize size = {}) {
  uint32_t nodes = random.between(size.leastNodes, size.mostNodes);
  std::vector<TestLink> links = randomLinks(random, nodes);
  std::vector<std::pair<uint32_t, uint32_t>> connections;
  for (uint32_t c = random.between(size.leastConnections, size.mostConnections); c > 0; --c) {
    uint32_t from = random.below(nodes);
    connections.emplace_back(from, (from + random.between(1, nodes - 1)) % nodes);
  }
  return Net(nodes, links, connections);
}

/// Up to 40 messages on random connections of \p net, within 20 us.
inline std::vector<Message> randomMessages(Random &random, const Net &net) {
  std::vector<Message> messages;
  for (uint32_t m = random.between(1, 40); m > 0; --m)
    messages.push_back({random.below(net.sim.placed.placedConnections.size()),
                        random.between(1, 1'000'000), int64_t(random.below(20'000'000))});
  return messages;
}
} // namespace cclc::test

#endif // CCL_TEST_UNIT_SIM_FLIGHTS_H
