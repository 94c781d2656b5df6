//===- Summary.cpp - A simulation for people ------------------------------===//

#include "cclc/IR/StepNames.h"
#include "cclc/Sim/Report.h"
#include "cclc/Support/Decimal.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {
std::string sizeText(uint64_t bytes) {
  constexpr std::pair<uint64_t, const char *> units[] = {
      {1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}};
  for (auto [unit, letter] : units)
    if (bytes >= unit && bytes % unit == 0)
      return std::to_string(bytes / unit) + letter;
  return std::to_string(bytes);
}

/// "  14.1 %".
std::string share(SimTime part, SimTime whole) {
  uint64_t tenths = 0;
  if (whole > SimTime())
    tenths = static_cast<uint64_t>((Wide(part.picoseconds()) * 2000 + whole.picoseconds()) /
                                   (2 * Wide(whole.picoseconds())));
  return formatv("{0,4}.{1} %", tenths / 10, tenths % 10);
}

SimTime total(const CauseTimes &causes) {
  SimTime sum;
  for (SimTime time : causes)
    sum += time;
  return sum;
}

void printCauses(const CauseTimes &causes, raw_ostream &os) {
  for (unsigned c = 0; c < numCauses; ++c)
    os << formatv("  {0,-12}{1}\n", causeName(static_cast<Cause>(c)),
                  share(causes[c], total(causes)));
}

/// The path by cause and by source line, then its segments; of a long one the first
/// and the last.
void printPath(const SizeReport &size, const ExecPlan &plan, raw_ostream &os) {
  const std::vector<PathSegment> &path = size.criticalPath;
  os << formatv("\ncritical path, {0} segments\n", path.size());
  printCauses(size.causesOnPath(), os);

  llvm::MapVector<uint32_t, SimTime> byLine;
  for (const PathSegment &segment : path)
    byLine[plan.steps()[segment.step].loc.index()] += segment.end - segment.begin;
  auto lines = byLine.takeVector();
  std::sort(lines.begin(), lines.end(), [](const auto &a, const auto &b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  os << '\n';
  for (const auto &[loc, time] : ArrayRef(lines).take_front(5))
    os << formatv("  {0}  {1}\n", share(time, total(size.causesOnPath())),
                  plan.info().locate(LocId(loc)));

  constexpr size_t shown = 20;
  os << formatv("\n{0,14} {1,14}  {2,-12}step\n", "from [ns]", "length [ns]", "cause");
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 2 * shown && i == shown) {
      os << formatv("{0,14} {1,14}  {2} more; --json has them all\n", "...", "...",
                    path.size() - 2 * shown);
      i = path.size() - shown;
    }
    const PathSegment &segment = path[i];
    os << formatv("{0,14} {1,14}  {2,-12}{3}  {4}\n", nanosecondsText(segment.begin),
                  nanosecondsText(segment.end - segment.begin), causeName(segment.cause),
                  stepName(plan, segment.threadblock, segment.step),
                  stepLocation(plan, segment.step));
  }
}

void printWhatIf(const SimReport &report, raw_ostream &os) {
  SimTime now = report.sizes.back().time;
  os << formatv("\nwhat if it cost nothing\n{0,14} {1,12}  what\n", "time [ns]", "gain [ns]");
  for (const WhatIf &one : report.whatIf)
    os << formatv("{0,14} {1,12}  {2}{3}\n", nanosecondsText(one.time),
                  nanosecondsText(now - one.time), one.what,
                  one.override.empty() ? "" : "  (--set " + one.override + ")");
}
} // namespace

void cclc::printSummary(const SimReport &report, const BoundPlan &bound, raw_ostream &os) {
  const ProgramInfo &info = bound.plan.info();
  os << info.name << ": " << collectiveName(info.collective.kind()) << " over "
     << bound.plan.ranks() << " ranks on " << report.target << ", network " << report.network
     << ", " << report.slots.phrase() << ", " << dataTypeName(report.type) << ' '
     << reduceOpName(report.op) << "\n\n";
  os << formatv("{0,10} {1,14} {2,12} {3,12} {4,10} {5,8}", "bytes", "time [ns]", "alg [GB/s]",
                "bus [GB/s]", "messages", "data")
     << '\n';
  for (const SizeReport &size : report.sizes)
    os << formatv("{0,10} {1,14} {2,12} {3,12} {4,10} {5,8}", sizeText(size.bytes.count()),
                  nanosecondsText(size.time), gigabytesText(size.algorithmBandwidth),
                  gigabytesText(size.busBandwidth), size.messages,
                  !size.dataOk   ? "-"
                  : *size.dataOk ? "right"
                                 : "WRONG")
       << '\n';
  if (report.sizes.empty())
    return;
  const SizeReport &last = report.sizes.back();
  if (report.repeat > 1)
    os << formatv("\nof {0} runs at {1} the first took {2} ns, each further one {3} ns\n",
                  report.repeat, sizeText(last.bytes.count()), nanosecondsText(last.firstRun),
                  nanosecondsText(last.furtherRun));
  os << "\nat " << sizeText(last.bytes.count()) << ", " << last.pieces
     << (last.pieces == 1 ? " piece" : " pieces") << " a chunk, threadblocks spend\n";
  printCauses(last.causes, os);
  os << "\nbusiest links\n";
  for (const SizeReport::UsedLink &link : ArrayRef(last.links).take_front(5))
    os << formatv("  {0}  {1,12} bytes  {2}\n", share(link.use.busy, last.time),
                  link.use.bytes.count(), bound.machine.linkName(link.link));
  if (!last.criticalPath.empty())
    printPath(last, bound.plan, os);
  if (!report.whatIf.empty())
    printWhatIf(report, os);
}
