#include "cclc/Sim/SizeSimulation.h"

#include "cclc/Sim/SizeMemory.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

FailureOr<Sizing> cclc::proveSize(const BoundPlan &bound, SizeVerifier &verifier, Bytes bytes,
                                  DataType type, DiagnosticEngine &diags) {
  FailureOr<Sizing> sizing = Sizing::create(bound, bytes, type, diags);
  if (failed(sizing))
    return failure();
  if (failed(checkMemory(bound, *sizing, diags)))
    return diags.fail(Failure::Unfit);
  if (verifier.prove(*sizing).safe)
    return sizing;
  verifier.report(*sizing, diags);
  return diags.fail(Failure::Wrong);
}

FailureOr<SimResult> cclc::simulateProved(const BoundPlan &bound, const Sizing &sizing,
                                          StringRef network, const SimOptions &options,
                                          DiagnosticEngine &diags) {
  std::unique_ptr<NetworkModel> model = createNetwork(network, bound.routes);
  SimResult result = simulate(bound, sizing, *model, options);
  if (result.completed && result.time != SimTime::max())
    return result;
  return diags.error(
      {}, formatv("the plan does not complete with {0} bytes", sizing.requested.count()));
}
