//===- MscclppCommand.cpp - Plans of MSCCL++ in ccl-sim -------------------===//
//
// Such a plan has operations instead of steps. Reports and traces show those of the file as steps
// of a plan that is made for them.
//
//===----------------------------------------------------------------------===//

#include "MscclppCommand.h"

#include "SweepOutput.h"

#include "cclc/Data/BufferLayout.h"
#include "cclc/Mscclpp/Executor.h"
#include "cclc/Mscclpp/Json.h"
#include "cclc/MscclppProof/Verify.h"
#include "cclc/MscclppSim/DataExecutor.h"
#include "cclc/MscclppSim/ReportPlan.h"
#include "cclc/Report/ChromeTrace.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;

namespace {
class MscclppRun {
public:
  MscclppRun(const MscclppRequest &request, Progress &progress, DiagnosticEngine &diags)
      : request(request), args(request.args), progress(progress), diags(diags) {}

  ExitCode run() {
    if (failed(checkOptions()))
      return ExitCode::Unusable;
    FailureOr<mscclpp::Plan> plan = mscclpp::readJson(request.text, request.name, diags);
    if (failed(plan))
      return ExitCode::Unusable;
    FailureOr<ExecPlan> steps = mscclpp::planForReports(*plan, diags);
    if (failed(steps))
      return ExitCode::Unusable;
    FailureOr<Machine> machine = request.load(*steps);
    if (failed(machine))
      return ExitCode::Unusable;
    std::string network = args.network.value_or(machine->network);
    FailureOr<mscclpp::BoundPlan> bound = mscclpp::BoundPlan::create(*plan, *machine, diags);
    if (failed(bound) || failed(checkNetwork(network, diags)))
      return ExitCode::Unusable;
    FailureOr<BoundPlan> shown = BoundPlan::create(*steps, *machine, Slots::unlimited(), diags);
    if (failed(shown))
      return ExitCode::Unusable;
    progress.stage("verify");
    if (failed(mscclpp::checkExecutor(*plan, diags)))
      return ExitCode::Wrong;
    switch (mscclpp::verify(*plan, diags).verdict) {
    case Verdict::Ok:
      return runSizes(*bound, *shown, network);
    case Verdict::Unsupported:
      return ExitCode::Unusable;
    default:
      return ExitCode::Wrong;
    }
  }

private:
  LogicalResult checkOptions() {
    const std::pair<bool, const char *> without[] = {
        {args.slots.has_value(), "--slots"},
        {!args.skew.empty(), "--skew"},
        {args.seed.has_value(), "--seed"},
        {args.schedule.has_value(), "--schedule"},
        {args.why.has_value(), "--why"},
        {args.whatIf, "--what-if"},
        {args.advise, "--advise"},
        {args.bounds, "--bounds"},
        {args.report.has_value(), "--report"},
        {args.goal.has_value(), "--emit-goal"},
        {args.chakra.has_value(), "--emit-chakra"},
        {args.op.value_or("sum") != "sum", "--op"},
    };
    for (auto [given, name] : without)
      if (given)
        return diags.error({}, std::string(name) + " does not apply to a plan of MSCCL++" +
                                   (StringRef(name) == "--op" ? ", which always adds" : ""));
    if (request.type == DataType::F64 || request.type == DataType::I64 ||
        request.type == DataType::I8)
      return diags.error({}, "the executor of MSCCL++ has no elements of type " +
                                 dataTypeName(request.type));
    return success();
  }

  ExitCode runSizes(const mscclpp::BoundPlan &bound, const BoundPlan &shown, StringRef network) {
    if (args.checkData && !bound.plan.header().collective.hasPostCondition())
      diags.warning({}, "the collective has no post-condition: the data are not compared");
    SweepResult head;
    head.target = bound.machine.stamp;
    head.network = network;
    head.slots = Slots::unlimited();
    head.type = request.type;
    head.repeat = args.repeat.value_or(1);
    std::vector<mscclpp::SizedPlan> plans;
    for (uint64_t size : request.sizes) {
      FailureOr<mscclpp::SizedPlan> sized =
          mscclpp::SizedPlan::create(bound.plan, Bytes(size), request.type, diags);
      if (failed(sized))
        return ExitCode::Unusable;
      plans.push_back(std::move(*sized));
    }
    std::vector<RunSetting> settings = runSettings(head, shown);
    SweepOutput output(std::move(head), shown, {request.summarise, args.json, args.format},
                       progress, diags);
    output.begin(plans.size());
    bool right = true;
    DiagnosticEngine found;
    for (const mscclpp::SizedPlan &sized : plans) {
      FailureOr<SizeResult> row = runSize(bound, shown, sized, network, settings, found);
      if (failed(row)) {
        output.close();
        diags.append(std::move(found));
        return ExitCode::Unusable;
      }
      right &= row->dataOk.value_or(true);
      output.add(std::move(*row), {}, {});
    }
    output.close();
    diags.append(std::move(found));
    if (failed(output.finish()))
      return ExitCode::Unusable;
    return right ? ExitCode::Success : ExitCode::Wrong;
  }

  FailureOr<SizeResult> runSize(const mscclpp::BoundPlan &bound, const BoundPlan &shown,
                                const mscclpp::SizedPlan &sized, StringRef networkName,
                                ArrayRef<RunSetting> settings, DiagnosticEngine &found) {
    Sizing sizing;
    sizing.requested = sized.requested;
    sizing.type = sized.type;
    sizing.chunkElements = sizing.pieceElements = sized.elementsOfFile();
    sizing.pieces = 1;
    progress.stage("simulate " + std::to_string(sizing.requested.count()) + " bytes");
    mscclpp::RunOptions options;
    options.repeat = args.repeat.value_or(1);
    options.criticalPath = args.criticalPath;
    std::optional<mscclpp::DataExecutor> data;
    if (args.checkData && bound.plan.header().collective.hasPostCondition())
      options.data = &data.emplace(sized, options.repeat);
    std::unique_ptr<NetworkModel> network = createNetwork(networkName, bound.routes);
    SimResult result;
    auto simulate = [&] { result = mscclpp::simulate(bound, sized, *network, options); };
    if (!args.trace) {
      simulate();
    } else if (failed(writeFile(
                   *args.trace,
                   [&](raw_ostream &os) {
                     ChromeTrace trace(shown, sizing, os);
                     options.listeners.push_back(&trace);
                     simulate();
                     trace.finish(result.time, settings);
                   },
                   found))) {
      return failure();
    }
    if (!result.completed)
      return found.error({}, "the plan was verified, but its execution did not complete");
    SizeResult row = makeSizeResult(shown, sizing, std::move(result), options.repeat);
    if (data) {
      row.dataOk = !data->mismatch();
      if (data->mismatch())
        found.error({}, mismatchText(*data->mismatch(),
                                     bound.plan.header().inPlace ? Placement::InPlace
                                                                 : Placement::OutOfPlace,
                                     sized.requested, options.repeat));
    }
    return row;
  }

  const MscclppRequest &request;
  const SimArguments &args;
  Progress &progress;
  DiagnosticEngine &diags;
};
} // namespace

ExitCode cclc::runMscclpp(const MscclppRequest &request, Progress &progress,
                          DiagnosticEngine &diags) {
  return MscclppRun(request, progress, diags).run();
}
