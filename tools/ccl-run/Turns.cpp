//===- Turns.cpp - Plans that are measured in turns -----------------------===//
//
// A turn has as many executions as take about 50 us with the fastest plan, so that a sample is
// longer than the resolution of clocks and short beside what disturbs the machine.
//
//===----------------------------------------------------------------------===//

#include "Turns.h"

#include "JsonText.h"

#include "cclc/Run/RunData.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/PairedRatio.h"
#include "cclc/Support/Printable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace cclc;
using namespace cclc::run;
using llvm::formatv;
using nlohmann::ordered_json;
using std::chrono::nanoseconds;

namespace {
constexpr double turnNanoseconds = 50'000;
constexpr uint32_t mostCalls = 100;

double meanOf(ArrayRef<nanoseconds> times) {
  nanoseconds sum{};
  for (nanoseconds time : times)
    sum += time;
  return double(sum.count()) / double(times.size());
}

std::string microseconds(double nanoseconds) { return formatv("{0:F2}", nanoseconds / 1e3); }

void printSize(const TurnResult &size, raw_ostream &os) {
  const bool hasLibrary = !size.library.empty();
  const TurnResult::Times &other = hasLibrary ? size.library : size.plans.front().times;
  for (const TurnResult::Plan &plan : size.plans) {
    std::optional<PairedRatio> ratio;
    if (!plan.times.empty() && !other.empty())
      ratio = pairedRatio(other, plan.times);
    os << formatv(
        "{0,12} {1,12} {2,12} {3,14} {4,8} {5,15}  {6}\n", size.bytes.count(),
        plan.times.empty() ? "library" : microseconds(medianOf(plan.times)),
        other.empty() ? "-" : microseconds(medianOf(other)),
        plan.predicted ? formatv("{0:F3}", double(plan.predicted->picoseconds()) / 1e6).str() : "-",
        ratio ? formatv("{0:F2}", ratio->median).str() : "-",
        ratio ? formatv("{0:F2} to {1:F2}", ratio->low, ratio->high).str() : "-",
        printable(plan.file));
  }
}
} // namespace

/// A plan with its memory, ready for many turns.
class TurnMeasurement::Member {
public:
  Member(const TurnPlan &plan, uint64_t bytes, Placement placement, const RunArguments &args,
         Group &group)
      : prepared(plan.plan, ceilDiv(bytes, sizeOf(args.type)),
                 args.settingsOf(plan.plan, plan.slots)),
        data(prepared, placement, group) {
    data.fill(InputData(plan.plan.info().collective, args.type, args.op, args.seed), 0);
  }

  const PreparedPlan &plan() const { return prepared; }
  ArrayRef<RankBuffers> buffers() const { return data.buffers(); }

private:
  PreparedPlan prepared;
  RunData data;
};

LogicalResult TurnMeasurement::takeTurns(TurnResult &result, bool hasLibrary, Turn turn) {
  double fastest = turnNanoseconds;
  std::vector<size_t> executed;
  for (size_t p = 0; p < result.plans.size(); ++p) {
    FailureOr<std::vector<nanoseconds>> warm = turn(p, args.numWarmups() + 1);
    if (failed(warm))
      return failure();
    if (warm->empty())
      continue;
    executed.push_back(p);
    // All processes know the same times.
    fastest = std::min(fastest, double(llvm::min_element(*warm)->count()));
  }
  if (hasLibrary && failed(turn(std::nullopt, args.numWarmups() + 1)))
    return failure();
  result.calls = std::clamp(uint32_t(turnNanoseconds / std::max(fastest, 1.0)), 1u, mostCalls);
  auto add = [&](std::optional<size_t> plan, TurnResult::Times &times) {
    FailureOr<std::vector<nanoseconds>> ofTurn = turn(plan, result.calls);
    if (succeeded(ofTurn) && !ofTurn->empty())
      times.push_back(meanOf(*ofTurn));
    return success(succeeded(ofTurn));
  };
  for (uint32_t round = 0; round < args.numIterations(); ++round) {
    if (hasLibrary && failed(add(std::nullopt, result.library)))
      return failure();
    for (size_t p : executed)
      if (failed(add(p, result.plans[p].times)))
        return failure();
  }
  for (size_t p : executed)
    if (result.plans[p].times.size() < args.numIterations())
      result.plans[p].times.clear();
  return success();
}

LogicalResult TurnMeasurement::measureCalls(const Members &members, TurnResult &result) {
  const Member memory(*members.front(), result.bytes.count(), result.placement, args, group);
  const bool hasLibrary = args.mpiAlgorithm && group.hasNative(memory.plan());
  auto turn = [&](std::optional<size_t> plan,
                  uint32_t calls) -> FailureOr<std::vector<nanoseconds>> {
    std::optional<nanoseconds> mean = group.executeCalls(
        memory.plan(), memory.buffers(), plan ? &result.plans[*plan].file : nullptr, calls);
    return mean ? std::vector{*mean} : std::vector<nanoseconds>();
  };
  return takeTurns(result, hasLibrary, turn);
}

LogicalResult TurnMeasurement::measureExecutions(const Members &members, TurnResult &result) {
  const RunOptions options = args.runOptions();
  std::vector<std::unique_ptr<Member>> ready;
  for (const TurnPlan *member : members)
    ready.push_back(
        std::make_unique<Member>(*member, result.bytes.count(), result.placement, args, group));
  const Member &first = *ready.front();
  const bool hasLibrary = args.mpiAlgorithm && group.hasNative(first.plan());
  auto turn = [&](std::optional<size_t> plan,
                  uint32_t executions) -> FailureOr<std::vector<nanoseconds>> {
    if (!plan)
      return group.executeNative(first.plan(), first.buffers(), executions, options);
    const Member &member = *ready[*plan];
    FailureOr<RunResult> run =
        group.execute(member.plan(), member.buffers(), executions, options, diags);
    if (failed(run))
      return failure();
    return std::move(run->times);
  };
  return takeTurns(result, hasLibrary, turn);
}

FailureOr<Placement> TurnMeasurement::placementOf(const Members &members, uint64_t bytes) {
  auto allows = [&](Placement placement) {
    return llvm::all_of(members, [&](const TurnPlan *member) {
      const Placements &all = member->plan.info().placements;
      return placement == Placement::InPlace ? all.allowsInPlace() : all.allowsOutOfPlace();
    });
  };
  if (!args.inPlace && allows(Placement::OutOfPlace))
    return Placement::OutOfPlace;
  if (allows(Placement::InPlace))
    return Placement::InPlace;
  return diags.error({}, formatv("the plans cannot be compared with {0} bytes: some are for one "
                                 "buffer, others for separate input and output",
                                 bytes));
}

FailureOr<TurnResult> TurnMeasurement::measure(const Members &members, uint64_t bytes,
                                               std::optional<Placement> ofCalls) {
  TurnResult result{members.front()->plan.info().collective, Bytes(bytes)};
  FailureOr<Placement> placement = ofCalls ? *ofCalls : placementOf(members, bytes);
  if (failed(placement))
    return failure();
  result.placement = *placement;
  progress.stage(formatv("execute {0} bytes", bytes));
  for (const TurnPlan *member : members) {
    TurnResult::Plan &plan =
        result.plans.emplace_back(TurnResult::Plan{member->file, member->plan.info().name, {}});
    if (!member->prediction || !group.leads())
      continue;
    FailureOr<SimTime> time = member->prediction->at(result.bytes, args.type, diags);
    if (failed(time))
      return failure();
    plan.predicted = *time;
  }
  if (failed(ofCalls ? measureCalls(members, result) : measureExecutions(members, result)))
    return failure();
  return result;
}

LogicalResult TurnMeasurement::run(llvm::function_ref<void(const TurnResult &)> onSize) {
  // Without a placement, the plans decide.
  using Key = std::tuple<CollectiveKind, uint32_t, RankId, std::optional<Placement>>;
  std::map<Key, std::map<uint64_t, Members>> all;
  for (const TurnPlan &plan : plans) {
    const Collective &collective = plan.plan.info().collective;
    std::vector<std::optional<Placement>> placements = {std::nullopt};
    if (args.preload && (args.inPlace || collective.kind() == CollectiveKind::Broadcast))
      placements = {Placement::InPlace};
    else if (args.preload)
      placements = {Placement::OutOfPlace, Placement::InPlace};
    for (std::optional<Placement> placement : placements)
      for (uint64_t size : plan.sizes)
        all[{collective.kind(), collective.ranks(), collective.root(), placement}][size].push_back(
            &plan);
  }
  const bool prints = group.leads() && args.json != "-";
  for (const auto &[key, sizes] : all) {
    bool isFirst = true;
    for (const auto &[bytes, members] : sizes) {
      FailureOr<TurnResult> size = measure(members, bytes, std::get<std::optional<Placement>>(key));
      if (failed(size))
        return failure();
      progress.clear();
      onSize(*size); // before the rows are shown: an interrupt keeps what the user has seen
      if (!prints)
        continue;
      raw_ostream &os = llvm::outs();
      if (std::exchange(isFirst, false)) {
        const StringRef other = size->library.empty() ? "first" : "mpi";
        os << formatv("{0}{1} over {2} ranks, {3}, {4} {5}, {6}, {7} rounds\n\n",
                      key == all.begin()->first ? "" : "\n",
                      collectiveName(size->collective.kind()).data(), size->collective.ranks(),
                      group.name(), dataTypeName(args.type), reduceOpName(args.op),
                      placementText(size->placement), args.numIterations());
        os << formatv("{0,12} {1,12} {2,12} {3,14} {4,8} {5,15}  {6}\n", "bytes", "median [us]",
                      (other + " [us]").str(), "predicted [us]", "ratio", "95 %", "plan");
      }
      printSize(*size, os);
      os.flush();
    }
  }
  return success();
}

void cclc::writeTurns(ArrayRef<TurnResult> results, const RunArguments &args, StringRef transport,
                      bool complete, raw_ostream &os) {
  ordered_json document = {{"version", 1},
                           {"complete", complete},
                           {"transport", transport.str()},
                           {"dtype", dataTypeName(args.type).str()},
                           {"op", reduceOpName(args.op).str()},
                           {"turns", ordered_json::array()}};
  for (const TurnResult &size : results) {
    ordered_json entry = {{"collective", std::string(collectiveName(size.collective.kind()))},
                          {"ranks", size.collective.ranks()},
                          {"bytes", size.bytes.count()},
                          {"in_place", size.placement == Placement::InPlace},
                          {"calls", size.calls},
                          {"mpi_ns", size.library},
                          {"plans", ordered_json::array()}};
    for (const TurnResult::Plan &plan : size.plans)
      entry["plans"].push_back(
          {{"file", plan.file},
           {"name", plan.name},
           {"times_ns", plan.times},
           {"predicted_ns", plan.predicted ? ordered_json(toNanoseconds(*plan.predicted))
                                           : ordered_json(nullptr)}});
    document["turns"].push_back(std::move(entry));
  }
  os << jsonText(document, 1) << '\n';
}
