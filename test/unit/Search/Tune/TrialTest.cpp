//===- TrialTest.cpp - Results of single candidates -----------------------===//
//
// The oracle of extrapolated times is a simulation of the whole buffer.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"
#include "PlanHash.h"
#include "cclc/DSL/Registry.h"
#include "cclc/Sim/Engine.h"
#include "cclc/Sim/Network/Network.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

using namespace cclc;

namespace {
class Setting {
public:
  Setting(const char *target, uint32_t ranks, std::vector<std::string> settings = {}) {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = &simulatorRuntime();
    request.collective = CollectiveKind::AllReduce;
    request.target = {target, CCLC_TARGET_DIR, {}, std::nullopt};
    REQUIRE(succeeded(parseOverrides(settings, request.target.overrides, diags)));
    request.ranks = ranks;
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
  }

  Candidate candidate(StringRef name,
                      std::vector<std::pair<std::string, std::string>> parameters = {}) const {
    auto found = llvm::find_if(programs.all(), [&](auto &each) { return each.name() == name; });
    return {&*found, {}, std::move(parameters)};
  }

  ExecPlan compile(const Candidate &candidate) {
    return cclc::compile(*candidate.program, candidate.request(*problem), diags)->plan;
  }

  SimResult simulate(const Candidate &candidate, uint64_t size) {
    ExecPlan plan = compile(candidate);
    PlacedPlan placed = *PlacedPlan::create(plan, problem->machine, problem->slotsOf(plan), diags);
    Sizing sizing = *Sizing::create(placed, Bytes(size), problem->type, diags);
    return cclc::simulate(placed, sizing, *createNetwork(problem->network, placed.routes));
  }

  std::unique_ptr<TuneProblem> problem;

private:
  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
};
} // namespace

TEST_CASE("the time of many pieces is near that of a simulation", "[tune]") {
  Setting setting(
      "ahbm", 2,
      {"sips.count=1", "cubes.width=2", "cubes.height=1", "cubes.pes=1", "ipcq.slot_size=64"});
  constexpr uint64_t size = uint64_t(24) << 20;
  std::vector<const char *> names = {"allreduce_recursive_doubling"};
#if !defined(CCLC_SANITIZED) // a million executions
  names.push_back("allreduce_ring");
#endif
  for (const char *name : names) {
    INFO(name);
    Candidate candidate = setting.candidate(name);
    Trial trial(*setting.problem, candidate, {});
    trial.simulate(size);
    SimResult whole = setting.simulate(candidate, size);
    REQUIRE(whole.completed);
    Measure::Run run = trial.measure.runs.at(size);
    CHECK(run.messages < whole.messages);
    CHECK(double(run.time.picoseconds()) ==
          Approx(double(whole.time.picoseconds())).epsilon(0.001));
    // Its parts are kept, so that twice the size takes no simulation.
    CHECK(trial.measure.runs.size() == 3);
    uint64_t before = trial.simulations;
    trial.simulate(2 * size);
    CHECK(trial.simulations == before);
    CHECK(trial.measure.runs.at(2 * size).messages == run.messages);
  }
}

TEST_CASE("a simulation is stopped at its limit, and repeated with a larger one", "[tune]") {
  Setting setting("ring", 4);
  constexpr uint64_t size = 1 << 16;
  Candidate candidate = setting.candidate("allreduce_ring");
  const SimTime time = setting.simulate(candidate, size).time;
  const SimTime half(time.picoseconds() / 2), quarter(time.picoseconds() / 4);
  Trial trial(*setting.problem, candidate, {});
  trial.simulate(size, half);
  CHECK(trial.measure.runs.empty());
  CHECK(trial.measure.longer.at(size).than == half);
  CHECK(trial.measure.takesLonger(size, half));
  CHECK_FALSE(trial.measure.takesLonger(size, time));
  // A smaller limit needs no simulation.
  trial.simulate(size, quarter);
  CHECK(trial.simulations == 1);
  CHECK(trial.measure.longer.at(size).than == half);
  trial.simulate(size, time);
  CHECK(trial.simulations == 2);
  CHECK(trial.measure.runs.at(size).time == time);
  CHECK(trial.measure.longer.empty());
  CHECK(trial.measure.takesLonger(size, half));
  CHECK_FALSE(trial.measure.takesLonger(size, time));
}

TEST_CASE("a limit of one file does not hide the time of another", "[tune]") {
  constexpr uint64_t size = 4096;
  const SimTime time(1000);
  Measure exact, less, more;
  for (Measure *each : {&exact, &less, &more})
    each->isCompiled = true;
  exact.add(size, Measure::Run{time, 8, 1});
  less.add(size, Measure::Longer{SimTime(100)});
  more.add(size, Measure::Longer{SimTime(200)});
  Measure both = less;
  both.merge(more);
  CHECK(both == more);
  more.merge(less);
  CHECK(both == more);
  both.merge(exact);
  CHECK(both == exact);
  exact.merge(less);
  CHECK(both == exact);
}

TEST_CASE("programs with the same plan have the same hash", "[tune]") {
  Setting setting("ring", 4);
  auto hashOf = [&](const Candidate &candidate) {
    return hashOfPlan(setting.compile(candidate), setting.problem->machine);
  };
  Candidate ring = setting.candidate("allreduce_bidirectional_ring");
  const std::string hash = hashOf(ring);
  CHECK(hash != hashOf(setting.candidate("allreduce_ring")));
  ring.variant.instances = 2;
  CHECK(hash != hashOf(ring));
  // Without levels, the ranks remain where they are.
  ring.variant = {};
  ring.variant.placement = RankPlacement::Snake;
  CHECK(hash == hashOf(ring));
  ring.variant.placement = RankPlacement::Auto;
  CHECK(hash == hashOf(ring));
}

TEST_CASE("runs with equal keys have equal times", "[tune]") {
  // The slots of the target, and larger ones, which differ where messages fill a slot.
  Setting setting("ahbm", 4);
  for (const char *name : {"allreduce_ring", "allreduce_halving_doubling"}) {
    std::map<std::string, SimTime> times;
    size_t shared = 0, different = 0;
    for (std::optional<Bytes> slot : {std::optional<Bytes>(), {Bytes(8192)}, {Bytes(65536)}}) {
      Candidate candidate = setting.candidate(name);
      candidate.variant.slotSize = slot;
      for (uint64_t size : {uint64_t(1) << 10, uint64_t(1) << 14, uint64_t(1) << 17}) {
        INFO(name << " with slots of " << (slot ? slot->count() : 0) << " and " << size
                  << " bytes");
        Trial trial(*setting.problem, candidate, {});
        trial.simulate(size);
        const SimTime time = setting.simulate(candidate, size).time;
        REQUIRE(trial.measure.time(size) == time);
        auto [known, isNew] =
            times.try_emplace(trial.runKey(size) + " " + std::to_string(size), time);
        CHECK(known->second == time);
        ++(isNew ? different : shared);
      }
    }
    CHECK(shared > 0);
    CHECK(different > 3); // more than one for a size
  }
}
