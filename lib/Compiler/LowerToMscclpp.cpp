//===- LowerToMscclpp.cpp - Choosing a form of MSCCL++ --------------------===//
//
// The compact form if there is one and it is proved, otherwise the general form; then groups of
// threadblocks, if they are requested.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/LowerToMscclpp.h"

#include "cclc/Mscclpp/Executor.h"
#include "cclc/MscclppEmit/Compact.h"
#include "cclc/MscclppEmit/Lower.h"
#include "cclc/MscclppEmit/Share.h"
#include "cclc/MscclppProof/Verify.h"

#include "llvm/ADT/Sequence.h"

using namespace cclc;

static bool hasNodes(const Geometry &geometry) {
  return !geometry.levels.empty() && geometry.levels.front().name == "node";
}

static mscclpp::NodeMap nodesOf(const ExecPlan &plan, const Machine *machine) {
  const ProgramInfo &info = plan.info();
  std::vector<uint32_t> nodes;
  auto addPlaces = [&](auto &&places, uint64_t all, const Geometry &geometry) {
    for (uint32_t place : places)
      nodes.push_back(place / (all / geometry.levels.front().size()));
  };
  if (machine && hasNodes(machine->geometry()))
    addPlaces(info.placementOnTarget, machine->numEndpoints(), machine->geometry());
  else if (!machine && hasNodes(info.geometry) && info.geometry.ranks() == info.ranks())
    addPlaces(llvm::seq(0u, info.ranks()), info.ranks(), info.geometry);
  return mscclpp::NodeMap(std::move(nodes));
}

/// The plan with groups of threadblocks. If it is to be proved and that fails, they have barriers
/// at all nops.
static FailureOr<mscclpp::Plan> share(const mscclpp::Plan &plan, uint32_t sharing, bool prove,
                                      DiagnosticEngine &diags) {
  DiagnosticEngine found;
  for (auto barriers : {mscclpp::GroupNop::WherePartsDiffer, mscclpp::GroupNop::Everywhere}) {
    found = DiagnosticEngine();
    FailureOr<mscclpp::Plan> shared = mscclpp::shareThreadblocks(plan, sharing, barriers, found);
    if (succeeded(shared) && succeeded(mscclpp::checkExecutor(*shared, found)) &&
        (!prove || mscclpp::verify(*shared, found).verdict == Verdict::Ok))
      return shared;
  }
  diags.append(std::move(found));
  return failure();
}

std::variant<mscclpp::Plan, ExitCode> cclc::lowerToMscclpp(const ExecPlan &plan,
                                                           const Machine *machine, bool prove,
                                                           DiagnosticEngine &diags,
                                                           uint32_t sharing) {
  mscclpp::NodeMap nodes = nodesOf(plan, machine);
  auto grouped = [&](mscclpp::Plan &&made) -> std::variant<mscclpp::Plan, ExitCode> {
    if (sharing == 1)
      return std::move(made);
    FailureOr<mscclpp::Plan> shared = share(made, sharing, prove, diags);
    if (failed(shared))
      return ExitCode::Wrong;
    return std::move(*shared);
  };
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect}) {
    DiagnosticEngine none;
    std::optional<mscclpp::Plan> compact = emit(plan, nodes);
    if (compact && mscclpp::verify(*compact, none).verdict == Verdict::Ok)
      return grouped(std::move(*compact));
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
  return grouped(std::move(*lowered));
}
