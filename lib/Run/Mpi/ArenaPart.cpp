//===- ArenaPart.cpp - The shared memory of an execution ------------------===//

#include "ArenaPart.h"

#include "cclc/Support/Units.h"

using namespace cclc;
using namespace cclc::run;

/// Where the scratch buffers of the node of \p process begin behind \p rings, by rank; 0:
/// elsewhere, or none. The last value is their end.
static std::vector<uint64_t> placeScratch(const PreparedPlan &plan, const Nodes &nodes,
                                          uint32_t shift, int process, const RingLayout &rings) {
  const uint32_t ranks = plan.plan.ranks();
  std::vector<uint64_t> begins(ranks);
  uint64_t end = rings.bytes();
  for (uint32_t r = 0; r < ranks; ++r) {
    const uint64_t chunks = plan.plan.scratchChunks()[r];
    if (chunks == 0 || nodes.firstOf(int((r + shift) % ranks)) != nodes.firstOf(process))
      continue;
    begins[r] = end;
    const uint64_t bytes = chunks * plan.layout.chunkElements() * plan.elementSize();
    end += ceilDiv(bytes, cacheLines) * cacheLines;
  }
  begins.push_back(end);
  return begins;
}

ArenaPart::ArenaPart(const PreparedPlan &plan, const Nodes &nodes, uint32_t shift, int process,
                     std::byte *memory, uint32_t generation)
    : generation(generation) {
  if (!memory)
    return;
  node = {memory, nodes.layout(plan, shift, process), {}, {}};
  const std::vector<uint64_t> scratch = placeScratch(plan, nodes, shift, process, node.layout);
  for (uint32_t r = 0; r < plan.plan.ranks(); ++r)
    node.buffers.push_back({nullptr, nullptr, scratch[r] ? memory + scratch[r] : nullptr});
  // The order of accesses to scratch is the same for all placements.
  node.direct = DirectMessages(plan, plan.plan.info().placements.list().front(),
                               [&](RankId rank, Buffer buffer) {
                                 return buffer == Buffer::Scratch && scratch[rank.index()] != 0;
                               });
}

uint64_t ArenaPart::mostBytes(const PreparedPlan &plan, const Nodes &nodes, uint32_t shift) {
  uint64_t most = 0;
  for (int p = 0; p < int(nodes.processes()); ++p)
    if (nodes.firstOf(p) == p)
      most =
          std::max(most, placeScratch(plan, nodes, shift, p, nodes.layout(plan, shift, p)).back());
  return most;
}
