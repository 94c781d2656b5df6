//===- StepParts.cpp - The costs of the parts of a step -------------------===//
//
// The costs are those of rules 11 to 15 of the machine model, and with a protocol those of its
// rules, without the overlap of slices.
//
//===----------------------------------------------------------------------===//

#include "StepParts.h"

#include <algorithm>

using namespace cclc;

Bytes StepParts::sizeOf(uint32_t trip, const Step &step, uint32_t message) const {
  bool all = messagesOf(step) == 1;
  return sizing.pieceBytes(trip) * (all ? step.count : sizing.chunksOf(message, step.count));
}

Bytes StepParts::onWire(uint32_t trip, const Step &step, uint32_t message) const {
  if (!placed.protocol)
    return sizeOf(trip, step, message);
  uint64_t sum = 0;
  for (uint32_t n = 0; n < sizing.transmissions(step.count); ++n) {
    uint64_t bytes = sizing.pieceBytes(trip).count() * sizing.chunksOf(n, step.count);
    uint64_t slice =
        std::max(ceilDiv(bytes, placed.protocol->slices), placed.protocol->minSlice.count());
    for (uint64_t begin = 0; begin < bytes; begin += slice)
      sum += placed.protocol->onWire(Bytes(std::min(slice, bytes - begin))).count();
  }
  return Bytes(sum);
}

SmallVector<StepPart, 6> StepParts::of(const Step &step, Bytes size, uint32_t message) const {
  const OpTraits &op = traits(step.op);
  const Machine &machine = placed.machine;
  SmallVector<StepPart, 6> parts;
  auto add = [&](char letter, SimTime cost, PartEngine engine) {
    if (cost > SimTime())
      parts.push_back({letter, cost, engine});
  };
  if (op.receives) {
    parts.push_back({'r', SimTime()});
    if (!placed.protocol)
      add('w', machine.queue.write.duration(size), PartEngine::Write);
  }
  size_t arrived = parts.size();
  add('d', overheadOf(step, op, message), PartEngine::Threadblock);
  if (placed.protocol) {
    // The threadblock itself does all the work.
    if (step.op == OpKind::Reduce)
      add('m', machine.pe.math.duration(size), PartEngine::Threadblock);
    else if (step.op != OpKind::Nop)
      add('c', placed.protocol->trip.duration(size), PartEngine::Threadblock);
  } else {
    if (op.receives)
      add('q', machine.queue.read.duration(size), PartEngine::Read);
    if (op.reduces())
      add('m', machine.pe.math.duration(size), PartEngine::Math);
    if (step.op == OpKind::Copy)
      add('c', machine.pe.copy.duration(size), PartEngine::Copy);
  }
  if (op.sends)
    parts.push_back({'s', SimTime()});
  // There must be a part that follows the waits of the step.
  if (parts.size() == arrived && arrived != 1)
    parts.push_back({'j', SimTime()});
  return parts;
}

/// The part of the time of a step that does not depend on its size.
SimTime StepParts::overheadOf(const Step &step, const OpTraits &op, uint32_t message) const {
  const Machine &machine = placed.machine;
  SimTime time = message ? SimTime() : machine.pe.dispatchOf(op.communicates());
  if (!placed.protocol)
    return time + (op.receives ? machine.queue.receiveOverhead : SimTime());
  if (step.waits())
    time += step.op == OpKind::Nop ? machine.pe.nop : machine.pe.wait;
  if (!op.sends && !op.receives)
    return time;
  return time + placed.protocol->stepLatency + placed.protocol->sliceLatency;
}
