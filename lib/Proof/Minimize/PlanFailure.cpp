//===- PlanFailure.cpp - Recognising a failure in a part of a plan --------===//
//
// find() verifies the plan and records the verdict with its steps or cell. isIn() verifies a part
// and compares its verdict, then its racing steps, writer or wrong value, mapped to the steps and
// ranks of the whole plan by MinimizedPlan. The same verdict at a different place is a different
// failure.
//
//===----------------------------------------------------------------------===//

#include "cclc/Proof/Minimize/PlanFailure.h"

#include "cclc/Proof/PlanExecution.h"
#include "cclc/Proof/Races.h"

using namespace cclc;

std::optional<PlanFailure::WrongCell> PlanFailure::findWrongCell(const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  for (Placement placement : plan.info().placements.list()) {
    PlanExecution execution(plan, connections, runner, placement);
    PostCondition condition(plan.info().collective, execution.memory().values);
    for (uint32_t r = 0; r < plan.ranks(); ++r)
      for (uint32_t c = 0; c < plan.info().collective.outputChunks(); ++c) {
        ValueId value = execution.memory().at(RankId(r), Operand(Buffer::Output, c)).value;
        if (!condition.holds(RankId(r), c, value))
          return WrongCell{placement, RankId(r), c, execution.reductionOrder(RankId(r), c)};
      }
  }
  return std::nullopt;
}

std::optional<std::pair<StepId, StepId>> PlanFailure::findRacingSteps(const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  std::optional<Race> race = findRace(plan, connections, runner);
  if (!race)
    return std::nullopt;
  return std::pair<StepId, StepId>(std::minmax(race->earlier, race->later));
}

std::optional<PlanFailure> PlanFailure::find(const ExecPlan &plan, Slots slots,
                                             DiagnosticEngine &diags) {
  PlanFailure failure(slots, verifyPlan(plan, slots, diags, ReductionHash::Omit).verdict);
  switch (failure.theVerdict) {
  case Verdict::Deadlock:
    return failure;
  case Verdict::Race:
    failure.racing = *findRacingSteps(plan);
    return failure;
  case Verdict::WrongResult:
    failure.wrong = findWrongCell(plan);
    if (!failure.wrong) // the input is written under a placement that forbids it
      for (uint32_t s = 0; s < plan.steps().size() && !failure.inputWriter; ++s)
        if (traits(plan.steps()[s].op).writesDst && plan.steps()[s].dst.buffer() == Buffer::Input)
          failure.inputWriter = s;
    return failure;
  default:
    return std::nullopt;
  }
}

bool PlanFailure::isIn(const MinimizedPlan &part) const {
  DiagnosticEngine ignored;
  const ExecPlan &plan = part.plan;
  if (verifyPlan(plan, slots, ignored, ReductionHash::Omit).verdict != theVerdict)
    return false;
  if (theVerdict == Verdict::Deadlock)
    return true;
  if (theVerdict == Verdict::Race) {
    auto [earlier, later] = *findRacingSteps(plan);
    StepId a(part.origin[earlier.index()]), b(part.origin[later.index()]);
    return std::pair<StepId, StepId>(std::minmax(a, b)) == racing;
  }
  if (inputWriter)
    return llvm::is_contained(part.origin, *inputWriter) &&
           traits(plan.steps()[llvm::find(part.origin, *inputWriter) - part.origin.begin()].op)
               .writesDst;
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  if (!llvm::is_contained(plan.info().placements.list(), wrong->placement) ||
      !(plan.ranks() > wrong->rank.index()) || part.ranks[wrong->rank.index()] != wrong->rank)
    return false;
  PlanExecution execution(plan, connections, runner, wrong->placement);
  return wrong->index < plan.info().collective.outputChunks() &&
         execution.reductionOrder(wrong->rank, wrong->index) == wrong->value;
}
