//===- MaxMinFastTest.cpp - Flows with approximate rates ------------------===//
//
// The arrival of every flow is compared with that in `maxmin`.
//
//===----------------------------------------------------------------------===//

#include "Flights.h"

#include <cmath>

using namespace cclc;
using namespace cclc::test;

namespace {
/// The differences of times from those in `maxmin`, relative to these.
struct Differences {
  double sum = 0, worst = 0; ///< of the messages
  double last = 0;           ///< of the last arrival
  size_t count = 0;

  void add(const Net &net, std::vector<Message> messages) {
    std::vector<Message> exact = messages;
    Flights(net).fly(exact);
    Flights(net, "maxmin-fast").fly(messages);
    int64_t end = 0, exactEnd = 0;
    for (size_t m = 0; m < messages.size(); ++m) {
      const Message &message = exact[m];
      double difference = std::abs(double(messages[m].arrival - message.arrival)) /
                          double(message.arrival - message.start);
      worst = std::max(worst, difference);
      sum += difference;
      end = std::max(end, messages[m].arrival);
      exactEnd = std::max(exactEnd, message.arrival);
    }
    count += messages.size();
    last = std::max(last, std::abs(double(end - exactEnd)) / double(exactEnd));
  }

  void check() const {
    CHECK(last < 0.001);
    CHECK(sum / count < 0.001);
    CHECK(worst < 0.05);
  }
};

/// All nodes send to all others through one switch, node 0.
Net star(uint32_t nodes) {
  std::vector<TestLink> links;
  std::vector<std::pair<uint32_t, uint32_t>> connections;
  for (uint32_t n = 1; n <= nodes; ++n) {
    links.push_back({n, 0, 100'000'000'000, 1000});
    links.push_back({0, n, 100'000'000'000, 1000});
    for (uint32_t to = 1; to <= nodes; ++to)
      if (to != n)
        connections.emplace_back(n, to);
  }
  return Net(nodes + 1, links, connections);
}

/// Random links, of which many connections share the most frequent ones.
Net crowdedNet(Random &random) { return randomNet(random, {8, 20, 160, 320}); }

std::vector<Message> crowd(Random &random, const Net &net, uint32_t count, int64_t within) {
  std::vector<Message> messages;
  for (uint32_t m = 0; m < count; ++m)
    messages.push_back({random.below(net.sim.placed.placedConnections.size()),
                        random.between(1, 300'000), int64_t(random.below(within))});
  return messages;
}
} // namespace

TEST_CASE("approximate flows of an all-to-all arrive at about the same times", "[sim][rule-58]") {
  Differences found;
  for (uint64_t seed = 0; seed < scaled(4); ++seed) {
    Random random(seed);
    uint32_t nodes = random.between(8, 20);
    Net net = star(nodes);
    std::vector<Message> messages;
    for (uint32_t m = 0; m < 150 * nodes; ++m)
      messages.push_back({random.below(nodes * (nodes - 1)), random.between(30'000, 100'000),
                          int64_t(random.below(100'000'000))});
    found.add(net, messages);
  }
  found.check();
}

TEST_CASE("approximate flows arrive at about the same times", "[sim][rule-58]") {
  Differences found;
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    Random random(seed);
    Net net = randomNet(random);
    std::vector<Message> messages = randomMessages(random, net);
    found.add(net, messages);
  }
  found.check();
}

TEST_CASE("approximate flows that begin together are exact", "[sim][rule-58]") {
  Net net = star(16);
  std::vector<Message> messages;
  for (uint32_t c = 0; c < 16 * 15; ++c)
    messages.push_back({c, 1'000'000, 0});
  Flights(net, "maxmin-fast").fly(messages);
  for (const Message &message : messages)
    CHECK(message.arrival == 2'000'000 + 15 * 10'000'000);
}

TEST_CASE("fast flows over links of different latencies have weighted shares", "[sim][rule-58]") {
  // Of two flows on one link, the one with half of the latency has two thirds of it.
  Net net(3, {{0, 1, 100'000'000'000, 1000}, {1, 2, 200'000'000'000, 1000}}, {{0, 1}, {0, 2}});
  std::vector<Message> m = {{net.connection(0), 2'000'000, 1'000'000},
                            {net.connection(1), 1'000'000, 0}};
  Flights(net, "maxmin-fast").fly(m);
  for (const Message &message : m)
    CHECK(message.arrival == 2'000'000 + 30'000'000);
}

TEST_CASE("approximate flows of crowds arrive at about the same times", "[sim][rule-58]") {
  Differences found;
  for (uint64_t seed = 0; seed < scaled(10); ++seed) {
    Random random(seed);
    Net net = crowdedNet(random);
    found.add(net, crowd(random, net, 800, 20'000'000));
  }
  found.check();
}

TEST_CASE("approximate flows of a large all-to-all arrive at about the same times",
          "[sim][rule-58]") {
  Differences found;
  for (uint64_t seed = 0; seed < scaled(2); ++seed) {
    Random random(seed);
    Net net = star(48);
    found.add(net, crowd(random, net, 3000, 50'000'000));
  }
  found.check();
}

TEST_CASE("approximate flows on a torus arrive at about the same times", "[sim][rule-58]") {
  constexpr uint32_t width = 5, nodes = width * width;
  std::vector<TestLink> links;
  std::vector<std::pair<uint32_t, uint32_t>> connections;
  for (uint32_t n = 0; n < nodes; ++n) {
    uint32_t right = n / width * width + (n + 1) % width, below = (n + width) % nodes;
    for (auto [from, to] : {std::pair(n, right), {right, n}, {n, below}, {below, n}})
      links.push_back({from, to, 100'000'000'000, 1000});
    for (uint32_t to = 0; to < nodes; ++to)
      if (to != n)
        connections.emplace_back(n, to);
  }
  Net net(nodes, links, connections);
  Differences found;
  for (uint64_t seed = 0; seed < scaled(4); ++seed) {
    Random random(seed);
    found.add(net, crowd(random, net, 2000, 20'000'000));
  }
  found.check();
}

TEST_CASE("approximate flows that begin later arrive later by as much", "[sim][rule-58]") {
  constexpr int64_t delay = 123'456'789;
  for (uint64_t seed = 0; seed < scaled(5); ++seed) {
    Random random(seed);
    Net net = crowdedNet(random);
    std::vector<Message> messages = crowd(random, net, 800, 20'000'000), later = messages;
    for (Message &message : later)
      message.start += delay;
    Flights(net, "maxmin-fast").fly(messages);
    Flights(net, "maxmin-fast").fly(later);
    for (size_t m = 0; m < messages.size(); ++m)
      REQUIRE(later[m].arrival == messages[m].arrival + delay);
  }
}

TEST_CASE("approximate flows exceed no link by more than the tolerance", "[sim][rule-58]") {
  constexpr double most = 1 + 1.0 / 128;
  for (uint64_t seed = 0; seed < scaled(5); ++seed) {
    Random random(seed);
    Net net = crowdedNet(random);
    std::vector<Message> messages = crowd(random, net, 800, 20'000'000);
    Flights(net, "maxmin-fast").fly(messages);
    std::map<LinkId, uint64_t> bytes;
    std::map<LinkId, int64_t> first, last;
    for (const Message &message : messages)
      for (LinkId link : net.route(message.connection)) {
        const double rate = net.target.link(link).bandwidth.bytesPerSecond();
        CHECK(message.bytes * 1e12 <= rate * (message.arrival - message.start) * most);
        bytes[link] += message.bytes;
        first.try_emplace(link, message.start);
        first[link] = std::min(first[link], message.start);
        last[link] = std::max(last[link], message.arrival);
      }
    for (auto [link, sum] : bytes)
      CHECK(sum * 1e12 <= net.target.link(link).bandwidth.bytesPerSecond() *
                              double(last[link] - first[link]) * most);
  }
}
