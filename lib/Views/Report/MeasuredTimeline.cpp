//===- MeasuredTimeline.cpp - Reading the timeline of a trace -------------===//
//
// The reader of MeasuredTrace.cpp. A trace may have a predicted timeline as well, whose processes
// have other names.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/MeasuredTimeline.h"

#include "JsonText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <map>

using namespace cclc;
using llvm::formatv;
using nlohmann::json;

namespace {
class Reader {
public:
  Reader(const json &events, const ExecPlan &plan) : plan(plan), slices(threadblocks()) {
    for (const json &event : events)
      if (event.at("ph") == "M")
        readName(event);
    for (const json &event : events)
      if (event.at("ph") == "X")
        readSlice(event);
  }

  /// Whether the trace has every step of the plan, in its order, once for each piece.
  bool fits() const {
    for (uint32_t t = 0; t < threadblocks(); ++t) {
      uint64_t executed = 0, steps = plan.threadblocks()[t].numSteps;
      for (const Slice &slice : slices[t])
        if (slice.wait.empty() && (executed++ % steps != slice.step))
          return false;
      if (executed != steps * pieces)
        return false;
    }
    return hasRun;
  }

  MeasuredTimeline timeline() {
    MeasuredTimeline result{Bytes(bytes), end, pieces, transport, {}};
    for (uint32_t t = 0; t < threadblocks(); ++t) {
      uint32_t first = plan.threadblocks()[t].firstStep;
      SimTime last;
      StringRef wait;
      for (const Slice &slice : slices[t]) {
        if (!slice.wait.empty()) {
          wait = slice.wait;
          continue;
        }
        if (slice.begin > last)
          result.spans.push_back({t, first + slice.step, slice.piece,
                                  causeOf(wait, last == SimTime()), last, slice.begin});
        SimTime begin = std::max(slice.begin, last);
        last = std::max(slice.end, begin);
        result.spans.push_back({t, first + slice.step, slice.piece, Cause::Engine, begin, last});
        wait = {};
      }
    }
    return result;
  }

private:
  struct Slice {
    SimTime begin, end;
    uint32_t step, piece;
    std::string wait; ///< what it waits for; empty for a step
  };
  using Track = std::pair<uint32_t, uint32_t>; ///< process and thread

  uint32_t threadblocks() const { return uint32_t(plan.threadblocks().size()); }

  static SimTime timeOf(const json &microseconds) {
    return SimTime(uint64_t(std::llround(microseconds.get<double>() * 1e6)));
  }

  static Cause causeOf(StringRef wait, bool isFirst) {
    if (wait == "message")
      return Cause::Link;
    if (wait == "slot")
      return Cause::Slot;
    if (wait == "dependence")
      return Cause::Dependence;
    return isFirst ? Cause::Launch : Cause::Contention;
  }

  void readName(const json &event) {
    const json &args = event.at("args");
    std::string what = event.at("name");
    if (what == "process_name") {
      std::string name = args.at("name");
      StringRef text = name;
      uint32_t rank;
      if (text.consume_front("measured rank ") && !text.getAsInteger(10, rank) &&
          rank < plan.ranks())
        rankOf.emplace(event.at("pid"), rank);
    } else if (what == "thread_sort_index") {
      auto found = rankOf.find(event.at("pid"));
      uint32_t local = args.at("sort_index");
      if (found != rankOf.end() && local < plan.numThreadblocks(RankId(found->second)))
        threadblockOf[{event.at("pid"), event.at("tid")}] =
            plan.firstThreadblock(RankId(found->second)) + local;
    }
  }

  void readSlice(const json &event) {
    const json &args = event.at("args");
    std::string category = event.at("cat");
    StringRef kind = category;
    SimTime begin = timeOf(event.at("ts")), after = begin + timeOf(event.at("dur"));
    if (kind == "run" && args.contains("transport")) {
      hasRun = true;
      end = after;
      bytes = args.at("bytes");
      pieces = args.at("pieces");
      transport = args.at("transport");
      return;
    }
    auto found = threadblockOf.find({event.at("pid"), event.at("tid")});
    if (found == threadblockOf.end())
      return;
    std::string wait = kind.consume_front("wait,") ? kind.str() : "";
    slices[found->second].push_back(
        {begin, after, args.at("step"), args.value("piece", uint32_t(0)), wait});
  }

  const ExecPlan &plan;
  std::vector<std::vector<Slice>> slices; ///< by threadblock
  std::map<uint32_t, uint32_t> rankOf;    ///< by process
  std::map<Track, uint32_t> threadblockOf;
  bool hasRun = false;
  SimTime end;
  uint64_t bytes = 0;
  uint32_t pieces = 0;
  std::string transport;
};
} // namespace

FailureOr<MeasuredTimeline>
cclc::readMeasuredTimeline(const std::string &file, const ExecPlan &plan, DiagnosticEngine &diags) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return diags.error({}, "cannot read '" + file + "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  try {
    Reader reader(parseJson(text).at("traceEvents"), plan);
    if (reader.fits())
      return reader.timeline();
  } catch (const json::exception &) {
    return diags.error({}, formatv("{0} is not a trace of ccl-run", file));
  }
  return diags.error(
      {}, formatv("{0} is not a trace of an execution of plan '{1}'", file, plan.info().name));
}
