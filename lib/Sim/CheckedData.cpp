#include "cclc/Sim/CheckedData.h"

using namespace cclc;

CheckedData::CheckedData(const PlacedPlan &placed, const Sizing &sizing, ReduceOp op,
                         Placement placement, std::optional<uint64_t> seed)
    : executor(placed, sizing, op, placement, seed) {
  if (!seed)
    return;
  replay.emplace(placed.plan, placed.connections, executor.input(), sizing.type, op,
                 sizing.chunkElements, placement);
  executor.compareWith([this](RankId rank, uint32_t chunk, uint32_t run) {
    return replay->expected(rank, chunk, run);
  });
}

PlacementCheck::PlacementCheck(const PlacedPlan &placed, const Sizing &sizing, ReduceOp op,
                               std::optional<uint64_t> seed)
    : placed(placed), sizing(sizing), op(op), seed(seed),
      placements(placed.plan.info().placements.list()) {
  begin(placements.front());
}

void PlacementCheck::begin(Placement placement) {
  data.reset(); // before the memory of the next one is allocated
  data = std::make_unique<CheckedData>(placed, sizing, op, placement, seed);
}

bool PlacementCheck::check(StringRef network, const SimOptions &options, DiagnosticEngine &diags) {
  bool right = true;
  for (Placement placement : placements) {
    if (placement != placements.front()) {
      begin(placement);
      SimOptions again = options;
      again.listeners = {&data->executor};
      simulate(placed, sizing, *createNetwork(network, placed.routes), again);
    }
    data->executor.finish();
    std::optional<DataMismatch> mismatch = data->executor.check();
    if (mismatch)
      diags.error({}, mismatchText(*mismatch, placement, sizing.requested, options.repeat));
    right &= !mismatch;
  }
  return right;
}
