//===- Movements.cpp - Loads and stores of MSCCL++ threadblocks -----------===//
//
// A threadblock moves its places slice by slice. It loads the data of other ranks first, then
// stores. Its stores leave while its threads process this slice and the next one. A switch adds the
// data of all members on the way to the threadblock, and copies the data of the threadblock to all
// members.
//
// Implements rules M5, M6 and M8.
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace cclc::mscclpp {

/// The most slices of an operation, so that large messages do not take long to simulate.
static constexpr uint64_t mostSlices = 64;

static uint64_t sliceSize(uint64_t bytes, Bytes least) {
  return std::max(least.count(), llvm::alignTo(ceilDiv(bytes, mostSlices), 16));
}

uint32_t Simulation::slicesOf(const Operation &op) const {
  if (!traits(op.op).movesData())
    return 0;
  if (op.isByProxy())
    return 1;
  uint64_t bytes = sized.bytesOf(plan.sources(op).front());
  return std::max<uint64_t>(1, ceilDiv(bytes, sliceSize(bytes, model.slice)));
}

Extent Simulation::sliceOf(const Worker &self, const Place &place) const {
  uint64_t bytes = sized.bytesOf(place);
  uint64_t size = current(self).isByProxy() ? bytes : sliceSize(bytes, model.slice);
  uint64_t begin = std::min(self.slice * size, bytes);
  uint64_t base = place.index * sized.bytes;
  return {base + begin, base + std::min(begin + size, bytes)};
}

Bytes Simulation::onWire(const Operation &op, Access access, uint64_t payload) const {
  if (isPackets(access))
    payload *= 2;
  if (isOnSwitch(access) && !op.isByProxy())
    return placed.machine.switches->onWire(Bytes(payload));
  return Bytes(payload);
}

/// Whether the packets that the current slice reads have arrived; if not, the threadblock waits.
bool Simulation::packetsAreThere(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  RankState &rank = ranks[self.rank];
  const Origin *last = nullptr;
  for (size_t i = 0; i < op.src.count; ++i) {
    if (op.source(i) != Access::Packets)
      continue;
    uint64_t missing = 0;
    const Origin *origin =
        rank.packets[self.launch].find(sliceOf(self, plan.sources(op)[i]), missing);
    if (!origin) {
      self.missing = missing;
      rank.waiters.push_back(t);
      return false;
    }
    if (!last || origin->sent > last->sent)
      last = origin;
  }
  bool waited = self.since < now;
  chargeWait(t, Cause::Link, last);
  record(t, Cause::Link, waited ? last : nullptr);
  return true;
}

void Simulation::fly(uint32_t route, Bytes size, SimTime at, const Cargo &cargo) {
  uint32_t flight =
      network.create(share.firstRoute + route, size, share.start + at, cargo.execution);
  if (cargoes.size() <= flight)
    cargoes.resize(flight + 1);
  cargoes[flight] = cargo;
  ++result.messages;
  queue.push(at, {Event::Kind::Inject, flight});
}

bool Simulation::beginSlice(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  const Threadblock &tb = threadblock(t);
  if (!packetsAreThere(t))
    return false;
  ArrayRef<Place> sources = plan.sources(op);
  Extent extent = sliceOf(self, sources.front());
  uint64_t bytes = extent.end - extent.begin;
  if (op.isByProxy()) { // it only reads the packets
    self.stage = Stage::Flush;
    give(t);
    return true;
  }
  if (options.data)
    options.data->move(tb, op, extent.begin - sources.front().index * sized.bytes, bytes,
                       self.launch, std::nullopt);
  uint64_t moved = 0;
  for (size_t i = 0; i < op.src.count; ++i)
    moved += isPackets(op.source(i)) ? 2 * bytes : bytes;
  for (size_t i = 0; i < op.dst.count; ++i)
    moved += isPackets(op.destination(i)) ? 2 * bytes : bytes;
  self.worked =
      now +
      transferTime(Bytes(moved), (traits(op.op).usesPackets() ? model.packets : model.memory).rate);
  Cargo cargo{Cargo::Role::Read};
  cargo.threadblock = t;
  cargo.launch = self.launch;
  cargo.execution = self.previous;
  self.pending = 0;
  for (size_t i = 0; i < op.src.count; ++i) {
    Access access = op.source(i);
    if (access == Access::Remote) {
      RankId owner = plan.owner(tb, op, sources[i]);
      if (owner == tb.rank)
        continue;
      ++self.pending;
      fly(placed.route(owner, tb.rank), Bytes(bytes),
          now + placed.latency(placed.route(tb.rank, owner)), cargo);
    } else if (access == Access::Switch) {
      cargo.role = Cargo::Role::Addend;
      for (const Groups::Member &member : groups.members(tb, sources[i])) {
        ++self.pending;
        fly(placed.toSwitch(member.rank), onWire(op, access, bytes),
            now + placed.latency(placed.toSwitch(tb.rank)) +
                placed.latency(placed.fromSwitch(member.rank)),
            cargo);
      }
      cargo.role = Cargo::Role::Read;
    }
  }
  self.stage = Stage::Load;
  return self.pending == 0;
}

/// The data of other ranks are there: stores those of the slice, when those of the last one have
/// left. Returns whether the threadblock continues at once.
bool Simulation::beginStores(uint32_t t) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  if (self.stage == Stage::Load) {
    if (recorder && self.worked < now)
      recorder->worked(self.previous, self.worked);
    charge(t, Cause::Engine, std::min(self.worked, now));
    charge(t, Cause::Link, now);
    self.stage = Stage::Store;
  }
  if (self.leaving > 0)
    return false;
  if (self.left > now) {
    continueAt(t, self.left);
    return false;
  }
  charge(t, Cause::Contention, std::min(self.since + self.contention, now));
  charge(t, Cause::Link, now);
  self.worked = std::max(self.worked, now);
  self.contention = SimTime();
  self.stage = Stage::Process;
  for (size_t i = 0; i < op.dst.count; ++i)
    store(t, plan.destinations(op)[i], op.destination(i));
  continueAt(t, self.worked);
  return self.worked == now;
}

void Simulation::store(uint32_t t, const Place &place, Access access) {
  Worker &self = workers[t];
  const Operation &op = current(self);
  const Threadblock &tb = threadblock(t);
  Cargo cargo{Cargo::Role::Write};
  cargo.packets = isPackets(access);
  cargo.threadblock = t;
  cargo.launch = self.launch;
  cargo.extent = sliceOf(self, place);
  cargo.execution = self.previous;
  cargo.complete = self.worked;
  Bytes size = onWire(op, access, cargo.extent.end - cargo.extent.begin);
  if (isOnSwitch(access)) {
    cargo.role = Cargo::Role::Multicast;
    cargo.group = groups.members(tb, place);
    self.multicasts = true;
    self.unsettled += cargo.group.size();
    ++self.leaving;
    return fly(placed.toSwitch(tb.rank), size, now, cargo);
  }
  cargo.to = plan.owner(tb, op, place);
  if (cargo.to != tb.rank) {
    ++self.leaving;
    ++self.unsettled;
    return fly(placed.route(tb.rank, cargo.to), size, now, cargo);
  }
  if (cargo.packets)
    self.ownPackets = cargo; // of this rank; they are complete at the end of the slice
}

/// The network has determined an arrival.
void Simulation::arrives(uint32_t f, SimTime atInNetwork) {
  SimTime at = atInNetwork - share.start;
  const Cargo &cargo = cargoes[f];
  const Flight &flight = network.flight(f);
  bool isStore = cargo.role == Cargo::Role::Write || cargo.role == Cargo::Role::Multicast;
  Worker &self = workers[cargo.threadblock];
  SimTime arrival = at;
  if (isStore) {
    SimTime latency = placed.latency(flight.connection - share.firstRoute);
    self.left = std::max(self.left, at - latency);
    self.contention = std::max(self.contention, flight.contention);
    arrival = std::max(at, cargo.complete + latency);
    if (--self.leaving == 0 && self.stage == Stage::Store)
      queue.push(std::max(self.left, now), {Event::Kind::Continue, cargo.threadblock});
  }
  if (cargo.role == Cargo::Role::Write || cargo.role == Cargo::Role::Copy) {
    self.visible = std::max(self.visible, arrival);
    if (--self.unsettled == 0 && self.stage == Stage::Publish)
      continueAt(cargo.threadblock, std::max(self.visible, now));
  }
  queue.push(arrival, {Event::Kind::Arrive, f});
}

/// A flight has arrived.
void Simulation::land(uint32_t f) {
  Cargo cargo = cargoes[f];
  const Flight flight = network.flight(f);
  network.release(f);
  Worker &self = workers[cargo.threadblock];
  const Threadblock &tb = threadblock(cargo.threadblock);
  Origin origin{cargo.execution, flight.injected - share.start, flight.contention};
  switch (cargo.role) {
  case Cargo::Role::Read:
    if (--self.pending == 0)
      continueAt(cargo.threadblock, std::max(now, self.worked));
    return;
  case Cargo::Role::Addend:
    if (--self.pending > 0)
      return;
    cargo.role = Cargo::Role::Read;
    ++self.pending;
    return fly(placed.fromSwitch(tb.rank), flight.size, now + placed.machine.switches->latency,
               cargo);
  case Cargo::Role::Multicast:
    for (const Groups::Member &member : cargo.group) {
      Cargo copy = cargo;
      copy.role = Cargo::Role::Copy;
      copy.to = member.rank;
      fly(placed.fromSwitch(member.rank), flight.size, now, copy);
    }
    return;
  case Cargo::Role::Write:
  case Cargo::Role::Copy:
    if (cargo.packets)
      addPackets(cargo, origin);
    return;
  case Cargo::Role::ByProxy:
    if (cargo.packets)
      addPackets(cargo, origin);
    return endTransfer(cargo);
  }
}

void Simulation::addPackets(const Cargo &cargo, const Origin &origin) {
  RankState &rank = ranks[cargo.to.index()];
  rank.packets[cargo.launch].add(cargo.extent, origin);
  if (!rank.waiters.empty()) {
    queue.push(now, {Event::Kind::Packets, cargo.to.index()});
    rank.woken.push_back(std::exchange(rank.waiters, {}));
  }
  for (const std::vector<uint32_t> &waiters : rank.woken)
    for (uint32_t t : waiters) {
      Worker &worker = workers[t];
      if (worker.launch == cargo.launch && worker.missing &&
          cargo.extent.begin <= *worker.missing && *worker.missing < cargo.extent.end)
        worker.missing.reset();
    }
}

/// Those whose packets are still missing go on waiting, in the same order, without a search.
void Simulation::checkPackets(uint32_t rank) {
  // Packets may arrive meanwhile for those that have not checked.
  for (uint32_t t : ranks[rank].woken.front())
    if (workers[t].missing)
      ranks[rank].waiters.push_back(t);
    else
      advance(t);
  ranks[rank].woken.pop_front();
}

void Simulation::endSlice(uint32_t t) {
  Worker &self = workers[t];
  charge(t, Cause::Engine, now);
  if (self.ownPackets)
    addPackets(*self.ownPackets, {self.previous, now, {}});
  self.ownPackets.reset();
  if (++self.slice == slicesOf(current(self)))
    return complete(t);
  self.stage = Stage::Slice;
}

} // namespace cclc::mscclpp
