//===- Calibration.cpp - A target from measurements -----------------------===//
//
// All plans are measured in turn, several times, and the least time of each counts, since other
// programs only delay. Whether large messages are read in the memory of their senders, the size of
// the cache and the factor of the memory are found by trial; for each trial, the other costs are a
// linear fit. Over MPI every rank has a processor of its own, so that copies and fetches cannot be
// separated: the copies contain both.
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "JsonText.h"

#include "cclc/Run/RunData.h"
#include "cclc/Run/ThreadGroup.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <thread>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;
using nlohmann::ordered_json;
using Kind = MicroPlan::Kind;

static constexpr uint64_t sizes[] = {64, 512, 4096, 32768, 262144, 2097152};
static constexpr uint64_t smallBytes = sizes[0], largeBytes = sizes[4];
static constexpr uint32_t defaultRounds = 4, manyRanks = 8;
/// Processes choose their pieces by the plan, and a target has one size for all: that of plans
/// which gain from pieces.
static constexpr uint64_t pipelinedBytes = uint64_t(1) << 20;
/// A pair of ranks is slower than others if its time is longer by this factor.
static constexpr double slowerPair = 1.25;

/// The messages of an execution and the executions of a round: a few milliseconds together.
static uint32_t repeatsFor(uint64_t bytes) { return bytes <= 4096 ? 32 : bytes <= 262144 ? 8 : 4; }
static uint32_t executionsFor(uint64_t bytes) {
  return bytes <= 4096 ? 100 : bytes <= 32768 ? 50 : bytes <= 262144 ? 20 : 6;
}

Calibration::Calibration(Group &group, const RunArguments &args, Progress &progress,
                         DiagnosticEngine &diags)
    : group(group), args(args), progress(progress), diags(diags),
      rounds(std::max<uint64_t>(args.iterations.value_or(defaultRounds), 1)) {
  if (group.size()) {
    processors = *group.size();
    return;
  }
  processors = args.threads.number.value_or(std::max(1u, std::thread::hardware_concurrency()));
  single = createThreadGroup({1});
}

LogicalResult Calibration::measureOnce(Measured &wanted) {
  FailureOr<ExecPlan> plan = wanted.plan.build(diags);
  if (failed(plan))
    return failure();
  RunSettings settings{args.type, args.op, RunSettings().slots, args.slotBytes};
  if (usesSlots(wanted))
    settings.directBytes = UINT64_MAX;
  PreparedPlan run(*plan, ceilDiv(wanted.bytes, sizeOf(args.type)), settings);
  Group &executor = wanted.remote || !single ? group : *single;
  RunData data(run, Placement::OutOfPlace, executor);
  data.fill(InputData(plan->info().collective, args.type, args.op, std::nullopt), 0);
  RunOptions options;
  options.timeoutSeconds = args.processes.seconds;
  FailureOr<RunResult> result =
      executor.execute(run, data.buffers(), 2 + executionsFor(wanted.bytes), options, diags);
  if (failed(result))
    return failure();
  double least = double((*std::min_element(result->times.begin(), result->times.end())).count());
  least = std::max(least, 1.0);
  wanted.nanoseconds = wanted.nanoseconds > 0 ? std::min(wanted.nanoseconds, least) : least;
  wanted.pieces = run.pieces();
  return success();
}

LogicalResult Calibration::measureAll(std::vector<Measured> &wanted) {
  for (uint32_t round = 0; round < rounds; ++round)
    for (Measured &one : wanted) {
      progress.stage(formatv("round {0} of {1}: {2}, {3} bytes", round + 1, rounds, one.plan.name(),
                             one.bytes));
      if (failed(measureOnce(one)))
        return failure();
    }
  return success();
}

LogicalResult Calibration::measurePairs() {
  std::vector<Measured> wanted;
  for (uint32_t a = 0; a < processors; ++a)
    for (uint32_t b = a + 1; b < processors; ++b)
      for (uint64_t bytes : {smallBytes, largeBytes})
        wanted.push_back({{Kind::PingPong, processors, a, b, repeatsFor(bytes)}, bytes, true});
  if (failed(measureAll(wanted)))
    return failure();
  for (size_t i = 0; i < wanted.size(); i += 2)
    pairs.push_back({wanted[i].plan.first, wanted[i].plan.second,
                     wanted[i].nanoseconds / wanted[i].plan.repeats,
                     wanted[i + 1].nanoseconds / wanted[i + 1].plan.repeats});
  llvm::sort(pairs, [](const Pair &a, const Pair &b) {
    return std::tie(a.small, a.first, a.second) < std::tie(b.small, b.first, b.second);
  });
  return success();
}

std::vector<Calibration::Measured> Calibration::localPlans() const {
  std::vector<Measured> wanted;
  for (uint64_t bytes : sizes) {
    uint32_t repeats = repeatsFor(bytes);
    for (Kind kind : {Kind::Copies, Kind::Reductions})
      wanted.push_back({{kind, single ? 1 : processors, 0, 0, repeats}, bytes, !single});
    if (!single)
      continue;
    for (Kind kind : {Kind::PingPong, Kind::ReducePingPong, Kind::Stream})
      wanted.push_back({{kind, 2, 0, 1, repeats}, bytes, false});
    wanted.push_back({{Kind::Ring, manyRanks, 0, 0, repeats / 4}, bytes, false});
    if (bytes <= largeBytes)
      wanted.push_back({{Kind::Exchange, manyRanks, 0, 0, repeats / 4}, bytes, false});
  }
  return wanted;
}

std::vector<Calibration::Measured> Calibration::remotePlans() const {
  std::vector<Measured> wanted;
  if (pairs.empty())
    return wanted;
  for (uint64_t bytes : sizes)
    for (Kind kind : {Kind::PingPong, Kind::ReducePingPong, Kind::Stream})
      wanted.push_back(
          {{kind, processors, pairs.front().first, pairs.front().second, repeatsFor(bytes)},
           bytes,
           true});
  return wanted;
}

std::vector<Observation> Calibration::observations(ArrayRef<Measured> all,
                                                   const Trial &trial) const {
  std::vector<Observation> rows;
  for (const Measured &one : all) {
    bool direct =
        trial.direct && ceilDiv(one.bytes, one.pieces) >= *trial.direct && !usesSlots(one);
    MicroPlan::Setting setting{one.bytes, one.pieces, one.remote, direct};
    Observation row{one.plan.coefficients(setting), one.nanoseconds};
    if (!single)
      row.coefficients[static_cast<size_t>(CostOf::Fetched)] = 0;
    double used = double(one.plan.footprint(setting));
    double missing = std::max(0.0, used - double(trial.cache)) / used;
    for (CostOf byte : {CostOf::Copied, CostOf::Fetched, CostOf::Reduced, CostOf::Local})
      row.coefficients[static_cast<size_t>(byte)] *= 1 + (trial.factor - 1) * missing;
    rows.push_back(std::move(row));
  }
  return rows;
}

void Calibration::fit(ArrayRef<Measured> all) {
  double best = -1;
  auto attempt = [&](const Trial &trial) {
    std::vector<Observation> rows = observations(all, trial);
    std::vector<double> found = fitLinear(rows);
    double squares = squaredError(rows, found);
    if (best >= 0 && squares >= best)
      return;
    best = squares;
    costs = found;
    chosen = trial;
    error = medianError(rows, found);
  };
  for (std::optional<uint64_t> direct :
       {std::optional<uint64_t>(), std::optional(threadDirectBytes)})
    for (uint64_t cache = uint64_t(1) << 15; cache <= uint64_t(1) << 26; cache *= 2)
      for (double factor = 1; factor <= 8; factor += 0.25)
        attempt({direct, cache, factor});
  numTimes = all.size();
}

LogicalResult Calibration::run() {
  if (failed(measurePairs()))
    return failure();
  std::vector<Measured> all = localPlans();
  llvm::append_range(all, remotePlans());
  if (failed(measureAll(all)))
    return failure();
  fit(all);
  return success();
}

/// Four significant digits.
static double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return std::strtod(text, nullptr);
}

/// Sets a rate from the time of a byte, and where it is from. A byte without time has no limit.
static void setRate(ordered_json &object, const char *key, double nanoseconds,
                    const std::string &provenance) {
  object["// " + std::string(key)] = provenance;
  object[key] = nanoseconds > 0 ? rounded(1e9 / nanoseconds) : 0;
}

static void setTime(ordered_json &object, const char *key, double nanoseconds,
                    const std::string &provenance) {
  object["// " + std::string(key)] = provenance;
  object[key] = rounded(nanoseconds * 1e-9);
}

/// An engine whose cycle is the time of 64 bytes.
static ordered_json engine(double nanosecondsPerByte, const std::string &provenance) {
  constexpr uint32_t line = 64;
  ordered_json object;
  setTime(object, "cycle", nanosecondsPerByte * line, provenance);
  object["bytes_per_cycle"] = nanosecondsPerByte > 0 ? line : 0;
  return object;
}

void Calibration::write(StringRef name, raw_ostream &os) const {
  const std::string local =
      single ? "ping-pong, stream, ring and exchange on one thread" : "ping-pong, stream";
  ordered_json target;
  target["name"] = name.str();
  target["description"] =
      formatv("Measured by ccl-run --calibrate: {0}, {1} processors", group.name(), processors)
          .str();
  target["// provenance"] = {
      formatv("{0} times of {1} {2}, messages of {3} B to {4} KiB", numTimes,
              dataTypeName(args.type), reduceOpName(args.op), sizes[0], sizes[5] / 1024)
          .str(),
      formatv("each is the minimum of {0} of {1} to {2} executions", counted(rounds, "round"),
              executionsFor(sizes[5]), executionsFor(sizes[0]))
          .str(),
      formatv("least squares of relative errors; their median is {0:F1} %", error * 100).str()};
  target["family"] = "graph";
  target["shape"] = "fully_connected";
  target["network"] = "cut-through";
  setTime(target, "launch", cost(CostOf::Launch), "fit: part of all times");
  ordered_json pe;
  setTime(pe, "dispatch", cost(CostOf::Dispatch), "fit: " + local);
  setTime(pe, "local_dispatch", cost(CostOf::LocalDispatch), "fit: local copies and reductions");
  pe["math"] = engine(cost(CostOf::Reduced), "fit: local reductions, reducing ping-pong");
  pe["copy"] = engine(cost(CostOf::Local), "fit: local copies");
  target["pe"] = pe;
  ordered_json table;
  table["count"] = processors;
  setRate(table, "copy_bandwidth", cost(CostOf::Copied), "fit: " + local);
  setTime(table, "latency", cost(CostOf::Latency), "fit: ping-pong and stream between processors");
  setRate(table, "fetch_bandwidth", cost(CostOf::Fetched),
          single ? "fit: ping-pong and stream between processors"
                 : "contained in copy_bandwidth: every rank has a processor");
  if (chosen.direct) {
    table["// direct"] = "trial: less error than without";
    table["direct"] = *chosen.direct;
  }
  table["// cache"] = "trial of powers of two: least sum of squares";
  table["cache"] = chosen.cache;
  table["// memory_factor"] = "trial of multiples of 0.25: least sum of squares";
  table["memory_factor"] = chosen.factor;
  target["processors"] = table;
  target["queue"] = {{"slots", RunSettings().slots},
                     {"slot_size", args.slotBytes.value_or(pipelinedBytes)}};
  if (!pairs.empty()) {
    auto [least, most] = std::pair(pairs.front().small, pairs.back().small);
    target["// pairs"] = formatv("{0} of processors: {1:F0} to {2:F0} ns for {3} B one way",
                                 counted(pairs.size(), "pair"), least, most, smallBytes)
                             .str();
  }
  ordered_json changes = ordered_json::array();
  for (const Pair &pair : pairs) {
    const Pair &fast = pairs.front();
    if (pair.small <= fast.small * slowerPair && pair.large <= fast.large * slowerPair)
      continue;
    double latency = std::max(pair.small - fast.small, 0.0);
    double byte = (pair.large - fast.large - latency) / double(largeBytes);
    ordered_json change = {{"links", formatv("n{0}<->n{1}", pair.first, pair.second).str()}};
    setTime(change, "propagation", latency, "time beyond that of the fastest pair");
    if (byte > 0)
      change["bandwidth"] = rounded(1e9 / byte);
    changes.push_back(change);
  }
  if (!changes.empty()) {
    target["ranks"] = processors;
    target["link_changes"] = changes;
  }
  os << jsonText(target) << '\n';
}
