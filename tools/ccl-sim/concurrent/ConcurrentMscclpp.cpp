//===- ConcurrentMscclpp.cpp - Plans of MSCCL++ at once -------------------===//
//
// Such a plan has one placement, so that one run together executes the data of all.
//
//===----------------------------------------------------------------------===//

#include "ConcurrentMscclpp.h"

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

FailureOr<Sizing> ConcurrentMscclpp::add(const mscclpp::PlacedPlan &placed,
                                         DiagnosticEngine &diags) {
  Bytes bytes = request.plans[plans.size()].bytes;
  auto sized = mscclpp::SizedPlan::create(placed.plan, bytes, request.args.type, diags);
  if (failed(sized))
    return failure();
  plans.push_back({placed, std::move(*sized)});
  return plans.back().sized.sizing();
}

LogicalResult ConcurrentMscclpp::checkEndpoints(DiagnosticEngine &diags) const {
  std::vector<const mscclpp::PlacedPlan *> placed;
  std::vector<std::string> titles;
  for (size_t p = 0; p < plans.size(); ++p) {
    placed.push_back(&plans[p].placed);
    titles.push_back(request.plans[p].title);
  }
  return mscclpp::checkSharedEndpoints(placed, titles, diags);
}

SimResult ConcurrentMscclpp::simulateAlone(size_t p, StringRef network) const {
  const One &one = plans[p];
  mscclpp::RunOptions options;
  options.repeat = request.args.repeat;
  return simulate(one.placed, one.sized, *createNetwork(network, one.placed.routes), options);
}

ConcurrentResult ConcurrentMscclpp::simulateTogether(
    StringRef network, std::vector<std::optional<bool>> &dataOk,
    llvm::function_ref<void(size_t, std::string)> onMismatch) const {
  std::vector<std::unique_ptr<mscclpp::DataExecutor>> data(plans.size());
  std::vector<mscclpp::ConcurrentPlan> all;
  for (size_t p = 0; p < plans.size(); ++p) {
    const One &one = plans[p];
    all.push_back({one.placed, one.sized, request.plans[p].start});
    mscclpp::RunOptions &options = all.back().options;
    options.repeat = request.args.repeat;
    options.criticalPath = request.args.criticalPath;
    if (!request.args.checkData || !one.placed.plan.header().collective.hasPostCondition())
      continue;
    data[p] = std::make_unique<mscclpp::DataExecutor>(one.sized, request.args.repeat);
    options.data = data[p].get();
  }
  ConcurrentResult result = mscclpp::simulateConcurrently(all, network);
  for (size_t p = 0; p < plans.size(); ++p) {
    if (!data[p] || !result.plans[p].completed)
      continue;
    dataOk[p] = !data[p]->mismatch();
    Placement placement =
        plans[p].placed.plan.header().inPlace ? Placement::InPlace : Placement::OutOfPlace;
    if (data[p]->mismatch())
      onMismatch(p, mismatchText(*data[p]->mismatch(), placement, request.plans[p].bytes,
                                 request.args.repeat));
  }
  return result;
}
