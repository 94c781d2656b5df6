//===- VaryTest.cpp - Axes, variants and elasticities ---------------------===//
//
// The expectation of an elasticity is a closed form. A ring all-gather of R ranks, S bytes and one
// chunk per rank takes (R-1) (S / (R x) + p) on links of bandwidth x and propagation p. The tuner
// may divide the buffer, but not avoid that a link carries S / R bytes and that the last
// block passes R-1 links.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/Vary.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace cclc;

namespace {
std::vector<std::string> valuesOf(const std::string &text) {
  DiagnosticEngine diags;
  FailureOr<VaryAxis> axis = VaryAxis::parse(text, diags);
  return succeeded(axis) ? axis->values : std::vector<std::string>();
}

/// A tuned ring of 4 ranks without instances: links of 100 GB/s and 1 us.
struct Ring {
  explicit Ring(std::vector<uint64_t> sizes, std::vector<std::string> settings = {}) {
    dsl::registerAllPrograms(programs);
    request.collective = CollectiveKind::AllGather;
    request.target = {"ring", CCLC_TARGET_DIR, {}, std::nullopt};
    REQUIRE(succeeded(parseOverrides(settings, request.target.overrides, diags)));
    request.ranks = 4;
    request.sizes = std::move(sizes);
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space =
        std::make_unique<CandidateSpace>(*CandidateSpace::create(*problem, programs, names, diags));
    result = *tune(*space, store, {}, diags);
  }
  std::vector<std::optional<int64_t>> elasticity(const std::string &path) {
    FailureOr<Elasticity> found = findElasticity(*problem, result, {path, {"1", "2"}}, 1, diags);
    REQUIRE(succeeded(found));
    return found->thousandths;
  }

  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::vector<std::string> names = {"allgather_ring"};
  TuneRequest request;
  MeasureStore store = *MeasureStore::open(std::nullopt, {}, diags);
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  TuneResult result;
};
} // namespace

TEST_CASE("values of an axis grow by equal factors") {
  CHECK(valuesOf("link.bandwidth=50e9:400e9:4") ==
        std::vector<std::string>{"50e9", "100e9", "200e9", "400e9"});
  CHECK(valuesOf("nic.latency=1e-6:2e-6:3") ==
        std::vector<std::string>{"1e-6", "1.414e-6", "2e-6"});
  CHECK(valuesOf("a=0.25:1:3") == std::vector<std::string>{"0.25", "0.5", "1"});
  CHECK(valuesOf("queue.slots=2:16:4") == std::vector<std::string>{"2", "4", "8", "16"});
  CHECK(valuesOf("queue.slots=1:3:8") == std::vector<std::string>{"1", "2", "3"});
  CHECK(valuesOf("links.n0->n1.bandwidth=1e9:2e9:2") == std::vector<std::string>{"1e9", "2e9"});
  for (const char *wrong : {"a", "a=1", "a=1:2", "a=1:2:1", "a=1:2:65", "a=2:1:2", "a=0:1:2",
                            "a=-1:1:2", "a=x:1:2", "a=1:inf:2", "a=1:2:3:4", "=1:2:3"})
    CHECK(valuesOf(wrong).empty());
}

TEST_CASE("variants are all combinations, the last axis first") {
  auto all = combinations({{"a", {"1", "2"}}, {"b", {"3", "4", "5"}}});
  REQUIRE(all.size() == 6);
  CHECK(all[1][0].value == "1");
  CHECK(all[1][1].value == "4");
  CHECK(all[3][0].value == "2");
  CHECK(all[3][1].path == "b");
}

TEST_CASE("the present value of a path") {
  Ring ring({1024});
  auto base = [&](const std::string &path) {
    return *findBaseValue(*ring.problem, {path, {"1", "2"}}, ring.diags);
  };
  CHECK(base("link.bandwidth")->text() == "100e9");
  CHECK(base("link.propagation")->text() == "1e-6");
  CHECK(base("queue.slots")->isWhole);
  CHECK(base("queue.slot_size")->text() == "1048576");
  CHECK(base("links.n0->n1.bandwidth")->value == 100e9);
  CHECK(base("links.*->*.propagation")->value == 1e-6);
  CHECK(!base("shape"));
  Ring uneven({1024}, {"links.n0->n1.bandwidth=50e9"});
  VaryAxis all{"links.*->*.bandwidth", {"1", "2"}};
  CHECK(!*findBaseValue(*uneven.problem, all, uneven.diags));
  CHECK(!uneven.elasticity(all.path).front());
}

TEST_CASE("elasticities have the closed forms of a ring") {
  const std::vector<uint64_t> sizes = {1024, 1 << 20, 1 << 28};
  Ring ring(sizes, {"pe.math.cycle=1e-9"});
  auto bandwidth = ring.elasticity("link.bandwidth");
  auto propagation = ring.elasticity("link.propagation");
  // Bound by latency, and by bandwidth; a value of 0, and one that limits nothing.
  CHECK(bandwidth.front() <= 2);
  CHECK(propagation.front() <= -995);
  CHECK(bandwidth.back() >= 997);
  CHECK(propagation.back() >= -3);
  for (const char *unused : {"pe.math.cycle", "pe.nop", "pe.dma_bandwidth", "queue.slots"})
    for (std::optional<int64_t> value : ring.elasticity(unused))
      CHECK(value == 0);
  // The time consists of the two parts, with a part of the slots in transit.
  for (size_t s = 0; s < sizes.size(); ++s)
    CHECK(std::abs(*bandwidth[s] - *propagation[s] - 1000) <= 10);
}

TEST_CASE("a variant is tuned like any other machine") {
  Ring ring({1024, 1 << 22});
  auto tuneWith = [&](std::vector<TargetOverride> changes) {
    return *tuneVariant(ring.request, changes, ring.programs, ring.names, *ring.problem,
                        ring.result, ring.store, {}, ring.diags);
  };
  MachineVariant same = tuneWith({{"link.bandwidth", "100e9"}});
  MachineVariant twice = tuneWith({{"link.bandwidth", "200e9"}});
  Ring other({1024, 1 << 22}, {"link.bandwidth=200e9"});
  for (size_t s = 0; s < 2; ++s) {
    CHECK(same.best[s].time == bestOfSizes(*ring.problem, ring.result)[s].time);
    CHECK(twice.best[s].time == bestOfSizes(*other.problem, other.result)[s].time);
    CHECK(twice.best[s].bound.time() == other.problem->boundOf(ring.request.sizes[s]).time());
  }
  CHECK(twice.best[1].bound.link().picoseconds() * 2 == same.best[1].bound.link().picoseconds());
}
