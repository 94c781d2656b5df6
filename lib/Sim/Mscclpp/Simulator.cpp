//===- Simulator.cpp - A plan of MSCCL++, simulated for sizes -------------===//
//
// A size is accepted if the executor accepts it. The plan without pipelines and shares that the
// executor performs for it is kept, because several runs may follow.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/Mscclpp/Simulator.h"

#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Sim/Mscclpp/DataExecutor.h"

#include <map>

using namespace cclc;
using namespace cclc::mscclpp;

LogicalResult mscclpp::checkElements(ReduceOp op, DataType type, DiagnosticEngine &diags) {
  if (op != ReduceOp::Sum)
    return diags.error({}, "--op does not apply to a plan of MSCCL++, which always adds");
  if (type == DataType::F64 || type == DataType::I64 || type == DataType::I8)
    return diags.error({}, "the executor of MSCCL++ has no elements of type " + dataTypeName(type));
  return success();
}

namespace {
class OperationSimulator final : public Simulator {
public:
  OperationSimulator(const mscclpp::PlacedPlan &placed, SimulatorSettings settings)
      : Simulator(placed, std::move(settings)), placed(placed) {}

  FailureOr<Sizing> prove(Bytes bytes, DataType type, DiagnosticEngine &diags) override {
    FailureOr<SizedPlan> sized = SizedPlan::create(placed.plan, bytes, type, diags);
    if (failed(sized))
      return failure();
    Sizing sizing = sized->sizing();
    sizes.try_emplace({bytes, type}, std::move(*sized));
    return sizing;
  }

  SimResult simulate(const Sizing &sizing, const SimOptions &options) const override {
    return simulate(sizing, options, /*data=*/nullptr);
  }

private:
  const SizedPlan &sizedFor(const Sizing &sizing) const {
    return sizes.at({sizing.requested, sizing.type});
  }

  SimResult simulate(const Sizing &sizing, const SimOptions &options, DataMover *data) const {
    return mscclpp::simulate(
        placed, sizedFor(sizing), *createNetwork(how.network, placed.routes),
        {options.repeat, options.criticalPath, options.until, data, options.listeners});
  }

  FailureOr<SimResult> simulateChecked(const Sizing &sizing, SimOptions options, const Hooks &hooks,
                                       std::optional<bool> &right,
                                       DiagnosticEngine &diags) const override {
    std::optional<DataExecutor> data;
    if (checksData())
      data.emplace(sizedFor(sizing), options.repeat);
    FailureOr<SimResult> result = listen(hooks, options, [&](const SimOptions &all) {
      return simulate(sizing, all, data ? &*data : nullptr);
    });
    if (failed(result) || failed(check(sizing, *result, diags)))
      return failure();
    if (!data)
      return result;
    right = !data->mismatch();
    bool inPlace = placed.plan.header().inPlace;
    if (data->mismatch())
      diags.error(how.where, mismatchText(*data->mismatch(),
                                          inPlace ? Placement::InPlace : Placement::OutOfPlace,
                                          sizing.requested, options.repeat));
    return result;
  }

  const mscclpp::PlacedPlan &placed;
  std::map<std::pair<Bytes, DataType>, SizedPlan> sizes; ///< that were proved
};
} // namespace

std::unique_ptr<Simulator> mscclpp::createSimulator(const mscclpp::PlacedPlan &plan,
                                                    SimulatorSettings settings) {
  return std::make_unique<OperationSimulator>(plan, std::move(settings));
}
