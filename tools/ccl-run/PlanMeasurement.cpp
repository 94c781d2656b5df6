//===- PlanMeasurement.cpp - The execution of one plan for several sizes --===//
//
// Data are checked in executions of their own, under every placement, before the measured ones,
// which reduce the same buffers again and again.
//
//===----------------------------------------------------------------------===//

#include "PlanMeasurement.h"

#include "cclc/Run/RunData.h"
#include "cclc/Sim/Data/ExpectedData.h"
#include "cclc/Sim/Data/Replay.h"
#include "cclc/Views/Report/MeasuredTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;

PlanMeasurement::PlanMeasurement(const ExecPlan &plan, const RunArguments &args, Group &group,
                                 uint32_t slots, std::optional<Prediction> prediction,
                                 Progress &progress, DiagnosticEngine &diags)
    : plan(plan), args(args), group(group), prediction(std::move(prediction)), progress(progress),
      diags(diags), options(args.runOptions()), result{{},
                                                       plan.info().name,
                                                       plan.info().collective,
                                                       group.name(),
                                                       slots,
                                                       args.type,
                                                       args.op,
                                                       Placement::OutOfPlace,
                                                       {}} {
  Placements supported = plan.info().placements;
  if (args.inPlace || !supported.allowsOutOfPlace())
    result.placement = Placement::InPlace;
}

/// Executes once with the data of \p seed, and compares the outputs of all ranks: with the
/// collective's definition, or, since roundings of random data depend on the order of operations,
/// with the plan's own order.
FailureOr<bool> PlanMeasurement::check(const PreparedPlan &run, Placement placement, Bytes bytes,
                                       std::optional<uint64_t> seed) {
  const Collective &collective = plan.info().collective;
  InputData inputs(collective, args.type, args.op, seed);
  RunData data(run, placement, group);
  data.fill(inputs, 0);
  if (failed(group.execute(run, data.buffers(), 1, options, diags)))
    return failure();
  uint64_t chunkElements = run.layout.chunkElements();
  std::optional<DataMismatch> mismatch;
  if (seed) {
    Replay replay(plan, run.connections, inputs, args.type, args.op, chunkElements, placement);
    data.compare([&](RankId r, uint32_t c, uint32_t n) { return replay.expected(r, c, n); }, 0,
                 mismatch);
  } else {
    ExpectedData expected(collective, inputs, args.type, args.op, chunkElements);
    data.compare([&](RankId r, uint32_t c, uint32_t n) { return expected.chunk(r, c, n); }, 0,
                 mismatch);
  }
  bool right = true;
  for (const std::string &text :
       group.gather(mismatch ? mismatchText(*mismatch, placement, bytes, 1) : "")) {
    if (!text.empty() && right)
      diags.error({}, text);
    right &= text.empty();
  }
  return right;
}

FailureOr<MeasuredSize> PlanMeasurement::measure(uint64_t bytes) {
  uint64_t elements = ceilDiv(bytes, sizeOf(args.type));
  PreparedPlan run(plan, elements, args.settingsOf(plan, result.slots));
  MeasuredSize size{Bytes(bytes), run.pieces(), {}, {}, {}, {}};
  progress.stage(formatv("execute {0} bytes", bytes));
  if (args.checkData && plan.info().collective.hasPostCondition()) {
    size.right = true;
    // A wrong plan agrees with its own order.
    std::vector<std::optional<uint64_t>> seeds = {std::nullopt};
    if (args.seed)
      seeds.push_back(args.seed);
    for (Placement placement : plan.info().placements.list())
      for (std::optional<uint64_t> seed : seeds) {
        FailureOr<bool> right = check(run, placement, size.bytes, seed);
        if (failed(right))
          return failure();
        size.right = *size.right && *right;
      }
  }
  uint32_t warmup = args.numWarmups(), iterations = args.numIterations();
  if (iterations > 0) {
    RunData data(run, result.placement, group);
    data.fill(InputData(plan.info().collective, args.type, args.op, args.seed), 0);
    FailureOr<RunResult> executed =
        group.execute(run, data.buffers(), warmup + iterations, options, diags);
    if (failed(executed))
      return failure();
    size.times.assign(executed->times.begin() + warmup, executed->times.end());
    llvm::sort(size.times);
    if (args.mpiAlgorithm && group.hasNative(run)) {
      std::vector<std::chrono::nanoseconds> times =
          group.executeNative(run, data.buffers(), warmup + iterations, options);
      size.native.assign(times.begin() + warmup, times.end());
      llvm::sort(size.native);
    }
  }
  if (args.trace && failed(trace(run, size.bytes)))
    return failure();
  if (prediction && leads()) {
    FailureOr<SimTime> time = prediction->at(size.bytes, args.type, diags);
    if (failed(time))
      return failure();
    size.predicted = *time;
  }
  return size;
}

LogicalResult PlanMeasurement::trace(const PreparedPlan &run, Bytes bytes) {
  RunData data(run, result.placement, group);
  data.fill(InputData(plan.info().collective, args.type, args.op, args.seed), 0);
  RunOptions traced = options;
  traced.trace = true;
  FailureOr<RunResult> executed =
      group.execute(run, data.buffers(), args.numWarmups() + 1, traced, diags);
  if (failed(executed) || !leads())
    return success(succeeded(executed));
  const RunTrace &timeline = executed->trace;
  std::vector<RunSetting> settings = {
      {"transport", result.transport},
      {"slots", std::to_string(result.slots)},
      {"dtype", dataTypeName(args.type).str()},
      {"op", reduceOpName(args.op).str()},
      {"in_place", result.placement == Placement::InPlace ? "yes" : "no"},
      {"clock_error_ns", std::to_string(timeline.clockError.count())}};
  LogicalResult predicted = success();
  auto write = [&](raw_ostream &os) {
    auto others = [&](raw_ostream &os, const TracePart &part) {
      if (prediction)
        predicted = prediction->trace(bytes, args.type, part, os, diags);
    };
    writeMeasuredTrace(run, timeline, bytes, settings, others, os);
  };
  return success(succeeded(writeFile(*args.trace, write, diags)) && succeeded(predicted));
}

ExitCode PlanMeasurement::run(llvm::function_ref<void(const MeasuredPlan &)> onSize) {
  if (prints()) {
    printHead(result, llvm::outs());
    llvm::outs().flush();
  }
  ExitCode code = ExitCode::Success;
  for (uint64_t bytes : args.sizes) {
    FailureOr<MeasuredSize> size = measure(bytes);
    if (failed(size))
      return ExitCode::Wrong;
    progress.clear();
    if (size->right == false)
      code = ExitCode::Wrong;
    result.sizes.push_back(std::move(*size));
    onSize(result); // before the row is shown: an interrupt keeps what the user has seen
    if (prints()) {
      printRow(result, result.sizes.back(), llvm::outs());
      llvm::outs().flush();
    }
  }
  return code;
}
