//===- PlanHash.cpp - Recognising equal plans -----------------------------===//
//
// The fields are hashed as numbers of eight bytes, in a fixed order, with the length of every list.
// Each block of numbers begins with the hash of those before it. The hash recognises equal plans of
// one search, so that it need not be cryptographic.
//
//===----------------------------------------------------------------------===//

#include "PlanHash.h"

#include "cclc/Limits/PlanQueues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace cclc;

namespace {
class Numbers {
public:
  void add(uint64_t number) {
    append(number);
    if (text.size() >= 1 << 16)
      flush();
  }
  void add(const Operand &operand) {
    add(operand.isNone() ? 0 : uint64_t(operand.buffer()) + 1);
    add(operand.isNone() ? 0 : operand.index());
  }
  template <class Tag> void add(OptionalId<Tag> id) { add(id ? (*id).index() + uint64_t(1) : 0); }
  std::string take() {
    flush();
    return llvm::toHex(text, /*LowerCase=*/true);
  }

private:
  void flush() {
    const llvm::XXH128_hash_t hash = llvm::xxh3_128bits(llvm::arrayRefFromStringRef(text));
    text.clear();
    append(hash.high64);
    append(hash.low64);
  }
  void append(uint64_t number) {
    char bytes[sizeof number];
    llvm::support::endian::write64le(bytes, number);
    text.append(bytes, sizeof bytes);
  }
  std::string text;
};

void addInfo(const ProgramInfo &info, Numbers &numbers) {
  const Collective &collective = info.collective;
  for (uint64_t number :
       {uint64_t(collective.kind()), uint64_t(collective.ranks()), uint64_t(collective.chunks()),
        uint64_t(collective.root().index()), uint64_t(info.protocol), info.minBytes,
        info.maxBytes.value_or(0), uint64_t(info.maxBytes.has_value()),
        uint64_t(info.slots ? (info.slots->isUnlimited() ? ~uint32_t(0) : info.slots->limit()) : 0),
        uint64_t(info.placementOnTarget.size())})
    numbers.add(number);
  numbers.add((info.placements.allowsInPlace() ? 1 : 0) +
              (info.placements.allowsOutOfPlace() ? 2 : 0));
  for (uint32_t endpoint : info.placementOnTarget)
    numbers.add(endpoint);
}

/// Directions select queues, on machines that have these.
void addNeighbours(ArrayRef<Neighbour> neighbours, Numbers &numbers) {
  numbers.add(neighbours.size());
  for (const Neighbour &each : neighbours) {
    numbers.add(each.rank.index());
    numbers.add(uint64_t(each.direction));
    numbers.add(each.peer.index());
  }
}
} // namespace

std::string cclc::hashOfPlan(const ExecPlan &plan, const Machine &machine) {
  Numbers numbers;
  addInfo(plan.info(), numbers);
  if (limitsQueues(machine))
    addNeighbours(plan.info().neighbours, numbers);
  for (uint32_t chunks : plan.scratchChunks())
    numbers.add(chunks);
  ArrayRef<Phase> phases = plan.info().phases;
  const bool hasGates = llvm::any_of(phases, [](const Phase &phase) { return phase.gate; });
  for (const Phase &phase : phases)
    if (phase.gate)
      for (uint32_t number : {phase.gate->call, phase.gate->communicator, phase.gate->stage,
                              phase.gate->generation.value_or(0)})
        numbers.add(number);
  numbers.add(plan.threadblocks().size());
  for (const Threadblock &tb : plan.threadblocks()) {
    numbers.add(tb.rank.index());
    for (const Peers &peers : {plan.sendPeers(tb), plan.recvPeers(tb)}) {
      numbers.add(peers.only());
      for (RankId peer : peers.group())
        numbers.add(peer.index());
      if (plan.usesSwitches())
        numbers.add(peers.size());
    }
    numbers.add(tb.channel.index());
    numbers.add(tb.numSteps);
  }
  for (const Step &step : plan.steps()) {
    numbers.add(uint64_t(step.op));
    numbers.add(step.src);
    numbers.add(step.dst);
    numbers.add(step.count);
    std::optional<Wait> wait = step.wait();
    numbers.add(wait ? wait->tb.index() + uint64_t(1) : 0);
    numbers.add(wait ? wait->step.index() : 0);
    numbers.add((step.publishes ? 1 : 0) + (hasGates ? uint64_t(step.phase) * 2 : 0));
  }
  return numbers.take();
}
