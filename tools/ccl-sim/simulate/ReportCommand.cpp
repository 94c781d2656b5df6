//===- ReportCommand.cpp - ccl-sim --report -------------------------------===//
//
// Simulates the plan, and the baseline if there is one, again for each size, with a Timeline as
// listener and a critical path. The baseline is first verified for the same sizes. Either may be a
// plan of MSCCL++ (RunForReport). Limits on recorded executions and spans bound memory and the size
// of the page.
//
//===----------------------------------------------------------------------===//

#include "ReportCommand.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Mscclpp/Proof/Verify.h"
#include "cclc/Sim/MachineProof.h"
#include "cclc/Sim/Mscclpp/ReportPlan.h"
#include "cclc/Sim/PlanBound.h"
#include "cclc/Views/Report/HtmlReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// The maximum number of executions of a run with a critical path: about 1 GB.
constexpr uint64_t maxDrawn = 20'000'000;

/// Executes the steps of \p bound.
FailureOr<SizedRun> runSteps(const ReportRequest &request, const BoundPlan &bound, Bytes bytes,
                             SimListener &listener, DiagnosticEngine &diags) {
  const SweepResult &like = request.summary;
  FailureOr<Sizing> sizing = Sizing::create(bound, bytes, like.type, diags);
  if (failed(sizing))
    return failure();
  SimOptions options = request.options;
  options.criticalPath = sizing->executions(bound) * options.repeat <= maxDrawn;
  options.listeners = {&listener};
  std::unique_ptr<NetworkModel> network = createNetwork(like.network, bound.routes);
  return SizedRun{*sizing, simulate(bound, *sizing, *network, options)};
}

/// Runs \p bound, by \p simulate if that is set, for the sizes of \p like, which were verified.
FailureOr<ReportedPlan> record(const ReportRequest &request, const std::string &file,
                               const BoundPlan &bound, const RunForReport &simulate,
                               Progress &progress, DiagnosticEngine &diags) {
  const SweepResult &like = request.summary;
  ReportedPlan reported{file, bound, like, {}, {}, {}, {}};
  reported.summary.slots = bound.slots;
  reported.summary.sizes.clear();
  reported.summary.whatIf = {};
  reported.summary.costs.clear();
  std::optional<PlanBound> bounds; // of a baseline; the results of the plan itself have them
  if (&bound != &request.bound &&
      llvm::any_of(like.sizes, [](const SizeResult &row) { return row.bound.has_value(); }))
    bounds.emplace(bound, like.network, request.options.repeat, request.effort,
                   /*linksOnly=*/bool(simulate));
  for (const SizeResult &row : like.sizes) {
    progress.stage("record " + std::to_string(row.bytes.count()) + " bytes of " + file);
    Timeline &timeline = *reported.timelines.emplace_back(Timeline(bound));
    FailureOr<SizedRun> run = simulate ? simulate(row.bytes, timeline, diags)
                                       : runSteps(request, bound, row.bytes, timeline, diags);
    if (failed(run))
      return failure();
    if (!run->result.completed || run->result.time == SimTime::max())
      return diags.error({}, formatv("{0}: {1} bytes do not complete within 53 days of simulated "
                                     "time; choose a smaller size",
                                     file, row.bytes.count()));
    timeline.finish();
    SizeResult &recorded = reported.summary.sizes.emplace_back(
        makeSizeResult(bound, run->sizing, std::move(run->result), request.options.repeat));
    recorded.bound = bounds ? bounds->of(run->sizing) : row.bound;
    reported.costs.push_back(simulate ? std::vector<Cost>() : costsOf(recorded, bound));
    limitTimelines(reported);
  }
  uint64_t actions = 0;
  for (const Step &step : bound.plan.steps())
    actions += step.count;
  if (!simulate && actions <= maxReportedActions)
    reported.provenance =
        Provenance::trace(bound.plan, bound.plan.info().placements.list().front());
  return reported;
}

/// Adds the measured timeline, whose size must be one of those that are simulated.
LogicalResult addMeasured(const ReportRequest &request, ReportedPlan &reported,
                          DiagnosticEngine &diags) {
  FailureOr<MeasuredTimeline> measured =
      readMeasuredTimeline(*request.measured, request.bound.plan, diags);
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
LogicalResult checkComparable(const BoundPlan &bound, const ExecPlan &plan,
                              DiagnosticEngine &diags) {
  const Collective &is = plan.info().collective, &mustBe = bound.plan.info().collective;
  if (is.kind() != mustBe.kind() || is.ranks() != mustBe.ranks())
    return diags.error({}, formatv("the baseline is for {0} over {1} ranks and the plan for {2} "
                                   "over {3}: compare plans of one collective",
                                   collectiveName(is.kind()), is.ranks(),
                                   collectiveName(mustBe.kind()), mustBe.ranks()));
  return success();
}

/// Reads and verifies the baseline, a plan of steps, and records its runs.
class StepBaseline {
public:
  FailureOr<ReportedPlan> record(const ReportRequest &request, StringRef text, Progress &progress,
                                 DiagnosticEngine &diags) {
    FailureOr<ExecPlan> read = readPlan(text, planFileName(*request.baseline), diags);
    if (failed(read))
      return failure();
    plan.emplace(std::move(*read));
    const Machine &machine = request.bound.machine;
    if (failed(checkComparable(request.bound, *plan, diags)))
      return failure();
    Slots slots = request.simulate ? machine.slotsFor(plan->info()) : request.bound.slots;
    FailureOr<BoundPlan> created = BoundPlan::create(*plan, machine, slots, diags);
    if (failed(created))
      return failure();
    bound.emplace(std::move(*created));
    PlanProof proof = provePlan(*bound, diags);
    if (proof.verdict != Verdict::Ok)
      return failure();
    SizeVerifier verifier(*bound, proof.slotsNeeded);
    for (const SizeResult &row : request.summary.sizes)
      if (failed(proveSize(*bound, verifier, row.bytes, request.summary.type, diags)))
        return failure();
    return ::record(request, *request.baseline, *bound, {}, progress, diags);
  }

private:
  std::optional<ExecPlan> plan;
  std::optional<BoundPlan> bound;
};

/// The same for a plan of MSCCL++.
class MscclppBaseline {
public:
  FailureOr<ReportedPlan> record(const ReportRequest &request, StringRef text, Progress &progress,
                                 DiagnosticEngine &diags) {
    FailureOr<mscclpp::ShownPlan> read =
        mscclpp::ShownPlan::read(text, planFileName(*request.baseline), diags);
    if (failed(read))
      return failure();
    plan.emplace(std::move(*read));
    if (failed(checkComparable(request.bound, plan->steps, diags)))
      return failure();
    FailureOr<mscclpp::ShownOnMachine> created =
        mscclpp::ShownOnMachine::create(*plan, request.bound.machine, diags);
    if (failed(created))
      return failure();
    both.emplace(std::move(*created));
    if (mscclpp::verifyForExecutor(plan->plan, diags).verdict != Verdict::Ok)
      return failure();
    auto run = [&](Bytes bytes, SimListener &listener, DiagnosticEngine &found) {
      mscclpp::RunOptions options;
      options.repeat = request.options.repeat;
      options.criticalPath = true;
      options.listeners = {&listener};
      return both->run(request.summary.network, bytes, request.summary.type, options, found);
    };
    return ::record(request, *request.baseline, both->shown, run, progress, diags);
  }

private:
  std::optional<mscclpp::ShownPlan> plan;
  std::optional<mscclpp::ShownOnMachine> both;
};
} // namespace

LogicalResult cclc::writeReport(const ReportRequest &request, StringRef path, Progress &progress,
                                DiagnosticEngine &diags) {
  auto page = llvm::MemoryBuffer::getFile(request.pageFile);
  if (!page)
    return diags.error({}, "cannot read '" + request.pageFile + "', the report page: " +
                               page.getError().message() + "; it is installed beside the tools");
  std::vector<ReportedPlan> plans;
  FailureOr<ReportedPlan> own =
      record(request, request.file, request.bound, request.simulate, progress, diags);
  if (failed(own))
    return failure();
  own->summary.whatIf = request.summary.whatIf;
  if (request.measured && failed(addMeasured(request, *own, diags)))
    return failure();
  plans.push_back(std::move(*own));
  StepBaseline ofSteps;
  MscclppBaseline ofMscclpp;
  if (request.baseline) {
    auto file = openPlanFile(*request.baseline, diags);
    if (failed(file))
      return failure();
    StringRef text = (*file)->getBuffer();
    const PlanFormat *format = sniffPlanFormat(text);
    FailureOr<ReportedPlan> other = format && format->mscclpp.read
                                        ? ofMscclpp.record(request, text, progress, diags)
                                        : ofSteps.record(request, text, progress, diags);
    if (failed(other))
      return failure();
    plans.push_back(std::move(*other));
  }
  limitTimelines(plans);
  progress.stage("write " + path);
  bool written = false;
  if (failed(writeFile(
          path,
          [&](raw_ostream &os) { written = writeHtmlReport(plans, (*page)->getBuffer(), os); },
          diags)))
    return failure();
  if (!written)
    return diags.error({}, "'" + request.pageFile + "' is not a report page; install it again");
  return success();
}
