//===- MaxMinTest.cpp - Flows that share links ----------------------------===//
//
// The shares are compared with progressive filling by its definition; the times of
// flows with a simulation that recomputes every share whenever a flow begins or
// ends, and with closed forms.
//
//===----------------------------------------------------------------------===//

#include "FairShares.h"
#include "Flights.h"

using namespace cclc;
using namespace cclc::test;

namespace {

using Real = long double;

/// Progressive filling: shares grow together until a link is full; the flows on it keep their
/// share. \p flows are routes and weights; returns rates.
std::vector<Real> fill(const Net &net, const std::vector<std::pair<uint32_t, Real>> &flows) {
  std::vector<Real> rates(flows.size());
  std::vector<bool> stopped(flows.size());
  while (true) {
    Real least = -1;
    uint32_t fullest = 0;
    for (uint32_t l = 0; l < net.target.links().size(); ++l) {
      Real rest = net.target.links()[l].bandwidth.bytesPerSecond(), weight = 0;
      for (size_t f = 0; f < flows.size(); ++f)
        for (LinkId link : net.route(flows[f].first))
          if (link.index() == l) {
            rest -= rates[f];
            weight += stopped[f] ? 0 : flows[f].second;
          }
      if (weight > 0 && (least < 0 || rest / weight < least)) {
        least = rest / weight;
        fullest = l;
      }
    }
    if (least < 0)
      return rates;
    for (size_t f = 0; f < flows.size(); ++f)
      for (LinkId link : net.route(flows[f].first))
        if (link.index() == fullest && !stopped[f]) {
          stopped[f] = true;
          rates[f] = least * flows[f].second;
        }
  }
}

Real weightOf(const Net &net, uint32_t connection) {
  return 1 / Real(net.sim.placed.routes[connection].latency.picoseconds());
}

/// The arrival times of the messages, from the definition. \p spread: the largest quotient of two
/// rates of a message.
std::vector<Real> arrivals(const Net &net, const std::vector<Message> &messages, Real &spread) {
  constexpr Real second = 1e12;
  std::vector<Real> begin, rest, arrival(messages.size(), -1);
  std::vector<Real> slowest(messages.size(), 1e30L), fastest(messages.size());
  spread = 1;
  for (const Message &m : messages) {
    begin.push_back(m.start + net.sim.placed.routes[m.connection].latency.picoseconds());
    rest.push_back(m.bytes);
  }
  Real now = 0;
  while (true) {
    std::vector<uint32_t> active;
    std::vector<std::pair<uint32_t, Real>> flows;
    Real next = -1;
    for (uint32_t m = 0; m < messages.size(); ++m) {
      if (arrival[m] >= 0)
        continue;
      if (begin[m] > now) {
        next = next < 0 ? begin[m] : std::min(next, begin[m]);
        continue;
      }
      active.push_back(m);
      flows.emplace_back(messages[m].connection, weightOf(net, messages[m].connection));
    }
    if (active.empty() && next < 0)
      break;
    std::vector<Real> rates = fill(net, flows);
    std::optional<size_t> first;
    for (size_t i = 0; i < active.size(); ++i) {
      Real end = now + rest[active[i]] / rates[i] * second;
      if (next < 0 || end < next) {
        next = end;
        first = i;
      }
    }
    for (size_t i = 0; i < active.size(); ++i) {
      uint32_t m = active[i];
      rest[m] -= rates[i] * (next - now) / second;
      slowest[m] = std::min(slowest[m], rates[i]);
      fastest[m] = std::max(fastest[m], rates[i]);
      spread = std::max(spread, fastest[m] / slowest[m]);
    }
    if (first)
      arrival[active[*first]] = next;
    now = next;
  }
  // Messages of a connection arrive in order.
  std::vector<Real> inOrder = arrival;
  for (uint32_t m = 0; m < messages.size(); ++m)
    for (uint32_t o = 0; o < messages.size(); ++o)
      if (messages[o].connection == messages[m].connection &&
          (messages[o].start < messages[m].start ||
           (messages[o].start == messages[m].start && o < m)))
        inOrder[m] = std::max(inOrder[m], arrival[o]);
  return inOrder;
}

} // namespace

TEST_CASE("shares match progressive filling", "[sim][rule-24]") {
  constexpr Real one = 1 << FairShares::rateBits;
  for (uint64_t seed = 0; seed < scaled(100); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Net net = randomNet(random);
    uint32_t connections = net.sim.placed.placedConnections.size();
    std::vector<uint32_t> count(connections);
    FairShares shares(net.sim.placed.routes);
    for (uint32_t change = 0; change < 40; ++change) {
      // Some flows are added and removed immediately.
      for (uint32_t n = random.between(1, 3); n > 0; --n) {
        uint32_t c = random.below(connections);
        if (count[c] > 0 && random.chance(45)) {
          --count[c];
          shares.remove(c);
        } else {
          ++count[c];
          shares.add(c);
        }
      }
      shares.settle();
      shares.forgetChanges();

      std::vector<std::pair<uint32_t, Real>> flows;
      for (uint32_t c = 0; c < connections; ++c)
        for (uint32_t n = 0; n < count[c]; ++n)
          flows.emplace_back(c, weightOf(net, c));
      std::vector<Real> want = fill(net, flows);
      std::vector<Real> load(net.target.links().size());
      bool near = true;
      for (size_t f = 0; f < flows.size(); ++f) {
        Real rate = Real(shares.rate(flows[f].first)) / one;
        // Weights are rounded to a small fraction of the largest.
        near &= std::abs(rate - want[f]) <= 1e-6L * want[f];
        for (LinkId link : net.route(flows[f].first))
          load[link.index()] += rate;
      }
      REQUIRE(near);
      for (size_t l = 0; l < load.size(); ++l)
        REQUIRE(load[l] <= net.target.links()[l].bandwidth.bytesPerSecond() + flows.size() / one);

      // The result is independent of former flows.
      FairShares fresh(net.sim.placed.routes);
      for (uint32_t c = connections; c-- > 0;)
        for (uint32_t n = 0; n < count[c]; ++n)
          fresh.add(c);
      fresh.settle();
      for (const auto &[c, weight] : flows)
        REQUIRE(bool(fresh.rate(c) == shares.rate(c)));
    }
  }
}

TEST_CASE("flows arrive according to their rates", "[sim][rule-25]") {
  uint32_t all = 0, off = 0;
  for (uint64_t seed = 0; seed < scaled(150); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Net net = randomNet(random);
    std::vector<Message> messages = randomMessages(random, net);
    Real spread;
    std::vector<Real> want = arrivals(net, messages, spread);
    Flights(net).fly(messages);
    for (uint32_t m = 0; m < messages.size(); ++m) {
      const Message &got = messages[m];
      // Every previous begin and end may be off by a picosecond. Bytes lost in it at a high rate
      // take longer if the rate is lower at the end: this is rare.
      int64_t before = 1;
      for (uint32_t o = 0; o < messages.size(); ++o)
        before += (messages[o].start <= got.arrival) + (messages[o].arrival <= got.arrival);
      INFO("message " << m << " arrives at " << got.arrival << " and not at " << double(want[m]));
      CHECK(std::abs(got.arrival - want[m]) <= before * spread);
      ++all;
      off += std::abs(got.arrival - want[m]) > before;
      const Route &bound = net.sim.placed.routes[got.connection];
      SimTime alone = bound.latency + transferTime(Bytes(got.bytes), bound.bottleneck);
      CHECK(got.contention >= 0);
      CHECK(got.arrival == got.start + alone.picoseconds() + got.contention);
    }
  }
  CHECK(off * 1000 <= all);
}

TEST_CASE("a single flow takes its latency and its transfer time", "[sim]") {
  StringRef network = GENERATE("maxmin", "maxmin-fast");
  Random random(1);
  for (uint32_t n = 0; n < 300; ++n) {
    Net net = randomNet(random);
    uint32_t c = random.below(net.sim.placed.placedConnections.size());
    const Route &bound = net.sim.placed.routes[c];
    uint64_t bytes = random.next() >> random.between(24, 63);
    std::vector<Message> alone = {{c, bytes, 12345}};
    Flights(net, network).fly(alone);
    int64_t arrival =
        12345 + bound.latency.picoseconds() + transferPs(bytes, bound.bottleneck.bytesPerSecond());
    // Approximate shares are rounded, which matters in transfers of seconds.
    CHECK(std::abs(alone[0].arrival - arrival) <= (network == "maxmin" ? 0 : 1));
    CHECK(alone[0].contention == 0);
  }
}

TEST_CASE("flows on one link share it", "[sim]") {
  StringRef network = GENERATE("maxmin", "maxmin-fast");
  // 100 GB/s, so that 1 ps is 0.1 bytes. All flows begin 1 us after they were sent.
  Net net(2, {{0, 1, 100'000'000'000, 1000}}, {{0, 1}, {0, 1}, {0, 1}});
  SECTION("equally") {
    std::vector<Message> m = {{0, 5000, 0}, {1, 5000, 0}, {2, 5000, 0}};
    Flights(net, network).fly(m);
    for (const Message &message : m) {
      CHECK(message.arrival == 1'000'000 + 150'000);
      CHECK(message.contention == 100'000);
    }
  }
  SECTION("and the remaining ones become faster") {
    // A third each until the smallest has its 1000 bytes, 30 ns; then half each: the second needs
    // another 1000, 20 ns; the third has 3000 left on its own.
    std::vector<Message> m = {{0, 5000, 0}, {1, 2000, 0}, {2, 1000, 0}};
    Flights(net, network).fly(m);
    CHECK(m[2].arrival == 1'000'000 + 30'000);
    CHECK(m[1].arrival == 1'000'000 + 50'000);
    CHECK(m[0].arrival == 1'000'000 + 80'000);
    CHECK(m[0].contention == 30'000);
  }
  SECTION("from their beginning on") {
    // 20 ns alone, 2000 bytes; then both have half of the rate until the second is complete, 20 ns.
    std::vector<Message> m = {{0, 5000, 0}, {1, 1000, 20'000}};
    Flights(net, network).fly(m);
    CHECK(m[1].arrival == 1'000'000 + 40'000);
    CHECK(m[0].arrival == 1'000'000 + 60'000);
  }
  SECTION("also on one connection") {
    std::vector<Message> m = {{0, 1000, 0}, {0, 3000, 0}, {0, 2000, 0}};
    Flights(net, network).fly(m);
    CHECK(m[0].arrival == 1'000'000 + 30'000);
    CHECK(m[1].arrival == 1'000'000 + 60'000);
    // It is complete after 50 ns, but arrives after the previous one.
    CHECK(m[2].arrival == 1'000'000 + 60'000);
    CHECK(m[2].contention == 40'000);
  }
}

TEST_CASE("the most contended link determines the rate of a flow", "[sim]") {
  StringRef network = GENERATE("maxmin", "maxmin-fast");
  // A line of three links of 90, 30 and 60 GB/s, propagation 1 us each. One flow over all of them,
  // one over each. The latency of the long one is three times that of the others, so its weight is
  // a third.
  std::vector<TestLink> line = {
      {0, 1, 90'000'000'000, 1000}, {1, 2, 30'000'000'000, 1000}, {2, 3, 60'000'000'000, 1000}};
  Net net(4, line, {{0, 3}, {0, 1}, {1, 2}, {2, 3}});
  // The middle link is saturated first: 7.5 GB/s for the long flow and 22.5 for the other one. The
  // other links give 7.5 to the long flow and 82.5 and 52.5 to their own.
  std::vector<Message> m = {{net.connection(0), 7500, 0},
                            {net.connection(1), 82500, 2'000'000},
                            {net.connection(2), 22500, 2'000'000},
                            {net.connection(3), 52500, 2'000'000}};
  Flights(net, network).fly(m);
  for (const Message &message : m)
    CHECK(message.arrival == 3'000'000 + 1'000'000);
  // With twice the size, 7500 bytes of the long flow are left when the others have ended: 30 GB/s.
  m[0].bytes *= 2;
  Flights(net, network).fly(m);
  CHECK(m[0].arrival == 3'000'000 + 1'000'000 + 250'000);
  CHECK(m[2].arrival == 3'000'000 + 1'000'000);
}

TEST_CASE("a flow that ends in the picosecond in which others begin", "[sim]") {
  StringRef network = GENERATE("maxmin", "maxmin-fast");
  // The first flow ends exactly when the second begins: they do not share the link.
  Net net(2, {{0, 1, 100'000'000'000, 1000}}, {{0, 1}, {0, 1}});
  std::vector<Message> m = {{0, 5000, 0}, {1, 5000, 50'000}};
  Flights(net, network).fly(m);
  CHECK(m[0].arrival == 1'050'000);
  CHECK(m[1].arrival == 1'100'000);
  CHECK(m[1].contention == 0);
}

TEST_CASE("scaling sizes and rates together preserves the times of flows", "[sim]") {
  for (uint64_t seed = 0; seed < scaled(50); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    uint32_t nodes = random.between(2, 6);
    std::vector<TestLink> links = randomLinks(random, nodes);
    std::vector<std::pair<uint32_t, uint32_t>> connections;
    for (uint32_t c = 0; c < 10; ++c) {
      uint32_t from = random.below(nodes);
      connections.emplace_back(from, (from + random.between(1, nodes - 1)) % nodes);
    }
    std::vector<Message> messages;
    for (uint32_t m = 0; m < 30; ++m)
      messages.push_back(
          {random.below(10), random.between(1, 1'000'000), random.below(20'000'000)});
    Net net(nodes, links, connections);
    Flights(net).fly(messages);
    for (uint64_t k : {2, 3, 10, 1000}) {
      std::vector<TestLink> faster = links;
      for (TestLink &link : faster)
        link.bandwidth *= k;
      std::vector<Message> larger = messages;
      for (Message &m : larger)
        m.bytes *= k;
      Net other(nodes, faster, connections);
      Flights(other).fly(larger);
      for (size_t m = 0; m < messages.size(); ++m)
        CHECK(larger[m].arrival == messages[m].arrival);
    }
  }
}
