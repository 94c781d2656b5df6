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

/// A plan with its memory, ready for many turns.
class Member {
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
    const std::optional<PairedRatio> ratio = pairedRatio(other, plan.times);
    os << formatv(
        "{0,12} {1,12} {2,12} {3,14} {4,8} {5,15}  {6}\n", size.bytes.count(),
        microseconds(medianOf(plan.times)), microseconds(medianOf(other)),
        plan.predicted ? formatv("{0:F3}", double(plan.predicted->picoseconds()) / 1e6).str() : "-",
        ratio ? formatv("{0:F2}", ratio->median).str() : "-",
        ratio ? formatv("{0:F2} to {1:F2}", ratio->low, ratio->high).str() : "-",
        printable(plan.file));
  }
}
} // namespace

FailureOr<TurnResult> TurnMeasurement::measure(const Members &members, uint64_t bytes) {
  TurnResult result{members.front()->plan.info().collective, Bytes(bytes)};
  auto allows = [&](Placement placement) {
    return llvm::all_of(members, [&](const TurnPlan *member) {
      const Placements &all = member->plan.info().placements;
      return placement == Placement::InPlace ? all.allowsInPlace() : all.allowsOutOfPlace();
    });
  };
  if (args.inPlace || !allows(Placement::OutOfPlace))
    result.placement = Placement::InPlace;
  if (!allows(result.placement))
    return diags.error({}, formatv("the plans cannot be compared with {0} bytes: some are for one "
                                   "buffer, others for separate input and output",
                                   bytes));
  progress.stage(formatv("execute {0} bytes", bytes));
  const RunOptions options = args.runOptions();
  std::vector<std::unique_ptr<Member>> ready;
  double fastest = turnNanoseconds;
  for (const TurnPlan *member : members) {
    ready.push_back(std::make_unique<Member>(*member, bytes, result.placement, args, group));
    TurnResult::Plan &plan =
        result.plans.emplace_back(TurnResult::Plan{member->file, member->plan.info().name, {}});
    FailureOr<RunResult> warm = group.execute(ready.back()->plan(), ready.back()->buffers(),
                                              args.numWarmups() + 1, options, diags);
    if (failed(warm))
      return failure();
    // All processes know the same times.
    fastest = std::min(fastest, double(llvm::min_element(warm->times)->count()));
    if (!member->prediction || !group.leads())
      continue;
    FailureOr<SimTime> time = member->prediction->at(result.bytes, args.type, diags);
    if (failed(time))
      return failure();
    plan.predicted = *time;
  }
  const Member &first = *ready.front();
  const bool hasLibrary = args.mpiAlgorithm && group.hasNative(first.plan());
  if (hasLibrary)
    group.executeNative(first.plan(), first.buffers(), args.numWarmups() + 1, options);
  result.calls = std::clamp(uint32_t(turnNanoseconds / std::max(fastest, 1.0)), 1u, mostCalls);
  for (uint32_t round = 0; round < args.numIterations(); ++round) {
    if (hasLibrary)
      result.library.push_back(
          meanOf(group.executeNative(first.plan(), first.buffers(), result.calls, options)));
    for (auto [member, plan] : llvm::zip_equal(ready, result.plans)) {
      FailureOr<RunResult> turn =
          group.execute(member->plan(), member->buffers(), result.calls, options, diags);
      if (failed(turn))
        return failure();
      plan.times.push_back(meanOf(turn->times));
    }
  }
  return result;
}

LogicalResult TurnMeasurement::run(llvm::function_ref<void(const TurnResult &)> onSize) {
  using Key = std::tuple<CollectiveKind, uint32_t, RankId>;
  std::map<Key, std::map<uint64_t, Members>> all;
  for (const TurnPlan &plan : plans) {
    const Collective &collective = plan.plan.info().collective;
    for (uint64_t size : plan.sizes)
      all[{collective.kind(), collective.ranks(), collective.root()}][size].push_back(&plan);
  }
  const bool prints = group.leads() && args.json != "-";
  for (const auto &[key, sizes] : all) {
    bool isFirst = true;
    for (const auto &[bytes, members] : sizes) {
      FailureOr<TurnResult> size = measure(members, bytes);
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
