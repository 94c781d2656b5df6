//===- AdviceTest.cpp - Causes that options remove ------------------------===//
//
// One message, or a stream of them, with one thing wrong. The change must be among the candidates,
// and the time that its run saves must be that of a closed form.
//
//===----------------------------------------------------------------------===//

#include "../../Sim/Simulation.h"
#include "AdviceCandidates.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint32_t ranks = 4;

/// A run on a ring with links of 100 GB/s and a propagation of 1 us.
class AdvisedRun {
public:
  AdvisedRun(const ExecPlan &plan, std::vector<std::string> sets, uint64_t bytes,
             std::vector<Skew> skew = {}, std::optional<Slots> slots = {})
      : target(machine("ring", sets, ranks)), sim(plan, target, bytes, DataType::F32, slots),
        report(SweepResult{}) {
    SimOptions options;
    options.skew = std::move(skew);
    options.criticalPath = true;
    report.type = DataType::F32;
    report.sizes.push_back(makeSizeResult(sim.placed, sim.sizing, sim.run("", options), 1));
    report.costs = costsOf(report.sizes.back(), sim.placed);
    request.emplace(AdviceRequest{sim.placed,
                                  report,
                                  options,
                                  1,
                                  1,
                                  programs,
                                  targetRequest("ring").targetDir,
                                  "ring",
                                  {},
                                  slots,
                                  sets,
                                  {}});
  }

  /// The time that the change of \p options saves, in picoseconds; none if it is not a candidate.
  std::optional<int64_t> gain(const std::string &options, const std::string &cause) {
    for (const OptionCandidate &candidate : optionCandidates(*request, dispatch()))
      if (candidate.options.text() == options) {
        CHECK(StringRef(candidate.cause).starts_with(cause));
        std::optional<RunFigures> then = tryRun(*request, sim.placed.plan, 1, candidate.options);
        REQUIRE(then);
        return (report.sizes.back().time - then->time).picoseconds();
      }
    return std::nullopt;
  }
  size_t candidates() { return optionCandidates(*request, dispatch()).size(); }
  uint32_t dispatch() { return dispatchPercent(*request); }

private:
  Machine target;
  Simulation sim;
  SweepResult report;
  dsl::ProgramRegistry programs;
  std::optional<AdviceRequest> request;
};

constexpr uint64_t megabyte = 1'000'000;
} // namespace

TEST_CASE("a rank that starts late is advised to start with the others", "[advice]") {
  ExecPlan plan = stream(1, false, ranks);
  AdvisedRun run(plan, {}, megabyte, {{SimTime(20'000'000)}, {}, {}, {}});
  CHECK(run.gain("--skew 0=0", "straggler: rank 0 starts 20.000 us late") == 20'000'000);
  // The message arrives 1 us after its transmission; its receiver may start 2 us late.
  AdvisedRun receiver(plan, {}, 100'000, {{}, {SimTime(5'000'000)}, {}, {}});
  CHECK(receiver.gain("--skew 1=0", "straggler: rank 1 starts 5.000 us late") == 3'000'000);
}

TEST_CASE("slow engines are advised to run at full speed", "[advice]") {
  ExecPlan plan = stream(1, false, ranks);
  AdvisedRun run(plan, {"pe.dispatch=1e-6"}, 100'000, {{SimTime(), 3000}, {}, {}, {}});
  CHECK(run.gain("--skew 0=x1", "straggler: the engines of rank 0 take 3.000 times as long") ==
        2'000'000);
}

TEST_CASE("a link that is slower than its equals is advised to be repaired", "[advice]") {
  ExecPlan plan = stream(1, false, ranks);
  AdvisedRun run(plan, {"links.n0->n1.bandwidth=10e9"}, megabyte);
  CHECK(run.gain("--set 'links.n0->n1.bandwidth=100000000000'",
                 "slow link: n0->n1 has 10.000 GB/s, and 7 links of its kind have 100.000 GB/s") ==
        transferPs(megabyte, 10'000'000'000) - transferPs(megabyte, 100'000'000'000));
  // A slow link without traffic is not a cause.
  AdvisedRun unused(plan, {"links.n2->n3.bandwidth=10e9"}, megabyte);
  CHECK_FALSE(unused.gain("--set 'links.n2->n3.bandwidth=100000000000'", ""));
}

TEST_CASE("sends that wait for a slot are advised to have more", "[advice]") {
  // Each of four messages waits for the credit of the previous one: a propagation each way.
  ExecPlan plan = stream(4, false, ranks);
  AdvisedRun run(plan, {"queue.slot_size=0"}, 400'000, {}, Slots(1));
  int64_t wire = transferPs(100'000, 100'000'000'000), trip = 2'000'000;
  CHECK(run.gain("--slots 4", "few slots: sends wait for the only slot") == 3 * trip);
  // The third message waits for the first credit, and the fourth follows it.
  CHECK(run.gain("--slots 2", "few slots: sends wait for the only slot") ==
        3 * trip - (trip - wire));
}

TEST_CASE("only runs whose time is that of dispatch are dispatch-bound", "[advice]") {
  ExecPlan plan = stream(1, false, ranks);
  AdvisedRun bound(plan, {"pe.dispatch=10e-6", "pe.local_dispatch=0"}, 100'000);
  // Both steps are dispatched, one after the other, and the message takes 2 us.
  CHECK(bound.dispatch() == 90);
  AdvisedRun fast(plan, {}, 100'000);
  CHECK(fast.dispatch() == 0);
  // The dispatch of the machine is no candidate.
  CHECK_FALSE(bound.gain("--set pe.dispatch=5000000e-12 --set pe.local_dispatch=0e-12", ""));
}
