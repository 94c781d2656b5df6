//===- ChosenPlan.cpp - Plans and rows of a portfolio ---------------------===//
//
// The range of sizes is part of a plan, so that the plan of a range is compiled and proved again.
//
//===----------------------------------------------------------------------===//

#include "cclc/Search/Tune/ChosenPlan.h"

#include "cclc/Proof/UniformOrder.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

FailureOr<ExecPlan> cclc::compileChosen(const TuneProblem &problem, const TuneResult &result,
                                        const PlanRange &range, DiagnosticEngine &diags) {
  const Tried &tried = result.tried[range.plan];
  CompileRequest request = tried.candidate.request(problem);
  request.minBytes = range.minBytes;
  request.maxBytes = range.maxBytes;
  FailureOr<Compiled> compiled = compile(*tried.candidate.program, request, diags);
  if (failed(compiled))
    return failure();
  const std::optional<uint64_t> &order = tried.measure.order;
  if (order && findUniformOrder(compiled->plan) != order)
    return diags.error({}, "the reduction order is not that of the other plans")
        .as(Failure::Defect);
  return std::move(compiled->plan);
}

PortfolioPoint cclc::pointOf(uint64_t size, SimTime time, const SizeBound &bound) {
  PortfolioPoint point{size, toNanoseconds(time), {}};
  if (bound.time() > SimTime()) {
    point.boundShare = bound.shareOf(time);
    point.binds = boundName(bound.binds).str();
  }
  return point;
}

PortfolioFileRow cclc::rowOf(const TuneProblem &problem, const TuneResult &result,
                             const PlanRange &range, std::string plan) {
  const Tried &tried = result.tried[range.plan];
  PortfolioFileRow row{.collective = problem.collective,
                       .ranks = problem.ranks(),
                       .ranksPerNode = problem.ranksPerNode(),
                       .isInPlace = problem.isInPlace(),
                       .minBytes = range.minBytes,
                       .maxBytes = range.maxBytes,
                       .plan = std::move(plan),
                       .runtime = problem.runtime->name.str(),
                       .protocol = protocolName(tried.candidate.variant.protocol).str(),
                       .command = tried.candidate.command(),
                       .multiple = tried.measure.multiple,
                       .threadblocks = tried.measure.threadblocks,
                       .channels = tried.measure.channels,
                       .reductionOrder = tried.measure.order};
  for (size_t s = range.firstSize; s <= range.lastSize; ++s) {
    uint64_t size = problem.sizes[s];
    row.points.push_back(pointOf(size, *tried.measure.time(size), problem.boundOf(size)));
  }
  return row;
}

void cclc::reportUncovered(const TuneProblem &problem, const TuneResult &result,
                           std::optional<uint32_t> maxPlans, DiagnosticEngine &diags) {
  if (choosePlans(problem, result, std::nullopt).empty()) {
    diags.error({}, gapsOf(problem, result, {}).front().text()).as(Failure::Unfit);
    return;
  }
  diags
      .error({}, formatv("{0} of {1} {2} not cover all sizes; increase --max-plans",
                         counted(maxPlans.value_or(0), "plan"), collectiveName(problem.collective),
                         maxPlans == 1u ? "does" : "do"))
      .as(Failure::Unfit);
}
