//===- ConcurrentCommand.cpp - Several plans at once ----------------------===//
//
// Every plan is read, proved and bound like a single one, and diagnostics name its argument. Then
// each is simulated alone, and all of them together, with data if requested. The data of further
// placements need further runs together.
//
// The last '@' of an argument separates the file, so that its path may contain others. Sizes are
// assigned in the order of the arguments, before the plans are sorted.
//
// Plans of MSCCL++ differ in what ConcurrentMscclpp.h has.
//
// Implements rules 49 to 51.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "ConcurrentMscclpp.h"
#include "ConcurrentOutput.h"
#include "cclc/Support/Parallel.h"
#include "cclc/Tools/Cli/Values.h"
#include "simulate/SizeRuns.h"
#include "simulate/SkewOption.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Formats/PlanFormat.h"
#include "cclc/Limits/EndpointCheck.h"
#include "cclc/Sim/CheckedData.h"
#include "cclc/Sim/ConcurrentPlans.h"
#include "cclc/Sim/Mscclpp/PlacedExecutable.h"
#include "cclc/Sim/Simulator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace cclc;
using llvm::formatv;

namespace {
class ConcurrentRun {
public:
  ConcurrentRun(const ConcurrentRequest &request, Progress &progress, DiagnosticEngine &diags)
      : request(request), args(request.args), progress(progress), diags(diags) {}

  ExitCode run();

private:
  LogicalResult readPlans();
  LogicalResult loadMachine();
  LogicalResult bindPlans();
  LogicalResult provePlan(size_t p, DiagnosticEngine &found);
  LogicalResult checkEndpoints();
  LogicalResult skewRanks();
  LogicalResult checkRecording();
  void simulateAll();
  ConcurrentResult simulateTogether(size_t placement);
  ExitCode checkResults() const;
  ExitCode writeReport();

  uint64_t size() const { return request.plans.size(); }
  /// The number of executions of steps of all plans.
  uint64_t executions() const;
  /// Adds \p found to the diagnostics; those without a place are about plan \p p.
  void addAbout(size_t p, DiagnosticEngine found) {
    diags.append(std::move(found), Location{request.plans[p].title});
  }
  bool checks(size_t p) const { return args.checkData && info(p).collective.hasPostCondition(); }
  const ProgramInfo &info(size_t p) const { return ShownPlan(plans[p]).info(); }
  /// Of steps.
  const PlacedPlan &steps(size_t p) const { return *placed[p].get().steps(); }

  const ConcurrentRequest &request;
  const SimArguments &args;
  Progress &progress;
  DiagnosticEngine &diags;
  std::vector<ExecutablePlan> plans; ///< by plan, as the following
  std::vector<PlacedExecutable> placed;
  std::vector<Sizing> sizings;
  std::vector<SimOptions> options; ///< of the plan alone
  std::vector<SimResult> alone;
  std::vector<std::optional<bool>> dataOk;
  ConcurrentResult together;
  std::optional<ConcurrentMscclpp> mscclpp; ///< unset: plans of steps
  std::optional<Machine> machine;
  std::string network;
};
} // namespace

LogicalResult ConcurrentRun::readPlans() {
  for (const PlacedFile &option : request.plans) {
    progress.stage("read " + option.file);
    auto file = openPlanFile(option.file, diags);
    if (failed(file))
      return failure();
    StringRef text = (*file)->getBuffer(), name = planFileName(option.file);
    const PlanFormat *format = sniffPlanFormat(text);
    bool isMscclpp = format && format->mscclpp.read;
    const bool isFirst = plans.empty();
    if (isMscclpp && isFirst)
      mscclpp.emplace(request);
    if (isMscclpp != mscclpp.has_value())
      return diags.error({option.title},
                         "plans of steps and of MSCCL++ have different executors: convert the "
                         "latter with cclc convert to simulate them together");
    if (mscclpp && isFirst && failed(mscclpp->checkOptions(diags)))
      return failure();
    FailureOr<ExecutablePlan> plan = readExecutablePlan(text, name, diags);
    if (failed(plan))
      return failure();
    if (auto *steps = std::get_if<ExecPlan>(&*plan))
      steps->shiftEndpoints(option.firstRank);
    else if (uint32_t first = option.firstRank)
      std::get<mscclpp::Plan>(*plan).setEndpoints(
          llvm::to_vector(llvm::seq(first, first + ShownPlan(*plan).ranks())));
    plans.push_back(std::move(*plan));
  }
  return success();
}

/// Loads the target of the command line, or else that of all plans, large enough for each.
LogicalResult ConcurrentRun::loadMachine() {
  std::vector<const ProgramInfo *> infos;
  size_t largest = 0;
  uint32_t room = 0;
  for (size_t p = 0; p < size(); ++p) {
    infos.push_back(&info(p));
    if (infos[p]->room() > infos[largest]->room())
      largest = p;
    if (request.plans[p].firstRank > 0)
      room = std::max(room, infos[p]->room());
  }
  std::string resolved;
  FailureOr<Machine> loaded = failure();
  if (args.target) {
    loaded = loadTargetFor(infos, {*args.target, args.resources.targets, args.overrides, room},
                           diags, &resolved);
  } else {
    for (size_t p = 0; p < size(); ++p)
      if (!(infos[p]->target == infos[0]->target))
        return diags.error(
            {}, formatv("the plans were compiled for different targets, {0} for '{1}' and {2} for "
                        "'{3}': select one with --target",
                        infos[0]->target.empty() ? "none" : infos[0]->target.title(),
                        request.plans[0].title,
                        infos[p]->target.empty() ? "none" : infos[p]->target.title(),
                        request.plans[p].title));
    loaded =
        loadTargetOf(*infos[largest], args.resources.targets, args.overrides, diags, &resolved);
  }
  if (failed(loaded))
    return failure();
  machine.emplace(std::move(*loaded));
  network = args.network.value_or(machine->network);
  if (failed(checkNetwork(network, diags)))
    return failure();
  return args.writeTarget(resolved, diags);
}

LogicalResult ConcurrentRun::bindPlans() {
  placed.reserve(size());
  for (size_t p = 0; p < size(); ++p) {
    const PlacedFile &option = request.plans[p];
    const std::vector<uint32_t> &endpoints = info(p).placementOnTarget;
    for (uint32_t r = 0; option.firstRank > 0 && r < endpoints.size(); ++r)
      if (endpoints[r] >= machine->numEndpoints())
        return diags.error({option.title},
                           formatv("with {0} as the first rank, r{1} needs endpoint {2}, but "
                                   "target {3} has {4} endpoints",
                                   option.firstRank, r, endpoints[r], machine->name,
                                   machine->numEndpoints()));
    DiagnosticEngine found;
    Slots slots = args.slots.value_or(machine->slotsFor(info(p)));
    FailureOr<PlacedExecutable> plan = PlacedExecutable::create(plans[p], *machine, slots, found);
    FailureOr<Sizing> sizing = failure();
    if (succeeded(plan)) {
      placed.push_back(std::move(*plan));
      if (!mscclpp)
        warnOfEqualRoutes(steps(p), found);
      sizing = mscclpp ? mscclpp->add(*placed[p].operations(), found)
                       : Sizing::create(steps(p), option.bytes, args.type, found);
    }
    addAbout(p, found);
    if (failed(sizing))
      return failure();
    sizings.push_back(*sizing);
  }
  return success();
}

LogicalResult ConcurrentRun::provePlan(size_t p, DiagnosticEngine &found) {
  std::unique_ptr<Simulator> simulator = placed[p].prove({}, found);
  if (!simulator || failed(simulator->prove(request.plans[p].bytes, args.type, found)))
    return failure();
  if (args.checkData && !checks(p))
    found.warning({}, "the collective has no post-condition: the data are not compared");
  return success();
}

LogicalResult ConcurrentRun::checkEndpoints() {
  if (mscclpp)
    return mscclpp->checkEndpoints(diags);
  std::vector<PlanOnEndpoints> used;
  for (size_t p = 0; p < size(); ++p)
    used.push_back({request.plans[p].title, steps(p).plan, steps(p).endpointOf, steps(p).slots,
                    Bytes(sizings[p].chunkElements * sizeOf(args.type))});
  return checkSharedEndpoints(used, *machine, diags);
}

/// Assigns the delays and factors of endpoints to the ranks on them.
LogicalResult ConcurrentRun::skewRanks() {
  FailureOr<std::vector<Skew>> skew = parseSkew(args.skew, machine->numEndpoints(), diags);
  if (failed(skew))
    return failure();
  options.resize(size());
  for (SimOptions &plan : options)
    plan.repeat = args.repeat;
  if (skew->empty())
    return success();
  std::vector<bool> used(machine->numEndpoints());
  for (size_t p = 0; p < size(); ++p)
    for (EndpointId endpoint : placed[p].get().endpointOf) {
      options[p].skew.push_back((*skew)[endpoint.index()]);
      used[endpoint.index()] = true;
    }
  for (StringRef text : args.skew) {
    uint32_t endpoint;
    if (!text.split('=').first.getAsInteger(10, endpoint) && !used[endpoint])
      return diags.error({},
                         formatv("--skew {0}: no plan has a rank on endpoint {1}", text, endpoint));
  }
  return checkSkew(
      *skew, llvm::any_of(llvm::seq(size()), [&](size_t p) { return enginesTakeTime(steps(p)); }),
      machine->name, diags);
}

uint64_t ConcurrentRun::executions() const {
  uint64_t sum = 0;
  for (size_t p = 0; p < size(); ++p)
    sum += sizings[p].executions(placed[p].get()) * args.repeat;
  return sum;
}

LogicalResult ConcurrentRun::checkRecording() {
  if (!args.criticalPath || executions() <= maxRecorded)
    return success();
  return diags.error({}, formatv("--critical-path records every execution of a step, and the plans "
                                 "take {0} of them, more than the limit of {1}; choose smaller "
                                 "sizes or fewer repetitions",
                                 executions(), maxRecorded));
}

/// Runs all plans together, with data for placement number \p placement of each, or its last one.
ConcurrentResult ConcurrentRun::simulateTogether(size_t placement) {
  auto onMismatch = [&](size_t p, const std::string &text) {
    DiagnosticEngine found;
    found.error({}, text);
    addAbout(p, found);
  };
  if (mscclpp)
    return mscclpp->simulateTogether(network, dataOk, onMismatch);
  std::vector<std::unique_ptr<CheckedData>> data(size());
  std::vector<Placement> placements(size());
  std::vector<ConcurrentPlan> all;
  for (size_t p = 0; p < size(); ++p) {
    // One run of all plans records the paths.
    all.push_back({steps(p), sizings[p], request.plans[p].start, options[p]});
    all.back().options.criticalPath = args.criticalPath && placement == 0;
    if (!checks(p))
      continue;
    SmallVector<Placement, 2> possible = info(p).placements.list();
    placements[p] = possible[std::min(placement, possible.size() - 1)];
    data[p] =
        std::make_unique<CheckedData>(steps(p), sizings[p], args.op, placements[p], args.seed);
    all.back().options.listeners = {&data[p]->executor};
  }
  ConcurrentResult result = simulateConcurrently(all, network, [&](uint64_t steps) {
    if (args.jobs <= 1)
      progress.stage(formatv("simulate together, {0} %", steps * 100 / executions()));
  });
  for (size_t p = 0; p < size(); ++p) {
    if (!data[p] || !result.plans[p].completed)
      continue;
    data[p]->executor.finish();
    std::optional<DataMismatch> mismatch = data[p]->executor.check();
    dataOk[p] = dataOk[p].value_or(true) && !mismatch;
    if (mismatch)
      onMismatch(p, mismatchText(*mismatch, placements[p], sizings[p].requested, args.repeat));
  }
  return result;
}

void ConcurrentRun::simulateAll() {
  size_t placements = 1;
  for (size_t p = 0; p < size(); ++p)
    if (checks(p))
      placements = std::max(placements, info(p).placements.list().size());
  alone.resize(size());
  dataOk.resize(size());
  progress.stage("simulate together");
  // The runs of all plans take longest.
  parallelFor(args.jobs, 1 + size(), [&](size_t i) {
    if (i > 0) {
      size_t p = i - 1;
      if (mscclpp) {
        alone[p] = mscclpp->simulateAlone(p, network);
        return;
      }
      alone[p] =
          simulate(steps(p), sizings[p], *createNetwork(network, steps(p).routes), options[p]);
      return;
    }
    together = simulateTogether(0);
    for (size_t placement = 1; placement < placements; ++placement)
      simulateTogether(placement);
  });
}

ExitCode ConcurrentRun::checkResults() const {
  for (size_t p = 0; p < size(); ++p) {
    if (alone[p].time == SimTime::max() || together.end == SimTime::max()) {
      diags.error({}, formatv("the plans on target {0} take longer than 53 days of simulated time, "
                              "the limit of the clock",
                              machine->name));
      return ExitCode::Unusable;
    }
    if (!together.plans[p].completed || !alone[p].completed) {
      diags.error({request.plans[p].title},
                  "the plan was verified, but its execution did not complete");
      return ExitCode::Internal;
    }
  }
  return ExitCode::Success;
}

ExitCode ConcurrentRun::writeReport() {
  ConcurrentReport report{*machine, network, args.type, args.op, args.repeat};
  report.conditions.skew = args.skew;
  report.end = together.end;
  report.links = together.links;
  bool right = true;
  for (size_t p = 0; p < size(); ++p) {
    const PlacedFile &option = request.plans[p];
    right &= dataOk[p].value_or(true);
    report.plans.push_back(
        {option.file, option.title, placed[p].get(), option.start, option.firstRank,
         makeSizeResult(placed[p].get(), sizings[p], std::move(alone[p]), args.repeat),
         makeSizeResult(placed[p].get(), sizings[p], std::move(together.plans[p]), args.repeat)});
    report.plans.back().together.dataOk = dataOk[p];
  }
  progress.clear();
  auto write = [&](raw_ostream &os) { writeConcurrentJson(report, os); };
  if (args.json && failed(writeFile(*args.json, write, diags)))
    return ExitCode::Unusable;
  if (args.summarise) {
    printConcurrent(report, llvm::outs());
    llvm::outs().flush();
  }
  return right ? ExitCode::Success : ExitCode::Wrong;
}

ExitCode ConcurrentRun::run() {
  if (failed(readPlans()) || failed(loadMachine()) || failed(bindPlans()) || failed(skewRanks()) ||
      failed(checkRecording()))
    return ExitCode::Unusable;
  progress.stage("verify");
  for (size_t p = 0; p < size(); ++p) {
    DiagnosticEngine found;
    LogicalResult proved = provePlan(p, found);
    addAbout(p, found);
    if (failed(proved))
      return ExitCode::Wrong;
  }
  if (failed(checkEndpoints()))
    return ExitCode::Wrong;
  simulateAll();
  ExitCode code = checkResults();
  return code == ExitCode::Success ? writeReport() : code;
}

static std::optional<PlacedFile> parsePlan(StringRef text) {
  constexpr uint32_t mostRank = 1 << 20;
  PlacedFile plan;
  plan.title = text;
  auto [file, rest] = text.rsplit('@');
  auto [seconds, rank] = rest.split(':');
  std::optional<SimTime> start = parseSeconds(seconds);
  if (file.empty() || !start ||
      (rest.contains(':') && (rank.getAsInteger(10, plan.firstRank) || plan.firstRank > mostRank)))
    return std::nullopt;
  plan.file = file;
  plan.start = *start;
  return plan;
}

static FailureOr<std::vector<PlacedFile>> parsePlans(const SimArguments &args,
                                                     DiagnosticEngine &diags) {
  ArrayRef<std::string> sizes = args.givenSizes.bytes;
  if (sizes.size() > 1 && sizes.size() != args.plans.size())
    return diags.error({}, formatv("--bytes is given {0} times for {1} {2}: give one size for all "
                                   "plans, or one for each in their order",
                                   sizes.size(), args.plans.size(),
                                   args.plans.size() == 1 ? "plan" : "plans"));
  std::vector<PlacedFile> plans;
  for (size_t p = 0; p < args.plans.size(); ++p) {
    std::optional<PlacedFile> plan = parsePlan(args.plans[p]);
    if (!plan)
      return diags.error({}, formatv("'{0}' is not PLAN@START or PLAN@START:FIRST_RANK with the "
                                     "start in seconds, such as a.json@0 or b.json@2e-6:8",
                                     args.plans[p]));
    std::optional<uint64_t> size = parseSize(
        "--bytes", sizes.empty() ? "1M" : StringRef(sizes[sizes.size() > 1 ? p : 0]), diags);
    if (!size)
      return failure();
    plan->bytes = Bytes(*size);
    plans.push_back(std::move(*plan));
  }
  llvm::sort(plans, [](const PlacedFile &a, const PlacedFile &b) {
    auto key = [](const PlacedFile &plan) {
      return std::tie(plan.start, plan.firstRank, plan.file, plan.bytes, plan.title);
    };
    return key(a) < key(b);
  });
  return plans;
}

ExitCode cclc::runConcurrent(SimArguments &args, Progress &progress, DiagnosticEngine &diags) {
  FailureOr<std::vector<PlacedFile>> plans = parsePlans(args, diags);
  if (failed(plans))
    return ExitCode::Unusable;
  for (const PlacedFile &plan : *plans)
    args.named.input("PLAN", plan.file);
  if (failed(args.named.check(diags)))
    return ExitCode::Unusable;
  return ConcurrentRun({args, std::move(*plans)}, progress, diags).run();
}
