#include "cclc/Compiler/LowerToMscclpp.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/MscclppEmit/Compact.h"
#include "cclc/MscclppEmit/Lower.h"
#include "cclc/MscclppProof/Verify.h"

using namespace cclc;

static mscclpp::NodeMap nodesOf(const ExecPlan &plan, const Machine *machine) {
  ArrayRef<uint32_t> endpoints = plan.info().placementOnTarget;
  if (!machine || endpoints.empty() || machine->geometry().levels.front().name != "node")
    return mscclpp::NodeMap();
  uint32_t perNode = machine->numEndpoints() / machine->geometry().levels.front().size();
  std::vector<uint32_t> nodes;
  for (uint32_t endpoint : endpoints)
    nodes.push_back(endpoint / perNode);
  return mscclpp::NodeMap(std::move(nodes));
}

std::variant<mscclpp::Plan, ExitCode> cclc::lowerToMscclpp(const ExecPlan &plan,
                                                           const Machine *machine, bool prove,
                                                           DiagnosticEngine &diags) {
  mscclpp::NodeMap nodes = nodesOf(plan, machine);
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect}) {
    DiagnosticEngine none;
    std::optional<mscclpp::Plan> compact = emit(plan, nodes);
    if (compact && mscclpp::verify(*compact, none).verdict == Verdict::Ok)
      return std::move(*compact);
  }
  FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags, nodes);
  if (failed(lowered) || failed(mscclpp::checkExecutor(*lowered, diags)))
    return ExitCode::Wrong;
  Verdict verdict = prove ? mscclpp::verify(*lowered, diags).verdict : Verdict::Ok;
  if (verdict == Verdict::Unsupported)
    return ExitCode::Wrong;
  // The ExecPlan was verified, so an error now is a defect of the tool.
  if (verdict != Verdict::Ok)
    return ExitCode::Internal;
  return std::move(*lowered);
}
