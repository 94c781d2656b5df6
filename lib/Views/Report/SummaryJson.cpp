//===- SummaryJson.cpp - Simulation results as JSON -----------------------===//
//
// One document with the complete SweepResult; docs/CommandGuide/ccl-sim.md documents the keys.
// Times are nanoseconds as exact decimals.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/RunSettings.h"

#include "JsonText.h"
#include "cclc/Views/Report/Summary.h"

#include "cclc/Support/Decimal.h"

#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using nlohmann::ordered_json;

namespace {
double gbs(uint64_t rate) { return double(rate) / 1e9; }

ordered_json toJson(const CauseTimes &causes) {
  ordered_json object;
  for (unsigned c = 0; c < numCauses; ++c)
    object[causeName(static_cast<Cause>(c)).str()] = toNanoseconds(causes[c]);
  return object;
}

ordered_json orNull(const std::string &text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

std::string locationText(const Location &loc) {
  std::string text;
  llvm::raw_string_ostream(text) << loc;
  return text;
}

ordered_json toJson(const MemoryNeed &need) {
  return {
      {"memory", memoryName(need.memory).str()},
      {"rank", need.rank.index()},
      {"bytes", need.total()},
      {"capacity", need.capacity ? ordered_json(need.capacity->count()) : ordered_json(nullptr)},
      {"slots", need.slots},
      {"scratch", need.scratch},
      {"buffers", need.buffers}};
}

ordered_json toJson(const PathSegment &segment, ShownPlan plan) {
  const Threadblock tb = plan.threadblock(segment.threadblock);
  return {{"cause", causeName(segment.cause).str()},
          {"from_ns", toNanoseconds(segment.begin)},
          {"length_ns", toNanoseconds(segment.end - segment.begin)},
          {"rank", tb.rank.index()},
          {"tb", plan.localId(segment.threadblock).index()},
          {"step", segment.step - tb.firstStep},
          {"op", traits(plan.step(segment.step).op).mnemonic},
          {"trip", segment.trip},
          {"phase", orNull(phaseName(plan.info(), plan.step(segment.step).phase))},
          {"location", locationText(plan.locate(segment.step))}};
}

ordered_json pathJson(const SizeResult &size, ShownPlan plan) {
  ordered_json path = {{"causes_ns", toJson(size.causesOnPath())},
                       {"segments", ordered_json::array()}};
  for (const PathSegment &segment : size.criticalPath)
    path["segments"].push_back(toJson(segment, plan));
  return path;
}

ordered_json toJson(const SizeResult &size, const PlanOnMachine &bound) {
  ShownPlan plan = bound.shown;
  ordered_json row;
  row["bytes"] = size.bytes.count();
  row["time_ns"] = toNanoseconds(size.time);
  row["algbw_gbs"] = gbs(size.algorithmBandwidth);
  row["busbw_gbs"] = gbs(size.busBandwidth);
  row["messages"] = size.messages;
  row["steps"] = size.steps;
  row["pieces"] = size.pieces;
  row["data_ok"] = size.dataOk ? ordered_json(*size.dataOk) : ordered_json(nullptr);
  row["first_run_ns"] = toNanoseconds(size.firstRun);
  row["further_run_ns"] = toNanoseconds(size.furtherRun);
  row["causes_ns"] = toJson(size.causes);
  if (!size.phases.empty())
    row["phases"] = ordered_json::array();
  for (const PhaseTime &phase : size.phases)
    row["phases"].push_back(
        {{"phase", orNull(phase.phase)}, {"time_ns", toNanoseconds(phase.time)}});
  row["links"] = ordered_json::array();
  for (const SizeResult::UsedLink &link : size.links) {
    Bandwidth rate = bound.machine.link(link.link).bandwidth;
    Wide waiting = Wide(link.use.longestWait.picoseconds()) * rate.bytesPerSecond();
    row["links"].push_back(
        {{"link", bound.machine.linkName(link.link)},
         {"bytes", link.use.bytes.count()},
         {"busy_ns", toNanoseconds(link.use.busy)},
         {"busy_share",
          size.time > SimTime() ? toNanoseconds(link.use.busy) / toNanoseconds(size.time) : 0},
         {"longest_wait_ns", toNanoseconds(link.use.longestWait)},
         {"peak_queue_bytes", uint64_t(waiting / 1'000'000'000'000)}});
  }
  row["memory"] = ordered_json::array();
  for (const MemoryNeed &need : size.memory)
    row["memory"].push_back(toJson(need));
  row["links_total"] = size.presentLinks;
  row["links_idle"] = size.presentLinks - size.links.size();
  row["threadblocks"] = ordered_json::array();
  for (uint32_t t = 0; t < size.threadblocks.size(); ++t)
    row["threadblocks"].push_back({{"rank", plan.threadblock(t).rank.index()},
                                   {"tb", plan.localId(t).index()},
                                   {"causes_ns", toJson(size.threadblocks[t])}});
  if (size.bound) {
    const SizeBound &limit = *size.bound;
    row["bound"] = {{"bound_ns", toNanoseconds(limit.time())},
                    {"binds", boundName(limit.binds).str()},
                    {"witness", limit.witness},
                    {"throughput_ns", toNanoseconds(limit.throughput)},
                    {"volume_ns", toNanoseconds(limit.volume)},
                    {"latency_ns", toNanoseconds(limit.latency)},
                    {"engine_ns", toNanoseconds(limit.engine)},
                    {"memory_ns", toNanoseconds(limit.memory)},
                    {"protocol_ns", toNanoseconds(limit.protocol)}};
    row["bound_share"] = limit.shareOf(size.time);
    // Deprecated: the name of the bound before it was computed from all cuts.
    if (!limit.cut.empty())
      row["cut_bound"] = {{"cut", limit.cut},
                          {"capacity_gbs", limit.capacity
                                               ? ordered_json(gbs(limit.capacity->bytesPerSecond()))
                                               : ordered_json()},
                          {"bytes", limit.crossing.count()},
                          {"time_ns", toNanoseconds(limit.throughput)}};
  }
  if (!size.criticalPath.empty())
    row["critical_path"] = pathJson(size, plan);
  return row;
}

void addWhatIf(const SweepResult &report, ordered_json &document) {
  auto rows = [](ArrayRef<WhatIf> all) {
    ordered_json list = ordered_json::array();
    for (const WhatIf &one : all) {
      auto faster = [&](SimTime WhatIf::Faster::*time) {
        return one.faster ? ordered_json(toNanoseconds(*one.faster.*time)) : nullptr;
      };
      list.push_back({{"what", one.what},
                      {"set", one.settings.empty()       ? ordered_json(nullptr)
                              : one.settings.size() == 1 ? ordered_json(one.settings.front())
                                                         : ordered_json(one.settings)},
                      {"time_ns", toNanoseconds(one.time)},
                      {"twice_ns", faster(&WhatIf::Faster::twice)},
                      {"ten_percent_ns", faster(&WhatIf::Faster::tenPercent)},
                      {"percent_ns", faster(&WhatIf::Faster::percent)}});
    }
    return list;
  };
  document["what_if"] = rows(report.whatIf.rows);
  document["what_if_noise"] = rows(report.whatIf.noise);
  document["what_if_best"] =
      report.whatIf.best.empty() ? ordered_json(nullptr) : ordered_json(report.whatIf.best);
}

void addAdvice(const SweepResult &report, ordered_json &document) {
  SimTime now = report.sizes.back().time;
  document["advice"] = ordered_json::array();
  for (const Advice &advice : report.advice.rows)
    document["advice"].push_back(
        {{"cause", advice.cause},
         {"action", advice.action},
         {"tool", advice.tool == Advice::Tool::Simulator ? "ccl-sim" : "cclc"},
         {"change", advice.change},
         {"time_ns", toNanoseconds(advice.time)},
         {"gain", toNanoseconds(now - advice.time) / toNanoseconds(now)}});
  document["advice_notes"] = report.advice.notes;
}
} // namespace

void cclc::writePathJson(const SizeResult &size, ShownPlan plan, raw_ostream &os) {
  os << jsonText(pathJson(size, plan));
}

void cclc::writeJson(const SweepResult &report, const PlanOnMachine &bound, raw_ostream &os) {
  const ProgramInfo &info = bound.shown.info();
  ordered_json document;
  document["format"] = "ccl-sim-report";
  document["version"] = 1;
  document["plan"] = info.name;
  document["collective"] = std::string(collectiveName(info.collective.kind()));
  document["ranks"] = bound.shown.ranks();
  document["target"] = report.target.name;
  document["target_settings"] = report.target.settings;
  document["target_hash"] = report.target.hash;
  document["network"] = report.network;
  document["slots"] =
      report.slots.isUnlimited() ? ordered_json("inf") : ordered_json(report.slots.limit());
  document["protocol"] = protocolName(info.protocol).str();
  document["endpoints"] = endpointsText(bound);
  document["dtype"] = dataTypeName(report.type).str();
  document["op"] = reduceOpName(report.op).str();
  document["repeat"] = report.repeat;
  document["skew"] = report.conditions.skew;
  document["schedule"] = orNull(report.conditions.schedule.value_or(""));
  document["complete"] = report.complete;
  if (report.error)
    document["error"] = *report.error;
  document["results"] = ordered_json::array();
  for (const SizeResult &size : report.sizes)
    document["results"].push_back(toJson(size, bound));
  if (!report.costs.empty()) {
    document["costs"] = ordered_json::array();
    for (const Cost &cost : report.costs)
      document["costs"].push_back({{"what", costName(cost.kind).str()},
                                   {"time_ns", toNanoseconds(cost.time)},
                                   {"location", locationText(bound.shown.info().locate(cost.line))},
                                   {"phase", orNull(phaseName(info, cost.phase))},
                                   {"location_ns", toNanoseconds(cost.timeOfLine)},
                                   {"help", cost.help}});
  }
  if (!report.whatIf.rows.empty() || !report.whatIf.noise.empty())
    addWhatIf(report, document);
  if (report.advice.requested)
    addAdvice(report, document);
  os << jsonText(document) << '\n';
}
