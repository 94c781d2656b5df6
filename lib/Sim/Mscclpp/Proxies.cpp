//===- Proxies.cpp - Transfers of port channels ---------------------------===//
//
// A threadblock tells the proxy of its rank what to transfer, and continues. The proxy begins one
// transfer after the other. The data of a channel arrive in this order, and a signal after them.
//
// Implements rule M7.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

namespace cclc::mscclpp {

uint32_t Simulation::portOf(const Threadblock &tb, const Operation &op, uint32_t number) const {
  return firstPort[tb.rank.index()] + plan.channels(tb, ChannelKind::Port)[plan.ids(op)[number]];
}

/// Hands the current operation over, one transfer for each of its channels.
void Simulation::tell(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  ProxyState &proxy = ranks[self.rank].proxy;
  for (uint32_t i = 0; i < op.ids.count; ++i) {
    proxy.triggers.push_back({t, self.launch, &op, i, self.previous});
    proxy.free = std::max(now + model.port->trigger, proxy.free) + model.port->transfer;
    queue.push(proxy.free, {Event::Kind::Transfer, self.rank});
  }
  self.pending = 0;
  if (op.op != OpKind::PutSignalFlush)
    return;
  self.pending = op.ids.count;
  self.stage = Stage::Flush;
}

/// Begins the next transfer of the proxy of \p rank.
void Simulation::transfer(uint32_t r) {
  ProxyState &proxy = ranks[r].proxy;
  Trigger trigger = proxy.triggers.front();
  proxy.triggers.pop_front();
  const Operation &op = *trigger.op;
  const Threadblock &tb = threadblock(trigger.threadblock);
  uint32_t channel = portOf(tb, op, trigger.number);
  PortState &port = ports[channel];
  RankId peer = plan.channels(plan.rankOf(tb), ChannelKind::Port)[channel - firstPort[r]];
  if (traits(op.op).movesData()) {
    bool isForwarded = op.op == OpKind::ReadPutPackets;
    const Place &source = plan.sources(op)[isForwarded ? 0 : trigger.number];
    const Place &place = plan.destinations(op)[trigger.number];
    uint64_t bytes = sized.bytesOf(source);
    if (options.data)
      options.data->move(tb, op, 0, bytes, trigger.launch, trigger.number);
    Cargo cargo{Cargo::Role::ByProxy};
    cargo.packets = isPackets(op.destination(trigger.number));
    cargo.flushes = op.op == OpKind::PutSignalFlush;
    cargo.threadblock = trigger.threadblock;
    cargo.launch = trigger.launch;
    cargo.to = plan.owner(tb, op, place);
    cargo.extent = {place.index * sized.bytes, place.index * sized.bytes + bytes};
    cargo.execution = trigger.execution;
    cargo.channel = channel;
    ++port.started;
    fly(placed.route(tb.rank, peer), onWire(op, op.destination(trigger.number), bytes), now, cargo);
  }
  if (!gives(op.op))
    return;
  if (std::optional<uint32_t> counter = counters.counter(tb, op, trigger.number)) {
    Origin origin{trigger.execution, now, {}};
    SimTime latency = placed.latency(placed.route(tb.rank, peer));
    port.signals.push_back({port.started, {*counter, origin}, now + latency});
    sendSignals(channel);
  }
}

/// Delivers the signals whose data have arrived.
void Simulation::sendSignals(uint32_t channel) {
  PortState &port = ports[channel];
  for (; !port.signals.empty() && port.signals.front().after <= port.arrived;
       port.signals.pop_front()) {
    const PortState::Waiting &next = port.signals.front();
    addSignal(next.signal.counter, next.signal.origin,
              std::max(now, next.earliest) + model.port->signal);
  }
}

void Simulation::endTransfer(const Cargo &cargo) {
  ++ports[cargo.channel].arrived;
  sendSignals(cargo.channel);
  if (!cargo.flushes)
    return;
  // The acknowledgement of the signal returns to the proxy.
  Worker &self = workers[cargo.threadblock];
  const Threadblock &tb = threadblock(cargo.threadblock);
  if (--self.pending == 0)
    continueAt(cargo.threadblock,
               now + model.port->signal + placed.latency(placed.route(cargo.to, tb.rank)));
}

} // namespace cclc::mscclpp
