//===- MscclppProgram.cpp - Translation of MSCCL++ plans ------------------===//
//
// Pipelines are unrolled and shares cut for the size of the options. Written from the description
// of the executor, independently of lib/Mscclpp/Proof.
//
//===----------------------------------------------------------------------===//

#include "MscclppProgram.h"

#include <algorithm>
#include <tuple>

using namespace cclc;
using namespace cclc::mscclpp;
using namespace cclc::test;
using namespace cclc::test::machine;

namespace {
using Block = MachineProgram::Block;
using mscclpp::Access;
using mscclpp::Operation;
using mscclpp::OpKind;
using mscclpp::Place;
using mscclpp::Plan;
using mscclpp::Threadblock;
using mscclpp::traits;

class Translation {
public:
  Translation(const Plan &plan, const MachineOptions &options)
      : plan(plan), options(options),
        placement(plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace) {}

  MachineProgram run() {
    makeCounters();
    makeGroups();
    makeMemory();
    for (uint32_t r = 0; r < plan.ranks().size(); ++r)
      for (const Threadblock &tb : plan.threadblocks(plan.ranks()[r])) {
        result.blocks.push_back({r, {}});
        translate(tb, result.blocks.back());
      }
    return std::move(result);
  }

private:
  void makeCounters();
  void makeGroups();
  void makeMemory();
  void translate(const Threadblock &tb, Block &block);
  void translateOp(const Threadblock &tb, const Operation &op, Block &block, uint64_t first,
                   uint64_t most);
  void translateData(const Threadblock &tb, const Operation &op, Block &block, uint64_t first,
                     uint64_t most);
  uint64_t chunkAtoms() const { return uint64_t(options.granules) * 2; }
  Address address(uint32_t rank, Buffer buffer, uint64_t atom) const;
  std::pair<uint32_t, uint32_t> channelEnds(const Threadblock &tb, const Operation &op,
                                            uint32_t id) const;

  const Plan &plan;
  const MachineOptions &options;
  Placement placement;
  MachineProgram result;
  std::map<std::tuple<uint32_t, int, uint32_t>, uint32_t> takes, gives; ///< rank, kind, number
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> semaphores;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, Buffer>>> groups;
};

/// The counter that a channel end takes from, and that the other end gives to.
void Translation::makeCounters() {
  for (int kind = 0; kind < 2; ++kind) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> ends;
    for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
      uint32_t number = 0;
      for (RankId peer : plan.channels(plan.ranks()[r], ChannelKind(kind))) {
        ends[{r, peer.index()}].push_back(number);
        takes[{r, kind, number++}] = result.counters.size();
        result.counters.push_back(0);
      }
    }
    for (const auto &[pair, mine] : ends) {
      const std::vector<uint32_t> &theirs = ends[{pair.second, pair.first}];
      for (size_t i = 0; i < mine.size() && i < theirs.size(); ++i)
        gives[{pair.first, kind, mine[i]}] = takes[{pair.second, kind, theirs[i]}];
    }
  }
  for (uint32_t r = 0; r < plan.ranks().size(); ++r)
    for (uint32_t s = 0; s < plan.semaphores(plan.ranks()[r]).size(); ++s) {
      semaphores[{r, s}] = result.counters.size();
      result.counters.push_back(plan.semaphores(plan.ranks()[r])[s]);
    }
}

/// The n-th channel with the same members belongs to the n-th of each member.
void Translation::makeGroups() {
  std::map<std::pair<std::vector<uint32_t>, uint32_t>, std::vector<std::pair<uint32_t, Buffer>>>
      all;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<std::vector<uint32_t>, uint32_t>> keys;
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    std::map<std::vector<uint32_t>, uint32_t> seen;
    ArrayRef<SwitchChannel> list = plan.switches(plan.ranks()[r]);
    for (uint32_t c = 0; c < list.size(); ++c) {
      std::vector<uint32_t> members;
      for (RankId member : plan.members(list[c]))
        members.push_back(member.index());
      std::sort(members.begin(), members.end());
      keys[{r, c}] = {members, seen[members]++};
      all[keys[{r, c}]].push_back({r, list[c].buffer});
    }
  }
  for (const auto &[channel, key] : keys)
    groups[channel] = all[key];
}

void Translation::makeMemory() {
  const Collective &collective = plan.header().collective;
  for (uint32_t r = 0; r < plan.ranks().size(); ++r) {
    result.scratchAt.push_back(collective.userChunks(RankId(r), placement) * chunkAtoms());
    // A packet takes twice the space of its data.
    result.halfOf.push_back(plan.ranks()[r].scratchChunks * chunkAtoms() * 2);
  }
}

Address Translation::address(uint32_t rank, Buffer buffer, uint64_t atom) const {
  const Collective &collective = plan.header().collective;
  if (buffer == Buffer::Scratch)
    return {rank, result.scratchAt[rank] + atom, true};
  uint64_t offset = buffer == Buffer::Input ? collective.inputOffset(RankId(rank), placement)
                                            : collective.outputOffset(RankId(rank), placement);
  return {rank, offset * chunkAtoms() + atom, false};
}

/// The number of a channel of a threadblock in its rank, and the counter of the other end.
std::pair<uint32_t, uint32_t> Translation::channelEnds(const Threadblock &tb, const Operation &op,
                                                       uint32_t id) const {
  uint32_t number = plan.channels(tb, op.channel)[id];
  auto other = gives.find({tb.rank.index(), int(op.channel), number});
  return {number, other == gives.end() ? noCounter : other->second};
}

void Translation::translate(const Threadblock &tb, Block &block) {
  ArrayRef<Operation> ops = plan.ops(tb);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].op != OpKind::Pipeline) {
      translateOp(tb, ops[i], block, 0, ~uint64_t(0));
      continue;
    }
    const Pieces &pieces = ops[i].pieces;
    uint64_t unit = pieces.bytes / options.bytesOfPieces * options.granulesOfPieces * 2;
    uint64_t whole = pieces.chunks * chunkAtoms();
    for (uint64_t first = 0; first < whole; first += unit)
      for (size_t j = i + 1; j <= i + pieces.bodySize; ++j)
        translateOp(tb, ops[j], block, first, unit);
    i += pieces.bodySize;
  }
}

void Translation::translateOp(const Threadblock &tb, const Operation &op, Block &block,
                              uint64_t first, uint64_t most) {
  auto everywhere = [&](const Instruction &instruction) {
    for (std::vector<Instruction> &program : block.threads)
      program.push_back(instruction);
  };
  ArrayRef<uint32_t> ids = plan.ids(op);
  switch (op.op) {
  case OpKind::Flush:
    return;
  case OpKind::Nop:
    return everywhere({Kind::Nop});
  case OpKind::Barrier: {
    Instruction barrier{Kind::Barrier};
    barrier.counter = ids.front();
    barrier.participants = op.participants;
    return everywhere(barrier);
  }
  case OpKind::Acquire:
  case OpKind::Release:
    for (size_t i = 0; i < ids.size(); ++i) {
      Instruction made{op.op == OpKind::Acquire ? Kind::Wait : Kind::Signal};
      made.counter = semaphores.at({tb.rank.index(), ids[i]});
      block.threads[i % numThreads].push_back(made);
    }
    return;
  case OpKind::Signal:
  case OpKind::RelaxedSignal:
  case OpKind::Wait:
  case OpKind::RelaxedWait:
    for (size_t i = 0; i < ids.size(); ++i) {
      bool waits = op.op == OpKind::Wait || op.op == OpKind::RelaxedWait;
      auto [number, other] = channelEnds(tb, op, ids[i]);
      Instruction made{waits ? Kind::Wait : Kind::Signal};
      made.counter = waits ? takes.at({tb.rank.index(), int(op.channel), number}) : other;
      made.relaxed = op.op == OpKind::RelaxedSignal && op.channel == ChannelKind::Memory;
      if (!waits && op.channel == ChannelKind::Port) {
        made.kind = Kind::Push;
        made.channel = number;
        made.signals = true;
      }
      block.threads[i % numThreads].push_back(made);
    }
    return;
  default:
    translateData(tb, op, block, first, most);
  }
}

/// Every operation with data is a list of sums of atoms that are stored in several places.
void Translation::translateData(const Threadblock &tb, const Operation &op, Block &block,
                                uint64_t first, uint64_t most) {
  const mscclpp::OpTraits &does = traits(op.op);
  bool packets = does.usesPackets();
  struct Range {
    uint64_t atom, count;
    std::vector<std::pair<uint32_t, Buffer>> owners;
  };
  auto range = [&](const Place &place) {
    Range found{place.index * chunkAtoms(), place.count * chunkAtoms(), {}};
    if (!packets) {
      uint64_t skipped = std::min(first, found.count);
      found.atom += skipped;
      found.count = std::min(found.count - skipped, most);
    }
    // Parts of whole granules, the first ones one granule larger.
    uint64_t granules = found.count / 2, each = granules / op.share.parts,
             larger = granules % op.share.parts;
    found.atom += 2 * (op.share.part * each + std::min<uint64_t>(op.share.part, larger));
    found.count = 2 * (each + (op.share.part < larger));
    if (place.group)
      found.owners = groups.at({tb.rank.index(), plan.switches(tb)[*place.group]});
    else
      found.owners = {{plan.owner(tb, op, place).index(), place.buffer}};
    return found;
  };
  auto addressOf = [&](const Range &place, size_t owner, uint64_t a, bool packet) {
    uint64_t atom = (place.atom + a) * (packet ? 2 : 1);
    return address(place.owners[owner].first, place.owners[owner].second, atom);
  };
  auto makeAtom = [&](ArrayRef<Place> sources, size_t firstSource, ArrayRef<Place> destinations,
                      size_t firstDestination, uint64_t a) {
    Instruction made{Kind::Data};
    made.throughSwitch = does.usesSwitch();
    for (size_t i = 0; i < sources.size(); ++i) {
      Range place = range(sources[i]);
      Access access = does.source(firstSource + i);
      bool packet = isPackets(access) || op.source(firstSource + i) == Access::Staged;
      for (size_t o = 0; o < place.owners.size(); ++o)
        made.sources.push_back({addressOf(place, o, a, packet), packet,
                                packet && op.source(firstSource + i) != Access::Staged});
    }
    for (size_t i = 0; i < destinations.size(); ++i) {
      Range place = range(destinations[i]);
      bool packet = isPackets(does.destination(firstDestination + i));
      for (size_t o = 0; o < place.owners.size(); ++o)
        made.destinations.push_back({addressOf(place, o, a, packet), packet});
    }
    return made;
  };
  auto threadOf = [&](uint64_t a) { return (packets ? a : a / 2) % numThreads; };
  ArrayRef<Place> sources = plan.sources(op), destinations = plan.destinations(op);
  if (!op.isByProxy()) {
    if (does.paired)
      for (size_t i = 0; i < sources.size(); ++i)
        for (uint64_t a = 0; a < range(sources[i]).count; ++a)
          block.threads[threadOf(a)].push_back(
              makeAtom(sources.slice(i, 1), i, destinations.slice(i, 1), i, a));
    else
      for (uint64_t a = 0; a < range(sources.front()).count; ++a)
        block.threads[threadOf(a)].push_back(makeAtom(sources, 0, destinations, 0, a));
    return;
  }
  if (op.op == OpKind::ReadPutPackets) {
    for (uint64_t a = 0; a < range(sources.front()).count; ++a)
      block.threads[threadOf(a)].push_back(makeAtom(sources, 0, {}, 0, a));
    for (std::vector<Instruction> &program : block.threads)
      program.push_back({Kind::Nop});
  }
  for (size_t i = 0; i < destinations.size(); ++i) {
    Instruction made{Kind::Push};
    std::tie(made.channel, made.counter) = channelEnds(tb, op, plan.ids(op)[i]);
    made.signals = op.op == OpKind::PutSignal || op.op == OpKind::PutSignalFlush;
    made.flushes = op.op == OpKind::PutSignalFlush;
    size_t s = does.paired ? i : 0;
    for (uint64_t a = 0; a < range(sources[s]).count; ++a) {
      Instruction atom = makeAtom(sources.slice(s, 1), s, destinations.slice(i, 1), i, a);
      made.sources.push_back(atom.sources.front());
      made.sources.back().waits = false;
      made.destinations.push_back(atom.destinations.front());
    }
    block.threads[i % numThreads].push_back(std::move(made));
  }
}
} // namespace

MachineProgram machine::translate(const Plan &plan, const MachineOptions &options) {
  return Translation(plan, options).run();
}
