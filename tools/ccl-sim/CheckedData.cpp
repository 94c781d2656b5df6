#include "CheckedData.h"

using namespace cclc;

CheckedData::CheckedData(const BoundPlan &bound, const Sizing &sizing, ReduceOp op,
                         Placement placement, std::optional<uint64_t> seed)
    : executor(bound, sizing, op, placement, seed) {
  if (!seed)
    return;
  replay.emplace(bound.plan, bound.connections, executor.input(), sizing.type, op,
                 sizing.chunkElements, placement);
  executor.compareWith([this](RankId rank, uint32_t chunk, uint32_t run) {
    return replay->expected(rank, chunk, run);
  });
}
