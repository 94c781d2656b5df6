//===- LocalSearchTest.cpp - No neighbour of a winner is faster -----------===//

#include "Trial.h"

#include "cclc/Search/Tune/Tuner.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <map>
#include <memory>

using namespace cclc;

namespace {
struct OneSize {
  const char *target;
  CollectiveKind collective;
  uint32_t ranks;
  std::vector<std::string> programs;
  uint64_t size;
  GivenValues parameters = {};
};

struct Search {
  explicit Search(const OneSize &cell) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = &simulatorRuntime();
    request.collective = cell.collective;
    request.target = {cell.target, CCLC_TARGET_DIR, {}, std::nullopt};
    request.ranks = cell.ranks;
    request.sizes = {cell.size};
    request.parameters = cell.parameters;
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space = std::make_unique<CandidateSpace>(
        *CandidateSpace::create(*problem, programs, cell.programs, diags));
    result = *tune(*space, MeasureStore(), {}, diags);
  }

  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  TuneResult result;
};

/// By how much the fastest neighbour of the best plan is faster, in permille of its time; each
/// neighbour is compiled and simulated by itself.
int64_t gainOfNeighbours(const OneSize &cell) {
  Search search(cell);
  const Tried &best = search.result.tried[search.result.ranking(cell.size).front()];
  const SimTime reached = *best.measure.time(cell.size);
  SimTime least = reached;
  for (const Candidate &move : search.space->moves(best.candidate, best.measure.channels)) {
    Trial trial(*search.problem, move, {});
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

#ifndef CCLC_SANITIZED
TEST_CASE("a change without effect on a plan is not tried on its variants", "[tune]") {
  // Trees on channels of their own have no limit of channels.
  Search search({"mesh2d", CollectiveKind::AllReduce, 6, {"allreduce_trees"}, 1 << 20});
  std::map<std::string, std::string> plans; // by command
  for (const Tried &tried : search.result.tried)
    plans[tried.candidate.command()] = tried.measure.plan;
  size_t without = 0;
  for (const Tried &tried : search.result.tried) {
    Candidate unlimited = tried.candidate;
    unlimited.variant.maxChannels.reset();
    const bool isLimited = tried.candidate.variant.maxChannels.has_value();
    auto found = plans.find(unlimited.command());
    if (isLimited && found != plans.end() && found->second == tried.measure.plan)
      ++without;
  }
  CHECK(without == 1);
}

TEST_CASE("of a large plan beside others, no variant is tried", "[tune]") {
  Search search({"ring",
                 CollectiveKind::AllReduce,
                 8,
                 {"allreduce_grid"},
                 1 << 28,
                 {{"chunks", {"512"}}, {"batch", {"1"}}}});
  CHECK(search.result.tried.front().measure.steps > 262'144);
  CHECK(search.result.tried.size() == search.space->roots().size());
}
#endif
