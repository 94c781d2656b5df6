//===- LowerToMscclpp.cpp - Choosing a form of MSCCL++ --------------------===//
//
// The compact form if there is one and it is proved, otherwise the general form; then groups of
// threadblocks, if they are requested.
//
//===----------------------------------------------------------------------===//

#include "cclc/Compiler/LowerToMscclpp.h"

#include "cclc/Mscclpp/Emit/Compact.h"
#include "cclc/Mscclpp/Emit/Lower.h"
#include "cclc/Mscclpp/Emit/Share.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Proof/PlanExecution.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

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
static FailureOr<LoweredPlan> share(LoweredPlan &&lowered, uint32_t sharing, bool prove,
                                    DiagnosticEngine &diags) {
  DiagnosticEngine found;
  for (auto barriers : {mscclpp::GroupNop::WherePartsDiffer, mscclpp::GroupNop::Everywhere}) {
    found = DiagnosticEngine();
    FailureOr<mscclpp::Plan> shared =
        mscclpp::shareThreadblocks(lowered.plan, sharing, barriers, found);
    if (failed(shared) || failed(mscclpp::checkExecutor(*shared, found)))
      continue;
    PlanProof proof = prove ? mscclpp::verify(*shared, found) : PlanProof();
    if (proof.verdict == Verdict::Ok)
      return LoweredPlan{std::move(*shared), proof.reductionHash, proof.sameBits,
                         std::move(lowered.otherOrder)};
  }
  diags.append(std::move(found));
  return diags.fail(Failure::Unfit);
}

/// Compares the reduction order of a proved plan with that of the steps, whose hash is taken of the
/// placement that it has.
static LoweredPlan compared(mscclpp::Plan &&made, const PlanProof &proof, const ExecPlan &plan) {
  ConnectionTable connections(plan);
  PlanControlFlow runner(plan, connections);
  Placement placement = made.header().inPlace ? Placement::InPlace : Placement::OutOfPlace;
  uint64_t hash = PlanExecution(plan, connections, runner, placement).reductionHash();
  LoweredPlan lowered{std::move(made), proof.reductionHash, proof.sameBits};
  if (proof.reductionHash && proof.reductionHash != hash)
    lowered.otherOrder =
        llvm::formatv("lowering to MSCCL++ changes the reduction order: reduction hash {0} becomes "
                      "{1}, as packets are added first and the local operand last; --protocol "
                      "Simple keeps the order",
                      hashText(hash), hashText(*proof.reductionHash));
  return lowered;
}

FailureOr<LoweredPlan> cclc::lowerToMscclpp(const ExecPlan &plan, const Machine *machine,
                                            bool prove, DiagnosticEngine &diags, uint32_t sharing) {
  mscclpp::NodeMap nodes = nodesOf(plan, machine);
  auto grouped = [&](LoweredPlan &&made) -> FailureOr<LoweredPlan> {
    return sharing == 1 ? std::move(made) : share(std::move(made), sharing, prove, diags);
  };
  for (auto emit : {mscclpp::emitPackets, mscclpp::emitDirect}) {
    DiagnosticEngine none;
    std::optional<mscclpp::Plan> compact = emit(plan, nodes);
    PlanProof proof = compact ? mscclpp::verify(*compact, none) : PlanProof();
    if (compact && proof.verdict == Verdict::Ok)
      return grouped(compared(std::move(*compact), proof, plan));
  }
  FailureOr<mscclpp::Plan> lowered = mscclpp::lower(plan, diags, nodes);
  if (failed(lowered) || failed(mscclpp::checkExecutor(*lowered, diags)))
    return diags.fail(Failure::Unfit);
  if (!prove)
    return grouped({std::move(*lowered)});
  PlanProof proof = mscclpp::verify(*lowered, diags);
  if (proof.verdict == Verdict::Unsupported)
    return diags.fail(Failure::Unfit);
  // The ExecPlan was verified, so an error now is a defect of the tool.
  if (proof.verdict != Verdict::Ok)
    return diags.fail(Failure::Defect);
  return grouped(compared(std::move(*lowered), proof, plan));
}
