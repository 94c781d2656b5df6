//===- SizeMemory.cpp - Chunks of a size in the memories of a PE ----------===//

#include "cclc/Sim/SizeMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace cclc;

static Bytes chunkOf(const Sizing &sizing) {
  return Bytes(llvm::SaturatingMultiply<uint64_t>(sizing.chunkElements, sizeOf(sizing.type)));
}

static PlanMemory planMemory(const PlanOnMachine &plan) {
  return plan.steps() ? PlanMemory(plan.steps()->plan, plan.machine, plan.slots)
                      : PlanMemory(plan.shown.info(), plan.shown.scratchChunks(), plan.machine);
}

std::vector<MemoryNeed> cclc::memoryOf(const PlanOnMachine &plan, const Sizing &sizing) {
  return planMemory(plan).busiest(chunkOf(sizing));
}

std::optional<Bytes> cclc::largestFitting(const PlacedPlan &placed, DataType type) {
  return planMemory(placed).largestBuffer(sizeOf(type),
                                          chunksOfBuffer(placed.plan.info().collective));
}

LogicalResult cclc::checkMemory(const PlacedPlan &placed, const Sizing &sizing,
                                DiagnosticEngine &diags) {
  return planMemory(placed).checkSize({sizing.requested, chunkOf(sizing), sizeOf(sizing.type),
                                       chunksOfBuffer(placed.plan.info().collective)},
                                      diags);
}
