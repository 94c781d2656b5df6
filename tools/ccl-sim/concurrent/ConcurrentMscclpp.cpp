//===- ConcurrentMscclpp.cpp - Plans of MSCCL++ at once -------------------===//
//
// Each plan is bound twice: itself, and as the plan that reports show. Such a plan has one
// placement, so that one run together executes the data of all.
//
//===----------------------------------------------------------------------===//

#include "ConcurrentMscclpp.h"

#include "cclc/Mscclpp/Json.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/Mscclpp/DataExecutor.h"
#include "cclc/Sim/Mscclpp/Simulator.h"
#include "cclc/Sim/Network/Network.h"

using namespace cclc;

LogicalResult ConcurrentMscclpp::checkOptions(DiagnosticEngine &diags) const {
  const std::pair<bool, const char *> ofSteps[] = {{request.args.slots.has_value(), "--slots"},
                                                   {!request.args.skew.empty(), "--skew"},
                                                   {request.args.seed.has_value(), "--seed"}};
  for (auto [given, name] : ofSteps)
    if (given)
      return diags.error({}, std::string(name) + " applies to plans of steps, not to those of "
                                                 "MSCCL++: convert the plans with cclc convert");
  return mscclpp::checkElements(request.args.op, request.args.type, diags);
}

FailureOr<ExecPlan> ConcurrentMscclpp::read(StringRef text, StringRef name,
                                            DiagnosticEngine &diags) {
  FailureOr<mscclpp::ShownPlan> shown = mscclpp::ShownPlan::read(text, name, diags);
  if (failed(shown))
    return failure();
  plans.push_back(std::make_unique<One>(One{std::move(shown->plan)}));
  return std::move(shown->steps);
}

FailureOr<Sizing> ConcurrentMscclpp::bind(size_t p, const BoundPlan &shown,
                                          DiagnosticEngine &diags) {
  One &one = *plans[p];
  std::vector<uint32_t> endpoints;
  for (EndpointId endpoint : shown.endpointOf)
    endpoints.push_back(endpoint.index());
  auto bound = mscclpp::BoundPlan::create(one.plan, shown.machine, diags, endpoints);
  if (failed(bound))
    return failure();
  one.bound.emplace(std::move(*bound));
  auto sized =
      mscclpp::SizedPlan::create(one.plan, request.plans[p].bytes, request.args.type, diags);
  if (failed(sized))
    return failure();
  one.sized.emplace(std::move(*sized));
  return mscclpp::sizingForReports(*one.sized);
}

LogicalResult ConcurrentMscclpp::prove(size_t p, DiagnosticEngine &diags) const {
  return success(mscclpp::verifyForExecutor(plans[p]->plan, diags).verdict == Verdict::Ok);
}

LogicalResult ConcurrentMscclpp::checkEndpoints(DiagnosticEngine &diags) const {
  std::vector<const mscclpp::BoundPlan *> bound;
  std::vector<std::string> titles;
  for (size_t p = 0; p < plans.size(); ++p) {
    bound.push_back(&*plans[p]->bound);
    titles.push_back(request.plans[p].title);
  }
  return mscclpp::checkSharedEndpoints(bound, titles, diags);
}

SimResult ConcurrentMscclpp::simulateAlone(size_t p, StringRef network) const {
  const One &one = *plans[p];
  mscclpp::RunOptions options;
  options.repeat = request.args.repeat;
  return simulate(*one.bound, *one.sized, *createNetwork(network, one.bound->routes), options);
}

ConcurrentResult ConcurrentMscclpp::simulateTogether(
    StringRef network, std::vector<std::optional<bool>> &dataOk,
    llvm::function_ref<void(size_t, std::string)> onMismatch) const {
  std::vector<std::unique_ptr<mscclpp::DataExecutor>> data(plans.size());
  std::vector<mscclpp::ConcurrentPlan> all;
  for (size_t p = 0; p < plans.size(); ++p) {
    const One &one = *plans[p];
    all.push_back({*one.bound, *one.sized, request.plans[p].start});
    mscclpp::RunOptions &options = all.back().options;
    options.repeat = request.args.repeat;
    options.criticalPath = request.args.criticalPath;
    if (!request.args.checkData || !one.plan.header().collective.hasPostCondition())
      continue;
    data[p] = std::make_unique<mscclpp::DataExecutor>(*one.sized, request.args.repeat);
    options.data = data[p].get();
  }
  ConcurrentResult result = mscclpp::simulateConcurrently(all, network);
  for (size_t p = 0; p < plans.size(); ++p) {
    if (!data[p] || !result.plans[p].completed)
      continue;
    dataOk[p] = !data[p]->mismatch();
    Placement placement =
        plans[p]->plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace;
    if (data[p]->mismatch())
      onMismatch(p, mismatchText(*data[p]->mismatch(), placement, request.plans[p].bytes,
                                 request.args.repeat));
  }
  return result;
}
