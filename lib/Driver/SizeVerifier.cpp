#include "SizeVerifier.h"

#include "cclc/Semantics/Deadlock.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

SizeVerifier::SizeVerifier(const BoundPlan &bound, std::optional<uint32_t> slotsNeeded)
    : bound(bound) {
  proofs[bound.maxCount] = proofOf(slotsNeeded);
}

SizeVerifier::Proof SizeVerifier::proofOf(std::optional<uint32_t> slotsNeeded) const {
  return {slotsNeeded,
          slotsNeeded && (bound.slots.isUnlimited() || bound.slots.limit() >= *slotsNeeded)};
}

PlanRunner &SizeVerifier::runnerFor(uint32_t chunks) {
  if (!runner)
    runner.emplace(bound.plan, bound.connections);
  runner->setChunksPerTransmission(chunks);
  return *runner;
}

const SizeVerifier::Proof &SizeVerifier::prove(uint32_t chunksPerTransmission) {
  uint32_t chunks = std::min(chunksPerTransmission, bound.maxCount);
  auto [it, inserted] = proofs.try_emplace(chunks);
  if (inserted)
    it->second = proofOf(slotsNeeded(runnerFor(chunks)));
  return it->second;
}

std::optional<Bytes> SizeVerifier::largestSafe(DataType type) {
  if (!bound.protocol)
    return std::nullopt;
  // A transmission of k chunks means that a chunk is larger than a slot over k + 1.
  uint32_t largest = std::min(bound.protocol->maxChunks, bound.maxCount);
  for (uint32_t chunks = largest; chunks > 0; --chunks) {
    if (prove(chunks).safe)
      continue;
    if (chunks == largest && largest == bound.protocol->maxChunks && largest < bound.maxCount)
      return Bytes();
    uint64_t elements = bound.protocol->slotSize.count() / sizeOf(type) / (chunks + 1);
    return Bytes(elements * sizeOf(type) * Sizing::chunksOfBuffer(bound.plan.info().collective));
  }
  return std::nullopt;
}

void SizeVerifier::report(const Sizing &sizing, DiagnosticEngine &diags) {
  uint32_t chunks = std::min(sizing.chunksPerTransmission, bound.maxCount);
  uint32_t transmissions = sizing.transmissions(bound.maxCount);
  std::string where =
      formatv(" at {0} bytes, where steps take up to {1} transmission{2}", sizing.requested.count(),
              transmissions, transmissions == 1 ? "" : "s");
  if (!reported.try_emplace(chunks, true).second) {
    diags.error({}, formatv("deadlock with {0}{1}", bound.slots.phrase(), where));
    return;
  }
  reportDeadlock(bound.plan, *findDeadlock(bound.plan, runnerFor(chunks), bound.slots), bound.slots,
                 diags, where);
}
