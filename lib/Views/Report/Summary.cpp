//===- Summary.cpp - Simulation results as text ---------------------------===//
//
// The head and one row per size are printed as sizes complete, the details of the last size at the
// end: costs, phases, causes, links, lower bound, critical path, what-if. Lists are limited to the
// largest entries; the JSON form has all of them. Shares are rounded with integers, so the output
// is the same on every host.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Summary.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Support/Text.h"
#include "cclc/Views/Report/RunSettings.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <utility>

using namespace cclc;
using llvm::formatv;

namespace {
std::string bytesText(uint64_t bytes) {
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

using Color = raw_ostream::Colors;

constexpr int64_t barWidth = 20;

/// Prints a bar of up to barWidth characters, in colour if \p os supports it. Returns its length.
int64_t printBar(raw_ostream &os, SimTime part, SimTime whole, Color color) {
  int64_t length = 0;
  if (whole > SimTime())
    length = int64_t((Wide(part.picoseconds()) * 2 * barWidth + whole.picoseconds()) /
                     (2 * Wide(whole.picoseconds())));
  length = std::min(length, barWidth);
  os.changeColor(color);
  os << std::string(length, '#');
  os.resetColor();
  return length;
}

void printWideBar(raw_ostream &os, SimTime part, SimTime whole, Color color) {
  int64_t length = printBar(os, part, whole, color);
  os << std::string(barWidth - length, ' ');
}

void printHeading(raw_ostream &os, const std::string &text) {
  os.changeColor(Color::SAVEDCOLOR, /*Bold=*/true);
  os << text;
  os.resetColor();
  os << '\n';
}

SimTime total(const CauseTimes &causes) {
  SimTime sum;
  for (SimTime time : causes)
    sum += time;
  return sum;
}

constexpr Color colorOf(Cause cause) {
  switch (cause) {
  case Cause::Engine:
    return Color::GREEN;
  case Cause::Link:
    return Color::BLUE;
  case Cause::Contention:
    return Color::RED;
  case Cause::Slot:
    return Color::MAGENTA;
  default:
    return Color::YELLOW;
  }
}

constexpr Color colorOf(Cost::Kind kind) {
  switch (kind) {
  case Cost::Kind::Launch:
    return colorOf(Cause::Launch);
  case Cost::Kind::Engine:
    return colorOf(Cause::Engine);
  case Cost::Kind::Contention:
    return colorOf(Cause::Contention);
  case Cost::Kind::Slot:
    return colorOf(Cause::Slot);
  default:
    return colorOf(Cause::Link);
  }
}

void printCauses(const CauseTimes &causes, raw_ostream &os) {
  SimTime all = total(causes);
  for (unsigned c = 0; c < numCauses; ++c) {
    auto cause = static_cast<Cause>(c);
    os << formatv("  {0,-12}{1}", causeName(cause), share(causes[c], all));
    if (Wide(causes[c].picoseconds()) * 2 * barWidth >= all.picoseconds() &&
        causes[c] > SimTime()) {
      os << "  ";
      printBar(os, causes[c], all, colorOf(cause));
    }
    os << '\n';
  }
}

/// Prints the three largest costs, with advice.
void printCosts(const SweepResult &report, const ProgramInfo &info, raw_ostream &os) {
  SimTime all;
  for (const Cost &cost : report.costs)
    all += cost.time;
  constexpr size_t shown = 3;
  for (const Cost &cost : ArrayRef(report.costs).take_front(shown)) {
    os << "  " << share(cost.time, all) << "  ";
    printWideBar(os, cost.time, all, colorOf(cost.kind));
    os << formatv("  {0,-20}", costName(cost.kind));
    if (cost.line != LocTable::unknown())
      os << "  " << info.locate(cost.line);
    if (std::string phase = phaseName(info, cost.phase); !phase.empty())
      os << "  (" << printable(phase) << ')';
    os << "\n            " << printable(cost.help) << '\n';
  }
}

void printPhases(const SizeResult &size, raw_ostream &os) {
  if (size.phases.empty())
    return;
  SimTime all;
  for (const PhaseTime &phase : size.phases)
    all += phase.time;
  printHeading(os, "phases on the critical path");
  for (const PhaseTime &phase : size.phases) {
    os << "  " << share(phase.time, all) << "  ";
    printWideBar(os, phase.time, all, Color::BLUE);
    os << formatv("  {0,12} ns  {1}\n", nanosecondsText(phase.time),
                  phase.phase.empty() ? "(outside phases)" : printable(phase.phase));
  }
  os << '\n';
}

/// Prints the need of each memory that has a limit.
void printMemory(const SizeResult &size, raw_ostream &os) {
  bool first = true;
  for (const MemoryNeed &need : size.memory) {
    if (!need.capacity)
      continue;
    if (std::exchange(first, false)) {
      os << '\n';
      printHeading(os, "memory");
    }
    os << formatv("  {0,-6} {1} of {2} bytes on r{3}: slots {4}, scratch {5}, buffers {6}\n",
                  memoryName(need.memory), need.total(), need.capacity->count(), need.rank.index(),
                  need.slots, need.scratch, need.buffers);
  }
}

void printNoise(const SweepResult &report, raw_ostream &os) {
  SimTime now = report.sizes.back().time;
  auto gain = [&](SimTime time) { return nanosecondsText(now - time); };
  os << formatv("\nnoise: resources whose gain falls as they become faster\n"
                "{0,14} {1,12} {2,12} {3,12}  what\n",
                "1 % [ns]", "10 % [ns]", "twice [ns]", "free [ns]");
  for (const WhatIf &one : report.whatIf.noise)
    os << formatv("{0,14} {1,12} {2,12} {3,12}  {4}\n", gain(one.faster->percent),
                  gain(one.faster->tenPercent), gain(one.faster->twice), gain(one.time),
                  printable(one.what));
}

void printWhatIf(const SweepResult &report, raw_ostream &os) {
  SimTime now = report.sizes.back().time;
  auto gain = [&](SimTime time) { return nanosecondsText(now - time); };
  if (!report.whatIf.rows.empty())
    os << formatv("\nwhat if one resource were free, or twice as fast\n"
                  "{0,14} {1,12} {2,12}  what\n",
                  "time [ns]", "gain [ns]", "twice [ns]");
  for (const WhatIf &one : report.whatIf.rows) {
    std::string options = one.options();
    os << formatv("{0,14} {1,12} {2,12}  {3}{4}\n", nanosecondsText(one.time), gain(one.time),
                  one.faster ? gain(one.faster->twice) : "-", printable(one.what),
                  options.empty() ? "" : "  (" + printable(options) + ")");
  }
  for (const WhatIf &one : report.whatIf.rows)
    if (one.what == report.whatIf.best)
      os << formatv("largest gain per percent: {0} ns if 1 % faster, {1} ns if 10 %, {2} ns if "
                    "twice as fast: {3}\n",
                    gain(one.faster->percent), gain(one.faster->tenPercent),
                    gain(one.faster->twice), printable(one.what));
  if (!report.whatIf.noise.empty())
    printNoise(report, os);
}

void printBound(const SizeResult &size, raw_ostream &os) {
  if (!size.bound)
    return;
  const SizeBound &bound = *size.bound;
  if (!bound.capacity) {
    os << formatv("\nno algorithm completes: {0} bytes have no path\n", bound.crossing.count());
    return;
  }
  os << formatv("\nno algorithm takes less than {0} ns, the bound by {1}: {2}\n",
                nanosecondsText(bound.time()), boundName(bound.binds), printable(bound.witness));
  os << formatv("{0:F1} % of the {1} bound", 100 * bound.shareOf(size.time), bound.title());
  if (!StringRef(bound.witness).starts_with(bound.cut))
    os << "; tightest cut: " << printable(bound.cut);
  os << '\n';
}
} // namespace

void cclc::printHead(const SweepResult &report, const ProgramInfo &info, const PlanOnMachine &bound,
                     raw_ostream &os) {
  os << printable(info.name) << ": " << collectiveName(info.collective.kind()) << " over "
     << info.ranks() << " ranks on " << printable(report.target.title());
  if (!isPlacedInOrder(bound)) {
    constexpr size_t longest = 40;
    std::string endpoints = endpointsText(bound);
    if (endpoints.size() > longest)
      endpoints = endpoints.substr(0, endpoints.rfind(',', longest)) + ",...";
    os << " at endpoints " << endpoints;
  }
  os << ", network " << report.network << ", " << report.slots.phrase();
  if (bound.machine.hasProtocols())
    os << ", " << protocolName(info.protocol);
  os << ", " << dataTypeName(report.type) << ' ' << reduceOpName(report.op);
  if (report.repeat > 1)
    os << ", " << report.repeat << " runs";
  os << report.conditions.phrase() << "\n\n";
  printHeading(os, formatv("{0,10} {1,14} {2,12} {3,12} {4,10} {5,8} {6,14}", "bytes", "time [ns]",
                           "alg [GB/s]", "bus [GB/s]", "messages", "data", "bound [ns]"));
}

void cclc::printRow(const SizeResult &size, raw_ostream &os) {
  os << formatv("{0,10} {1,14} {2,12} {3,12} {4,10} ", bytesText(size.bytes.count()),
                nanosecondsText(size.time), gigabytesText(size.algorithmBandwidth),
                gigabytesText(size.busBandwidth), size.messages);
  if (size.dataOk)
    os.changeColor(*size.dataOk ? Color::GREEN : Color::RED, /*Bold=*/!*size.dataOk);
  os << formatv("{0,8}", !size.dataOk ? "-" : *size.dataOk ? "right" : "WRONG");
  os.resetColor();
  os << formatv(" {0,14}\n", size.bound ? nanosecondsText(size.bound->time()) : "-");
}

/// "r3 tb1 step 4 (rrc)".
static std::string segmentName(ShownPlan plan, const PathSegment &segment) {
  const Threadblock tb = plan.threadblock(segment.threadblock);
  return formatv("r{0} tb{1} step {2} ({3})", tb.rank.index(),
                 plan.localId(segment.threadblock).index(), segment.step - tb.firstStep,
                 traits(plan.step(segment.step).op).mnemonic);
}

/// Prints the path by cause and by source line, then its segments, of a long path only the first
/// and the last ones.
void cclc::printPath(const SizeResult &size, ShownPlan plan, StringRef title, SimTime start,
                     raw_ostream &os) {
  const std::vector<PathSegment> &path = size.criticalPath;
  os << formatv("\n{0}, {1}\n", title, counted(path.size(), "segment"));
  printCauses(size.causesOnPath(), os);

  llvm::MapVector<uint32_t, SimTime> byLine;
  for (const PathSegment &segment : path)
    byLine[plan.step(segment.step).loc.index()] += segment.end - segment.begin;
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
    os << formatv("{0,14} {1,14}  {2,-12}{3}  {4}\n", nanosecondsText(start + segment.begin),
                  nanosecondsText(segment.end - segment.begin), causeName(segment.cause),
                  segmentName(plan, segment), plan.locate(segment.step));
  }
}

void cclc::printDetails(const SweepResult &report, const PlanOnMachine &bound, raw_ostream &os) {
  const ProgramInfo &info = bound.shown.info();
  if (report.sizes.empty())
    return;
  const SizeResult &last = report.sizes.back();
  if (report.repeat > 1)
    os << formatv("\nof {0} runs at {1} the first took {2} ns, each further one {3} ns\n",
                  report.repeat, bytesText(last.bytes.count()), nanosecondsText(last.firstRun),
                  nanosecondsText(last.furtherRun));
  std::string at = formatv("at {0}, {1} {2} per chunk: ", bytesText(last.bytes.count()),
                           last.pieces, last.pieces == 1 ? "piece" : "pieces");
  os << '\n';
  if (!report.costs.empty()) {
    printHeading(os, at + "critical path by cause");
    printCosts(report, info, os);
    at.clear();
    os << '\n';
    printPhases(last, os);
  }
  printHeading(os, at + "threadblock time by cause");
  printCauses(last.causes, os);
  os << '\n';
  printHeading(os, "busiest links");
  for (const SizeResult::UsedLink &link : ArrayRef(last.links).take_front(5)) {
    os << "  " << share(link.use.busy, last.time) << "  ";
    printWideBar(os, link.use.busy, last.time, Color::BLUE);
    os << formatv("  {0,12} bytes  {1}\n", link.use.bytes.count(),
                  printable(bound.machine.linkName(link.link)));
  }
  if (size_t idle = last.presentLinks - last.links.size())
    os << formatv("  {0} of {1} links {2} unused\n", idle, last.presentLinks,
                  idle == 1 ? "is" : "are");
  printMemory(last, os);
  printBound(last, os);
  if (!last.criticalPath.empty())
    printPath(last, bound.shown, "critical path", SimTime(), os);
  printWhatIf(report, os);
}
