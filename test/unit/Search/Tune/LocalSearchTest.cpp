//===- LocalSearchTest.cpp - No neighbour of a winner is faster -----------===//

#include "Trial.h"

#include "cclc/Search/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
struct OneSize {
  const char *target;
  CollectiveKind collective;
  uint32_t ranks;
  std::vector<std::string> programs;
  uint64_t size;
};

/// By how much the fastest neighbour of the best plan is faster, in permille of its time; each
/// neighbour is compiled and simulated by itself.
int64_t gainOfNeighbours(const OneSize &cell) {
  dsl::ProgramRegistry programs;
  dsl::registerAllPrograms(programs);
  DiagnosticEngine diags;
  TuneRequest request;
  request.runtime = &simulatorRuntime();
  request.collective = cell.collective;
  request.target = {cell.target, CCLC_TARGET_DIR, {}, std::nullopt};
  request.ranks = cell.ranks;
  request.sizes = {cell.size};
  TuneProblem problem = *TuneProblem::create(request, diags);
  CandidateSpace space = *CandidateSpace::create(problem, programs, cell.programs, diags);
  TuneResult result = *tune(space, MeasureStore(), {}, diags);
  const Tried &best = result.tried[result.ranking(cell.size).front()];
  const SimTime reached = *best.measure.time(cell.size);
  SimTime least = reached;
  for (const Candidate &move : space.moves(best.candidate, best.measure.channels)) {
    Trial trial(problem, move, {});
    trial.simulate(cell.size);
    if (trial.measure.isUsable())
      least = std::min(least, trial.measure.time(cell.size).value_or(reached));
  }
  return (reached - least).picoseconds() * 1000 / reached.picoseconds();
}
} // namespace

TEST_CASE("no change of one property makes the best plan clearly faster", "[tune]") {
  for (const OneSize &cell : std::initializer_list<OneSize>{
#ifndef CCLC_SANITIZED
           {"torus2d", CollectiveKind::AllReduce, 9, {"allreduce_tree"}, 1 << 20},
           {"ndv4", CollectiveKind::AllReduce, 16, {"allreduce_rails"}, 1 << 22},
#endif
           {"mesh2d", CollectiveKind::AllGather, 6, {"allgather_ring"}, 1 << 14},
           {"ahbm", CollectiveKind::Broadcast, 2, {"broadcast_paths"}, 1 << 16}}) {
    INFO(cell.target << " " << cell.programs.front());
    CHECK(gainOfNeighbours(cell) <= 5);
  }
}
