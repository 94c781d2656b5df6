//===- FoldedCommand.cpp - Few ranks in place of all ----------------------===//
//
// Sim/FoldedPlan.h decides whether few ranks have the times of all. Sizes are proved and simulated
// one after the other.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "cclc/Views/Report/Summary.h"

#include "cclc/Limits/PlanCheck.h"
#include "cclc/Sim/FoldedPlan.h"
#include "cclc/Sim/SizeVerifier.h"
#include "cclc/Symmetry/Rolled/VerifyRolled.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

/// Simulates one size and prints its row.
static ExitCode runSize(const SimArguments &args, const FoldedPlan &plan, StringRef network,
                        uint64_t size, SizeVerifier &verifier, Progress &progress,
                        DiagnosticEngine &diags) {
  const PlacedPlan &placed = plan.placed();
  FailureOr<Sizing> sizing = plan.sizing(Bytes(size), args.type, diags);
  if (failed(sizing))
    return ExitCode::Unusable;
  if (failed(checkMemory(placed, *sizing, diags)))
    return ExitCode::Wrong;
  if (!verifier.prove(*sizing).safe) {
    verifier.report(*sizing, diags);
    return ExitCode::Wrong;
  }
  progress.stage(formatv("simulate {0} bytes", size));
  SimOptions options;
  options.repeat = args.repeat;
  std::unique_ptr<NetworkModel> model = createNetwork(network, placed.routes);
  SimResult result = simulate(placed, *sizing, *model, options);
  progress.clear();
  if (!result.completed) {
    diags.error({}, "the plan was verified, but its execution did not complete");
    return ExitCode::Internal;
  }
  SizeResult row = makeSizeResult(placed, *sizing, std::move(result), args.repeat);
  printRow(plan.ofAllRanks(std::move(row)), llvm::outs());
  llvm::outs().flush();
  return ExitCode::Success;
}

std::optional<ExitCode> cclc::runFolded(const SimArguments &args, const RolledPlan &plan,
                                        std::string &fault, Progress &progress,
                                        DiagnosticEngine &diags) {
  FailureOr<ExecPlan> folded = fold(plan, foldedRanks(plan), diags);
  FailureOr<Machine> whole = args.loadMachine(&plan.info, diags);
  if (failed(folded) || failed(whole))
    return ExitCode::Unusable;
  SweepResult head;
  head.target = whole->stamp;
  head.network = args.network.value_or(whole->network);
  head.slots = args.slots.value_or(whole->slotsFor(plan.info));
  head.type = args.type;
  head.op = args.op;
  head.repeat = args.repeat;
  if (failed(checkNetwork(head.network, diags)))
    return ExitCode::Unusable;
  // All ranks have the same numbers of steps and threadblocks, whether or not times are equal.
  if (failed(checkPlan(*folded, constraintsOf(*whole), diags)))
    return ExitCode::Wrong;
  auto made =
      FoldedPlan::create(plan, std::move(*folded), *whole, head.network, head.slots, fault, diags);
  if (failed(made))
    return ExitCode::Unusable;
  if (!*made)
    return std::nullopt;
  const FoldedPlan &few = **made;
  progress.stage("verify");
  DiagnosticEngine found;
  PlanProof proof = verifyRolled(plan, head.slots, found);
  if (proof.verdict == Verdict::Unsupported) {
    fault = "its proof needs all ranks";
    return std::nullopt;
  }
  diags.append(std::move(found));
  if (proof.verdict != Verdict::Ok ||
      failed(checkPlan(few.placed().plan, *whole, head.slots, diags, proof.slotsNeeded)))
    return ExitCode::Wrong;
  progress.clear();
  printHead(head, plan.info, few.placed(), llvm::outs());
  SizeVerifier verifier(few.placed(), proof.slotsNeeded);
  ExitCode code = ExitCode::Success;
  for (uint64_t size : args.sizes) {
    code = std::max(code, runSize(args, few, head.network, size, verifier, progress, diags));
    if (code > ExitCode::Wrong)
      return code;
  }
  llvm::outs() << formatv("\nsimulated on {0} ranks, to which all others are equal\n",
                          few.placed().plan.ranks());
  return code;
}
