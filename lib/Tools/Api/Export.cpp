//===- Export.cpp - Plans for other simulators ----------------------------===//
//
// A schedule is one of a plan that completes: the plan and its size are proved before.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/Simulator.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Views/Export/Chakra.h"
#include "cclc/Views/Export/Goal.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::api;

static ExportedFile fileOf(std::string name, llvm::function_ref<void(raw_ostream &)> write) {
  ExportedFile file{std::move(name), {}};
  llvm::raw_string_ostream os(file.bytes);
  write(os);
  return file;
}

static FailureOr<std::vector<ExportedFile>>
exportSize(const PlacedPlan &placed, const Sizing &sizing, bool toGoal,
           const std::function<void(StringRef)> &onStage, DiagnosticEngine &diags) {
  const std::string &name = placed.plan.info().name;
  std::vector<ExportedFile> files;
  if (toGoal) {
    if (failed(checkGoal(placed, sizing, diags)))
      return failure();
    files.push_back(
        fileOf(name + ".goal", [&](raw_ostream &os) { writeGoal(placed, sizing, os); }));
    return files;
  }
  ChakraTraces traces(placed, sizing);
  if (failed(traces.check(diags)))
    return failure();
  for (uint32_t r = 0; r < placed.plan.ranks(); ++r) {
    const std::string file = ChakraTraces::fileName(name, RankId(r));
    if (onStage)
      onStage("write " + file);
    files.push_back(fileOf(file, [&](raw_ostream &os) { traces.write(RankId(r), os); }));
  }
  return files;
}

Result<std::vector<ExportedFile>> Toolchain::exportFiles(const Plan &plan, const Target &target,
                                                         const ExportOptions &options) const {
  return unlessCancelled([&]() -> Result<std::vector<ExportedFile>> {
    DiagnosticEngine diags;
    const auto onStage = stagesOf(options.onProgress, options.cancellation);
    FailureOr<DataType> type = typeOf(options.type, diags);
    if (options.format != "goal" && options.format != "chakra")
      diags.error({}, unknownWord("format", options.format, {"goal", "chakra"}));
    if (diags.hasErrors() || failed(checkSteps(plan, "an export", diags)))
      return Failed{diags};
    const ExecPlan &steps = PlanAccess::of(plan);
    FailureOr<Machine> machine = machineFor(steps.info(), target, folder, diags);
    if (failed(machine))
      return Failed{diags};
    Slots slots = slotsOf(options.slots).value_or(machine->slotsFor(steps.info()));
    FailureOr<PlacedPlan> placed = PlacedPlan::create(steps, *machine, slots, diags);
    if (failed(placed))
      return Failed{diags};
    if (onStage)
      onStage("verify");
    PlanProof proof = provePlan(*placed, diags);
    if (proof.verdict != Verdict::Ok)
      return Failed{diags};
    FailureOr<Sizing> sizing =
        createSimulator(*placed, proof.slotsNeeded, {})->prove(Bytes(options.bytes), *type, diags);
    if (failed(sizing))
      return Failed{diags};
    FailureOr<std::vector<ExportedFile>> files =
        exportSize(*placed, *sizing, options.format == "goal", onStage, diags);
    if (failed(files))
      return Failed{diags};
    return {std::move(*files), messagesOf(diags)};
  });
}
