#include "PlanState.h"

#include "cclc/Support/MixBits.h"

using namespace cclc;

PlanState::PlanState(const PlacedPlan &placed, const Sizing &sizing, NetworkModel &network,
                     const SimOptions &options, MachineShare ownShare)
    : placed(placed), plan(placed.plan), machine(placed.machine), sizing(sizing), network(network),
      options(options), listeners(options.listeners), executions(sizing.numberExecutions(placed)),
      share(std::move(ownShare)), pes(share.pes),
      launch(share.start + (placed.protocol ? placed.protocol->launch : machine.launch)),
      trips(uint64_t(sizing.pieces) * options.repeat), fullPiece(sizing.pieceBytes(0)),
      lastPiece(sizing.pieceBytes(sizing.pieces - 1)) {
  for (uint32_t r = 0; r < options.skew.size(); ++r)
    peOf(r).skew = options.skew[r];
  for (uint32_t t = 0; t < plan.threadblocks().size(); ++t) {
    const Threadblock &tb = plan.threadblocks()[t];
    ThreadblockState thread{};
    thread.next = thread.begin = tb.firstStep;
    thread.end = tb.firstStep + tb.numSteps;
    thread.rank = tb.rank.index();
    thread.pe = share.peOf[thread.rank];
    thread.announced = share.start;
    thread.sends = placed.connections.sendsOf(t);
    thread.receives = placed.connections.recvsOf(t);
    thread.idle = tb.numSteps == 0;
    threads.push_back(thread);
  }
  result.causes.resize(threads.size());
  result.finished.resize(threads.size());
}

/// Depends on \p what alone and not on the order of events, so that plans have equal delays in all
/// network models.
SimTime PlanState::randomDelay(uint64_t what) const {
  constexpr uint64_t mostPicoseconds = 1'000'000;
  uint64_t seed = mixBits(*options.randomSchedule + goldenBits);
  return SimTime(mixBits(seed + what * goldenBits) % mostPicoseconds);
}
