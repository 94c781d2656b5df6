//===- ResultCheckTest.cpp - Defects that a search reports ----------------===//
//
// Results of a search with one changed value stand for a tuner that is wrong.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/ResultCheck.h"

#include "Plans.h"

#include "cclc/Search/Tune/ChosenPlan.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;
using namespace cclc::test;

namespace {
constexpr uint64_t size = 4096;

/// All-reduces of a ring with 4 ranks and one program.
struct Searched {
  Searched() {
    dsl::registerAllPrograms(programs);
    TuneRequest request;
    request.runtime = &simulatorRuntime();
    request.target = {"ring", CCLC_TARGET_DIR, {}, std::nullopt};
    request.ranks = 4;
    request.sizes = {size};
    problem = std::make_unique<TuneProblem>(*TuneProblem::create(request, diags));
    space = std::make_unique<CandidateSpace>(
        *CandidateSpace::create(*problem, programs, {"allreduce_ring"}, diags));
    result = *tune(*space, MeasureStore(), {}, diags);
    range = choosePlans(*problem, result, std::nullopt).front();
  }
  Measure &best() { return result.tried[result.ranking(size).front()].measure; }
  Tried &chosen() { return result.tried[range.plan]; }

  DiagnosticEngine diags;
  dsl::ProgramRegistry programs;
  std::unique_ptr<TuneProblem> problem;
  std::unique_ptr<CandidateSpace> space;
  TuneResult result;
  PlanRange range;
};
} // namespace

TEST_CASE("a right search has no defects", "[tune]") {
  Searched searched;
  CHECK(succeeded(checkResult(*searched.problem, searched.result, searched.diags)));
  CHECK(searched.diags.all().empty());
}

TEST_CASE("a time below the link bound is a defect", "[tune]") {
  Searched searched;
  const SimTime bound = searched.problem->linkBound(size);
  Measure &best = searched.best();
  const std::string command =
      searched.result.tried[searched.result.ranking(size).front()].candidate.command();
  best.runs[size].time = bound;
  CHECK(succeeded(checkResult(*searched.problem, searched.result, searched.diags)));
  best.runs[size].time = bound - SimTime(1);
  CHECK(failed(checkResult(*searched.problem, searched.result, searched.diags)));
  CHECK(textOf(searched.diags) == "tool: error: the plan of '" + command +
                                      "' takes 30.719 ns with 4096 bytes on target ring, less than "
                                      "the link bound of 30.720 ns\n");
  // Extrapolated times are not exact.
  best.runs[size].pieces = 512;
  CHECK(succeeded(checkResult(*searched.problem, searched.result, searched.diags)));
}

TEST_CASE("a wrong plan of a right program is a defect", "[tune]") {
  Searched searched;
  searched.result.tried.front().measure.refusal = "r0:o[1] is undefined";
  searched.result.tried.front().measure.fault = Measure::Fault::Tool;
  CHECK(failed(checkResult(*searched.problem, searched.result, searched.diags)));
  CHECK(textOf(searched.diags) ==
        "tool: error: the plan of 'allreduce_ring' is wrong: r0:o[1] is undefined\n");
}

TEST_CASE("wrong parameters are named once", "[tune]") {
  Searched searched;
  for (size_t i = 0; i < 2; ++i) {
    Tried wrong{{searched.chosen().candidate.program, "ring.cpp", {{"chunks", "2"}, {"x", "3"}}},
                {}};
    wrong.candidate.variant.instances = i + 1;
    wrong.measure.refusal = "line 7: chunk is undefined";
    wrong.measure.fault = Measure::Fault::Program;
    searched.result.tried.push_back(std::move(wrong));
  }
  CHECK(succeeded(checkResult(*searched.problem, searched.result, searched.diags)));
  CHECK(textOf(searched.diags) == "ring.cpp: warning: program 'allreduce_ring' is wrong with "
                                  "chunks=2 x=3, which is left out: line 7: chunk is undefined\n");
}

TEST_CASE("a plan that does not take the time of the search is a defect", "[tune]") {
  Searched searched;
  const ExecPlan plan =
      *compileChosen(*searched.problem, searched.result, searched.range, searched.diags);
  auto check = [&] {
    return checkTimes(*searched.problem, searched.result, searched.range,
                      timePlan(*searched.problem, plan, {size}), "a.json", searched.diags);
  };
  CHECK(succeeded(check()));
  CHECK(timePlan(*searched.problem, plan, {size}) ==
        TimesOfPlan{searched.chosen().measure.time(size)});
  SimTime &time = searched.chosen().measure.runs[size].time;
  const std::string right = thousandths(time.picoseconds());
  time += SimTime(1);
  const std::string found = thousandths(time.picoseconds());
  CHECK(failed(check()));
  CHECK(textOf(searched.diags) ==
        "tool: error: plan 'a.json' takes " + right +
            " ns with 4096 bytes on target ring, but the search has found " + found + " ns for '" +
            searched.chosen().candidate.command() + "'\n");
}
