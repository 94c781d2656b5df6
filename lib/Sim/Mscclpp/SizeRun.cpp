#include "cclc/Sim/Mscclpp/SizeRun.h"

#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Mscclpp/DataExecutor.h"

using namespace cclc;
using namespace cclc::mscclpp;

LogicalResult mscclpp::checkElements(ReduceOp op, DataType type, DiagnosticEngine &diags) {
  if (op != ReduceOp::Sum)
    return diags.error({}, "--op does not apply to a plan of MSCCL++, which always adds");
  if (type == DataType::F64 || type == DataType::I64 || type == DataType::I8)
    return diags.error({}, "the executor of MSCCL++ has no elements of type " + dataTypeName(type));
  return success();
}

FailureOr<SizeResult> mscclpp::runSize(const SizeRunSettings &settings, const SizedPlan &sized,
                                       DiagnosticEngine &diags, const SimulateOnce &simulate) {
  const BoundPlan &bound = settings.plan.bound;
  const Header &header = bound.plan.header();
  RunOptions options = settings.options;
  std::optional<DataExecutor> data;
  if (settings.checkData && header.collective.hasPostCondition())
    options.data = &data.emplace(sized, options.repeat);
  std::unique_ptr<NetworkModel> network = createNetwork(settings.network, bound.routes);
  FailureOr<SimResult> result =
      simulate ? simulate(*network, options) : mscclpp::simulate(bound, sized, *network, options);
  if (failed(result))
    return failure();
  if (!result->completed)
    return diags.error(settings.where, "the plan was verified, but its execution did not complete");
  SizeResult row = makeSizeResult(settings.plan.shown, sizingForReports(sized), std::move(*result),
                                  options.repeat);
  if (!data)
    return row;
  row.dataOk = !data->mismatch();
  if (data->mismatch())
    diags.error(settings.where,
                mismatchText(*data->mismatch(),
                             header.inPlace ? Placement::InPlace : Placement::OutOfPlace,
                             sized.requested, options.repeat));
  return row;
}
