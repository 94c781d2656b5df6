//===- SimulationReport.cpp - The page about a simulation -----------------===//
//
// Simulates the plan, and the baseline if there is one, again for each size, with a Timeline as
// listener and a critical path. The baseline is first verified for the same sizes. Either may be a
// plan of MSCCL++. Limits on recorded executions and spans bound memory and the size
// of the page.
//
//===----------------------------------------------------------------------===//

#include "cclc/Tools/SimulationReport.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Views/Report/HtmlReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;

namespace {
using OnStage = std::function<void(StringRef)>;

/// The maximum number of executions of a run with a critical path: about 1 GB.
constexpr uint64_t maxDrawn = 20'000'000;

/// Runs the plan of \p simulator again for the sizes of the request.
FailureOr<ReportedPlan> record(const ReportRequest &request, const std::string &file,
                               Simulator &simulator, const OnStage &onStage,
                               DiagnosticEngine &diags) {
  const SweepResult &like = request.summary;
  const PlanOnMachine &placed = simulator.plan();
  ReportedPlan reported{file, placed, like, {}, {}, {}, {}};
  reported.summary.slots = placed.slots;
  reported.summary.sizes.clear();
  reported.summary.whatIf = {};
  reported.summary.costs.clear();
  const bool isBaseline = &simulator != &request.simulator;
  for (const SizeResult &row : like.sizes) {
    FailureOr<Sizing> sizing = simulator.prove(row.bytes, like.type, diags);
    if (failed(sizing))
      return failure();
    if (onStage)
      onStage("record " + std::to_string(row.bytes.count()) + " bytes of " + file);
    Timeline &timeline = *reported.timelines.emplace_back(Timeline(placed));
    SimOptions options = simulator.settings().options;
    options.criticalPath = simulator.executions(*sizing) <= maxDrawn;
    options.listeners = {&timeline};
    SimResult result = simulator.simulate(*sizing, options);
    if (!result.completed || result.time == SimTime::max())
      return diags.error({}, formatv("{0}: {1} bytes do not complete within 53 days of simulated "
                                     "time; choose a smaller size",
                                     file, row.bytes.count()));
    timeline.finish();
    SizeResult &recorded = reported.summary.sizes.emplace_back(
        makeSizeResult(placed, *sizing, std::move(result), options.repeat));
    recorded.bound = isBaseline ? simulator.boundOf(*sizing) : row.bound;
    reported.costs.push_back(placed.steps() ? costsOf(recorded, *placed.steps())
                                            : std::vector<Cost>());
    limitTimelines(reported);
  }
  const ExecPlan *steps = placed.shown.ofSteps();
  if (!steps)
    return reported;
  uint64_t actions = 0;
  for (const Step &step : steps->steps())
    actions += step.count;
  if (actions <= maxReportedActions)
    reported.provenance = Provenance::trace(*steps, steps->info().placements.list().front());
  return reported;
}

/// Adds the measured timeline, whose size must be one of those that are simulated.
LogicalResult addMeasured(const ReportRequest &request, ReportedPlan &reported,
                          DiagnosticEngine &diags) {
  FailureOr<MeasuredTimeline> measured =
      readMeasuredTimeline(*request.measured, *request.simulator.plan().shown.ofSteps(), diags);
  if (failed(measured))
    return failure();
  if (llvm::none_of(reported.summary.sizes,
                    [&](const SizeResult &row) { return row.bytes == measured->bytes; }))
    return diags.error({}, formatv("{0} was measured with {1} bytes, which are not simulated: add "
                                   "--bytes {1}",
                                   *request.measured, measured->bytes.count()));
  reported.measured = std::move(*measured);
  return success();
}

/// Checks that a baseline is comparable with the plan.
LogicalResult checkComparable(ShownPlan own, ShownPlan plan, DiagnosticEngine &diags) {
  const Collective &is = plan.info().collective, &mustBe = own.info().collective;
  if (is.kind() != mustBe.kind() || is.ranks() != mustBe.ranks())
    return diags.error({}, formatv("the baseline is for {0} over {1} ranks and the plan for {2} "
                                   "over {3}: compare plans of one collective",
                                   collectiveName(is.kind()), is.ranks(),
                                   collectiveName(mustBe.kind()), mustBe.ranks()));
  return success();
}

/// The baseline, which is verified for the sizes of the report.
class Baseline {
public:
  FailureOr<ReportedPlan> record(const ReportRequest &request, const OnStage &onStage,
                                 DiagnosticEngine &diags) {
    auto file = openPlanFile(*request.baseline, diags);
    if (failed(file))
      return failure();
    const PlanOnMachine &own = request.simulator.plan();
    FailureOr<ExecutablePlan> read =
        readExecutablePlan((*file)->getBuffer(), planFileName(*request.baseline), diags);
    if (failed(read) || failed(checkComparable(own.shown, *read, diags)))
      return failure();
    plan.emplace(std::move(*read));
    Slots slots = own.steps() ? own.slots : own.machine.slotsFor(ShownPlan(*plan).info());
    FailureOr<PlacedExecutable> created =
        PlacedExecutable::create(*plan, own.machine, slots, diags);
    if (failed(created))
      return failure();
    placed.emplace(std::move(*created));
    simulator = placed->prove(settingsOf(request), diags);
    if (!simulator)
      return failure();
    for (const SizeResult &row : request.summary.sizes)
      if (failed(simulator->prove(row.bytes, request.summary.type, diags)))
        return failure();
    return ::record(request, *request.baseline, *simulator, onStage, diags);
  }

private:
  static SimulatorSettings settingsOf(const ReportRequest &request) {
    SimulatorSettings how = request.simulator.settings();
    how.bounds.reset();
    if (llvm::any_of(request.summary.sizes, [](const auto &row) { return row.bound.has_value(); }))
      how.bounds = request.effort;
    return how;
  }

  std::optional<ExecutablePlan> plan;
  std::optional<PlacedExecutable> placed;
  std::unique_ptr<Simulator> simulator;
};
} // namespace

FailureOr<std::string> cclc::makeReport(const ReportRequest &request, const OnStage &onStage,
                                        DiagnosticEngine &diags) {
  auto page = llvm::MemoryBuffer::getFile(request.pageFile);
  if (!page)
    return diags.error({}, "cannot read '" + request.pageFile + "', the report page: " +
                               page.getError().message() + "; it is installed beside the tools");
  std::vector<ReportedPlan> plans;
  FailureOr<ReportedPlan> own = record(request, request.file, request.simulator, onStage, diags);
  if (failed(own))
    return failure();
  own->summary.whatIf = request.summary.whatIf;
  if (request.measured && failed(addMeasured(request, *own, diags)))
    return failure();
  plans.push_back(std::move(*own));
  Baseline baseline;
  if (request.baseline) {
    FailureOr<ReportedPlan> other = baseline.record(request, onStage, diags);
    if (failed(other))
      return failure();
    plans.push_back(std::move(*other));
  }
  limitTimelines(plans);
  std::string made;
  llvm::raw_string_ostream os(made);
  if (!writeHtmlReport(plans, (*page)->getBuffer(), os))
    return diags.error({}, "'" + request.pageFile + "' is not a report page; install it again");
  return made;
}
