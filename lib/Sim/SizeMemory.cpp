//===- SizeMemory.cpp - Chunks of a size in the memories of a PE ----------===//

#include "cclc/Sim/SizeMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace cclc;

static Bytes chunkOf(const Sizing &sizing) {
  return Bytes(llvm::SaturatingMultiply<uint64_t>(sizing.chunkElements, sizeOf(sizing.type)));
}

static PlanMemory planMemory(const BoundPlan &bound) {
  return PlanMemory(bound.plan, bound.machine, bound.slots);
}

std::vector<MemoryNeed> cclc::memoryOf(const BoundPlan &bound, const Sizing &sizing) {
  return planMemory(bound).busiest(chunkOf(sizing));
}

std::optional<Bytes> cclc::largestFitting(const BoundPlan &bound, DataType type) {
  return planMemory(bound).largestBuffer(sizeOf(type),
                                         chunksOfBuffer(bound.plan.info().collective));
}

LogicalResult cclc::checkMemory(const BoundPlan &bound, const Sizing &sizing,
                                DiagnosticEngine &diags) {
  return planMemory(bound).checkSize({sizing.requested, chunkOf(sizing), sizeOf(sizing.type),
                                      chunksOfBuffer(bound.plan.info().collective)},
                                     diags);
}
