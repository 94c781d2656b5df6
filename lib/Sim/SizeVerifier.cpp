//===- SizeVerifier.cpp - One proof per capacity of a transmission --------===//
//
// Proofs are memoised by the chunks of a transmission. The fewest chunks with which a plan
// completes are found by bisection; most plans complete with one, which is tried first.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/SizeVerifier.h"

#include "cclc/Proof/Deadlock.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

/// The fewest chunks of a transmission between \p fewest and \p most with which a plan completes;
/// \p most + 1 if it completes with none of them.
// A cycle of waits with some transmissions per step exists with more of them, too: the i-th
// transmission of a step remains its i-th, and those that are added in between only take slots.
static uint32_t fewestSafe(uint32_t fewest, uint32_t most,
                           llvm::function_ref<bool(uint32_t)> isSafe) {
  if (isSafe(fewest))
    return fewest;
  uint32_t unsafe = fewest, safe = most + 1;
  while (safe - unsafe > 1) {
    uint32_t middle = unsafe + (safe - unsafe) / 2;
    (isSafe(middle) ? safe : unsafe) = middle;
  }
  return safe;
}

uint32_t cclc::fewestSafeChunks(const PlacedPlan &plan, uint32_t fewest) {
  // With unlimited slots, transmissions add no dependences between steps.
  if (fewest >= plan.maxCount || plan.slots.isUnlimited())
    return fewest;
  PlanControlFlow runner(plan.plan, plan.connections);
  return fewestSafe(fewest, plan.maxCount - 1, [&](uint32_t chunks) {
    runner.setChunksPerTransmission(chunks);
    return runner.run(plan.slots);
  });
}

SizeVerifier::SizeVerifier(const ExecPlan &plan, const ConnectionTable &connections, Slots slots,
                           std::optional<TransmissionSize> size,
                           std::optional<uint32_t> slotsNeeded)
    : plan(plan), connections(connections), slots(slots), size(size), maxCount(plan.maxCount()) {
  proofs[maxCount] = proofOf(slotsNeeded);
}

static std::optional<TransmissionSize> sizeOfTransmission(const ProtocolModel *protocol) {
  if (!protocol)
    return std::nullopt;
  return TransmissionSize{protocol->slotSize, protocol->maxChunks};
}

SizeVerifier::SizeVerifier(const PlacedPlan &placed, std::optional<uint32_t> slotsNeeded)
    : SizeVerifier(placed.plan, placed.connections, placed.slots,
                   sizeOfTransmission(placed.protocol), slotsNeeded) {}

SizeVerifier::Proof SizeVerifier::proofOf(std::optional<uint32_t> slotsNeeded) const {
  return {slotsNeeded, slotsNeeded && (slots.isUnlimited() || slots.limit() >= *slotsNeeded)};
}

PlanControlFlow &SizeVerifier::runnerFor(uint32_t chunks) {
  if (!runner)
    runner.emplace(plan, connections);
  runner->setChunksPerTransmission(chunks);
  return *runner;
}

const SizeVerifier::Proof &SizeVerifier::prove(uint32_t chunksPerTransmission) {
  uint32_t chunks = std::min(chunksPerTransmission, maxCount);
  auto [it, inserted] = proofs.try_emplace(chunks);
  if (inserted)
    it->second = proofOf(slotsNeeded(runnerFor(chunks)));
  return it->second;
}

bool SizeVerifier::isSafe(uint32_t chunks) {
  auto known = proofs.find(chunks);
  return known != proofs.end() ? known->second.safe : runnerFor(chunks).run(slots);
}

std::optional<Bytes> SizeVerifier::largestSafe(uint64_t elementBytes) {
  if (!size)
    return std::nullopt;
  uint32_t largest = std::min(size->maxChunks, maxCount);
  uint32_t fewest = fewestSafe(1, largest, [&](uint32_t chunks) { return isSafe(chunks); });
  if (fewest == 1)
    return std::nullopt;
  if (fewest > largest)
    return Bytes();
  // If a transmission has fewer chunks, a chunk is larger than a slot divided by this number.
  uint64_t elements = size->payload.count() / elementBytes / fewest;
  return Bytes(elements * elementBytes * chunksOfBuffer(plan.info().collective));
}

void SizeVerifier::report(const Sizing &sizing, DiagnosticEngine &diags) {
  uint32_t chunks = std::min(sizing.chunksPerTransmission, maxCount);
  uint32_t transmissions = sizing.transmissions(maxCount);
  std::string where =
      formatv(" at {0} bytes, where steps take up to {1} transmission{2}", sizing.requested.count(),
              transmissions, transmissions == 1 ? "" : "s");
  if (!reported.insert(chunks).second) {
    diags.error({}, formatv("deadlock with {0}{1}", slots.phrase(), where));
    return;
  }
  reportDeadlock(plan, *findDeadlock(plan, runnerFor(chunks), slots), slots, diags, where);
}
