//===- PerFlit.cpp - Messages in flits ------------------------------------===//
//
// A message is divided into flits. A link transfers flits sequentially, in the order of their
// arrival, each in its size over the bandwidth, plus the propagation of the link and the overhead
// of the next node: the first flit because its header is decoded there, the others because they do
// not overtake it. A node that reassembles waits for all flits of a message and then sends it like
// a new message.
//
// The memory of a PE has channels, each of which processes bursts sequentially at its share of the
// rate of the memory's port. A message to a memory has arrived when the burst of its last flit is
// written. A message from a memory begins with its bursts, which the controller passes to its port
// one by one. It has two lanes, each of which serves reads sequentially in the order of their
// arrival:
//
//   * reads whose route is as fast as the port, at the port's rate. A read that was waiting when
//     its predecessor began follows it without a gap, because its bursts could be prepared; another
//     begins when the last burst of its predecessor is complete;
//   * the other reads, each at the rate of its route. A worm occupies the lane until its tail is in
//     the network, which hides the bursts of the next one.
//
// At most one flit of a message is an event before it has left its first link; the following flits
// are derived from it. Flits are in a pool, so no memory is allocated for them.
//
// Implements rules 38, 41 and 42.
//
//===----------------------------------------------------------------------===//

#include "PerFlit.h"

#include "cclc/Support/Ring.h"

using namespace cclc;

namespace {

/// Tokens with this bit belong to memory controllers, others to flits.
constexpr uint32_t controllerBit = uint32_t(1) << 31;

class PerFlitNetwork final : public NetworkModel {
public:
  explicit PerFlitNetwork(const RouteTable &routes)
      : NetworkModel(routes), machine(routes.machine), freeAt(machine.links().size()),
        controllerOf(machine.nodes().size()) {
    for (uint32_t endpoint = 0; machine.hasMemories() && endpoint < machine.numEndpoints();
         ++endpoint) {
      controllerOf[machine.memoryNode(EndpointId(endpoint)).index()] = controllers.size();
      controllers.emplace_back();
      controllers.back().channels.resize(machine.memory.channels);
    }
  }

  SimTime estimate(ArrayRef<LinkId> links, Bytes size, SimTime now) const override {
    return arrivalOf(links, size, now, [&](LinkId id) { return freeAt[id.index()]; });
  }

  void inject(uint32_t f, SimTime now) override {
    if (f >= worms.size())
      worms.resize(f + 1);
    Worm &worm = worms[f];
    worm = Worm{};
    const Flight &flight = flights[f];
    worm.flits = std::max<uint64_t>(ceilDiv(flight.size.count(), machine.flit.count()), 1);
    worm.last = Bytes(flight.size.count() - (worm.flits - 1) * machine.flit.count());
    OptionalIndex source = controllerOf[linkAt(flight, 0).from.index()];
    if (!source)
      return enter(f, 0, now);
    worm.end = segmentEnd(flight, 0);
    worm.read = true;
    read(f, *source, now);
  }

  void event(uint32_t token, SimTime now) override {
    if (token & controllerBit)
      return issue(token & ~controllerBit, now);
    Flit flit = flits[token];
    // The next flit reuses the entry.
    freeFlits.push_back(token);
    pass(flit, now);
  }

private:
  struct Flit {
    uint32_t flight;
    uint32_t hop; ///< index of the next link, or the end of its segment
    uint64_t index;
  };
  /// A flight between two nodes that reassemble it.
  struct Worm {
    uint64_t flits = 0;
    Bytes last;           ///< size of the last flit
    uint32_t begin = 0;   ///< first link of the segment
    uint32_t end = 0;     ///< one past its last link
    uint64_t arrived = 0; ///< number of flits at the end of the segment
    bool read = false;    ///< whether its flits come from a controller
    SimTime leaves;       ///< when its latest flit leaves the first link
    SimTime complete;     ///< when the memory has written the arrived flits
  };
  /// Reads that a controller serves sequentially.
  struct Lane {
    Ring<Flit> reads;     ///< with their next flit
    SimTime at;           ///< the earliest time of the next flit
    bool chained = false; ///< whether the next read was waiting when the first one began
  };
  struct Controller {
    std::vector<SimTime> channels; ///< when each is free
    Lane fast, slow;
    SimTime portAt;                ///< when the port can accept the next flit
    std::optional<SimTime> wakeAt; ///< the only valid event of the controller
  };

  const Link &linkAt(const Flight &flight, uint32_t hop) const {
    return machine.link(routes.hop(routes[flight.route].begin + hop));
  }
  uint32_t hops(const Flight &flight) const { return routes[flight.route].length(); }
  /// The number of links up to the next node that reassembles, or all.
  uint32_t segmentEnd(const Flight &flight, uint32_t begin) const {
    uint32_t end = begin + 1;
    while (end < hops(flight) && !machine.nodes()[linkAt(flight, end - 1).to.index()].reassembles)
      ++end;
    return end;
  }
  Bytes sizeOf(const Worm &worm, uint64_t index) const {
    return index + 1 == worm.flits ? worm.last : machine.flit;
  }

  void scheduleFlit(Flit flit, SimTime at) {
    uint32_t token;
    if (freeFlits.empty()) {
      token = flits.size();
      flits.push_back(flit);
    } else {
      token = freeFlits.back();
      freeFlits.pop_back();
      flits[token] = flit;
    }
    host->schedule(at, token);
  }

  /// All of \p f is at the beginning of link \p hop, which it occupies until all its flits have
  /// passed.
  void enter(uint32_t f, uint32_t hop, SimTime now) {
    Flight &flight = flights[f];
    Worm &worm = worms[f];
    worm.begin = hop;
    worm.read = false;
    worm.end = segmentEnd(flight, hop);
    worm.arrived = 0;
    const Link &link = linkAt(flight, hop);
    uint32_t id = routes.hop(routes[flight.route].begin + hop).index();
    SimTime start = std::max(now, freeAt[id]);
    SimTime whole = transferTime(machine.flit, link.bandwidth) * int64_t(worm.flits - 1) +
                    transferTime(worm.last, link.bandwidth);
    freeAt[id] = start + whole;
    account(id, flight.size, start, whole, start - now);
    flight.contention += start - now;
    worm.leaves = start;
    follow(f, 0);
  }

  /// Sends flit \p index over the first link after its predecessor.
  void follow(uint32_t f, uint64_t index) {
    Worm &worm = worms[f];
    const Link &link = linkAt(flights[f], worm.begin);
    worm.leaves += transferTime(sizeOf(worm, index), link.bandwidth);
    scheduleFlit({f, worm.begin + 1, index}, worm.leaves + machine.latency(link));
  }

  void account(uint32_t link, Bytes size, SimTime start, SimTime busy, SimTime waited) {
    LinkUse &u = use[link];
    u.bytes += size;
    u.busy += busy;
    u.longestWait = std::max(u.longestWait, waited);
    if (observed)
      host->linkBusy(LinkId(link), size, start, start + busy);
  }

  /// Handles \p flit at the link of its hop, or at the end of its segment.
  void pass(Flit flit, SimTime now) {
    Flight &flight = flights[flit.flight];
    Worm &worm = worms[flit.flight];
    if (!worm.read && flit.hop == worm.begin + 1 && flit.index + 1 < worm.flits)
      follow(flit.flight, flit.index + 1);
    if (flit.hop == worm.end)
      return arrive(flit, now);
    if (flit.index == 0) { // the others follow it
      flight.hop = flit.hop;
      adapt(flit.flight, now);
      worm.end = segmentEnd(flight, worm.begin);
    }
    const Link &link = linkAt(flight, flit.hop);
    uint32_t id = routes.hop(routes[flight.route].begin + flit.hop).index();
    Bytes size = sizeOf(worm, flit.index);
    SimTime start = std::max(now, freeAt[id]);
    SimTime busy = transferTime(size, link.bandwidth);
    freeAt[id] = start + busy;
    account(id, size, start, busy, start - now);
    // Only the first flit counts: the others also wait for flits of their own message.
    if (flit.index == 0)
      flight.contention += start - now;
    ++flit.hop;
    scheduleFlit(flit, start + busy + machine.latency(link));
  }

  void arrive(Flit flit, SimTime now) {
    Flight &flight = flights[flit.flight];
    Worm &worm = worms[flit.flight];
    OptionalIndex memory = controllerOf[linkAt(flight, worm.end - 1).to.index()];
    worm.complete = memory ? std::max(worm.complete, burst(*memory, flit.index, now)) : now;
    if (++worm.arrived < worm.flits)
      return;
    if (worm.end == hops(flight))
      arrives(flit.flight, worm.complete);
    else
      enter(flit.flight, worm.end, now);
  }

  // --- Memories ----------------------------------------------------------------------------

  /// Reads or writes the burst of flit \p index of a message, and returns its completion time.
  /// Messages begin at the first channel.
  SimTime burst(uint32_t memory, uint64_t index, SimTime now) {
    std::vector<SimTime> &channels = controllers[memory].channels;
    SimTime &channel =
        channels[index * machine.flit.count() / machine.memory.burst.count() % channels.size()];
    Bandwidth rate = machine.memoryRate(EndpointId(memory));
    Bandwidth part(rate.bytesPerSecond() / channels.size());
    return channel = std::max(channel, now) + transferTime(machine.flit, part);
  }

  void read(uint32_t f, uint32_t memory, SimTime now) {
    Controller &controller = controllers[memory];
    bool slow = routes[flights[f].route].bottleneck != machine.memoryRate(EndpointId(memory));
    (slow ? controller.slow : controller.fast).reads.push({f, 0, 0});
    wake(memory, now);
  }

  void wake(uint32_t memory, SimTime now) {
    Controller &controller = controllers[memory];
    SimTime at = SimTime::max();
    for (const Lane *lane : {&controller.fast, &controller.slow})
      if (!lane->reads.empty())
        at = std::min(at, std::max({now, controller.portAt, lane->at}));
    if (at == SimTime::max() || (controller.wakeAt && *controller.wakeAt <= at))
      return;
    controller.wakeAt = at;
    host->schedule(at, controllerBit | memory);
  }

  /// Passes a flit to the port.
  void issue(uint32_t memory, SimTime now) {
    Controller &controller = controllers[memory];
    if (controller.wakeAt != now)
      return;
    controller.wakeAt.reset();
    bool slow = !controller.slow.reads.empty() && controller.slow.at <= now;
    Lane &lane = slow ? controller.slow : controller.fast;
    Flit &next = lane.reads.front();
    SimTime done = burst(memory, next.index, now);
    scheduleFlit(next, done);
    controller.portAt = now + transferTime(machine.flit, machine.memoryRate(EndpointId(memory)));
    bool last = next.index + 1 == worms[next.flight].flits;
    if (next.index == 0)
      lane.chained = lane.reads.size() > 1;
    if (slow)
      lane.at = now + transferTime(machine.flit, routes[flights[next.flight].route].bottleneck);
    else if (last && !lane.chained)
      lane.at = done;
    ++next.index;
    if (last)
      lane.reads.pop();
    wake(memory, now);
  }

  const Machine &machine;
  std::vector<SimTime> freeAt; ///< by link
  std::vector<Worm> worms;     ///< by flight
  std::vector<Flit> flits;
  std::vector<uint32_t> freeFlits;
  std::vector<OptionalIndex> controllerOf; ///< by node
  std::vector<Controller> controllers;     ///< by endpoint
};
} // namespace

std::unique_ptr<NetworkModel> cclc::createPerFlitNetwork(const RouteTable &routes) {
  return std::make_unique<PerFlitNetwork>(routes);
}
