//===- SweepResult.cpp - Results of a run for reports ---------------------===//
//
// Divides sums over several runs by their number, and derives bandwidths. Bus bandwidth is
// defined as in nccl-tests (doc/PERFORMANCE.md): algorithm bandwidth times 2(n-1)/n for
// AllReduce, (n-1)/n where each rank keeps its own part, 1 otherwise.
//
//===----------------------------------------------------------------------===//

#include "cclc/Sim/SweepResult.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace cclc;

std::pair<uint64_t, uint64_t> cclc::busFactor(const Collective &collective) {
  uint64_t n = collective.ranks();
  switch (collective.kind()) {
  case CollectiveKind::AllReduce:
    return {2 * (n - 1), n};
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    return {n - 1, n};
  default:
    return {1, 1};
  }
}

CauseTimes SizeResult::causesOnPath() const {
  CauseTimes sum{};
  for (const PathSegment &segment : criticalPath)
    sum[static_cast<size_t>(segment.cause)] += segment.end - segment.begin;
  return sum;
}

std::string WhatIf::options() const {
  constexpr size_t readable = 3;
  if (settings.empty() || settings.size() > readable)
    return "";
  return "--set " + llvm::join(settings, " --set ");
}

bool WhatIf::isMonotone(SimTime normal) const {
  return !faster || (normal >= faster->percent && faster->percent >= faster->tenPercent &&
                     faster->tenPercent >= faster->twice);
}

SizeResult cclc::makeSizeResult(const PlanOnMachine &plan, const Sizing &sizing, SimResult result,
                                uint32_t repeat) {
  auto ofOneRun = [&](SimTime time) { return SimTime(time.picoseconds() / repeat); };
  SizeResult report{};
  report.bytes = sizing.requested;
  report.pieces = sizing.pieces;
  report.memory = memoryOf(plan, sizing);
  report.time = ofOneRun(result.time);
  report.firstRun = repeat > 1 ? result.firstRun : result.time;
  report.furtherRun = repeat > 1
                          ? SimTime((result.time - result.firstRun).picoseconds() / (repeat - 1))
                          : result.time;
  report.algorithmBandwidth = averageRate(sizing.requested, report.time);
  auto [numerator, denominator] = busFactor(plan.shown.info().collective);
  report.busBandwidth = report.algorithmBandwidth * numerator / denominator;
  report.messages = result.messages / repeat;
  report.steps = result.steps / repeat;
  for (const CauseTimes &causes : result.causes)
    for (unsigned c = 0; c < numCauses; ++c)
      report.causes[c] += causes[c];
  for (SimTime &time : report.causes)
    time = ofOneRun(time);
  for (uint32_t l = 0; l < result.links.size(); ++l) {
    const LinkUse &use = result.links[l];
    if (use.bytes > Bytes())
      report.links.push_back(
          {LinkId(l), {Bytes(use.bytes.count() / repeat), ofOneRun(use.busy), use.longestWait}});
  }
  report.presentLinks =
      llvm::count_if(plan.machine.links(), [](const Link &link) { return link.present; });
  std::sort(report.links.begin(), report.links.end(), [](const auto &a, const auto &b) {
    return a.use.busy != b.use.busy ? a.use.busy > b.use.busy : a.link < b.link;
  });
  report.threadblocks = std::move(result.causes);
  report.phases = phaseTimes(result.criticalPath, plan.shown);
  for (PhaseTime &phase : report.phases)
    phase.time = ofOneRun(phase.time);
  report.criticalPath = std::move(result.criticalPath);
  return report;
}
