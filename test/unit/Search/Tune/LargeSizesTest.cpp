//===- LargeSizesTest.cpp - Searches of large buffers alone ---------------===//
//
// Far from the best plan, one large buffer does not show which parallelism pays. The oracle is a
// search that has small buffers as well.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Tuner.h"

#include <catch2/catch.hpp>

#include <set>

using namespace cclc;

namespace {
/// The result of a search with \p sizes among the plans of broadcast_rails on two nodes.
TuneResult searchRails(std::vector<uint64_t> sizes, const TuneOptions &options = {}) {
  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  dsl::registerAllPrograms(programs);
  TuneRequest request;
  request.runtime = &simulatorRuntime();
  request.collective = CollectiveKind::Broadcast;
  request.target = {"ndv4", CCLC_TARGET_DIR, {}, std::nullopt};
  request.ranks = 16;
  request.sizes = std::move(sizes);
  TuneProblem problem = *TuneProblem::create(request, diags);
  CandidateSpace space = *CandidateSpace::create(problem, programs, {"broadcast_rails"}, diags);
  return *tune(space, MeasureStore(), options, diags);
}

SimTime bestTime(const TuneResult &result, uint64_t size) {
  return *result.tried[result.ranking(size).front()].measure.time(size);
}
} // namespace

TEST_CASE("a large buffer alone has the plan that it has beside small ones", "[tune]") {
  const uint64_t size = 256 << 20;
  const SimTime beside = bestTime(searchRails({1 << 10, 1 << 15, 1 << 20, 1 << 25, size}), size);
  const SimTime alone = bestTime(searchRails({size}), size);
  CHECK(alone.picoseconds() <= beside.picoseconds() * 101 / 100);
}

TEST_CASE("sizes are added only to a search that drops candidates", "[tune]") {
  const uint64_t size = 1 << 20;
  auto sizesOf = [](const TuneResult &result) {
    std::set<uint64_t> sizes;
    for (const Tried &tried : result.tried)
      for (const auto &[bytes, run] : tried.measure.runs)
        sizes.insert(bytes);
    return sizes;
  };
  CHECK(sizesOf(searchRails({size})) == std::set<uint64_t>{1 << 16, size});
  CHECK(sizesOf(searchRails({1 << 10, size / 4})) == std::set<uint64_t>{1 << 10, size / 4});
  TuneOptions onePlan;
  onePlan.onePlan = true;
  CHECK(sizesOf(searchRails({size}, onePlan)) == std::set<uint64_t>{size});
}
