//===- Peak.cpp - Rates of all collectives, and shares of them ------------===//
//
// A row has the bound of a collective as time, algorithm and bus bandwidth, as nccl-tests define
// them. Witnesses are long and often the same, so that rows have their numbers. The keys of the
// JSON are part of the contract of the tool: docs/CommandGuide/ccl-bound.md.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Peak.h"

#include "JsonText.h"

#include "cclc/Sim/SweepResult.h"
#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Views/Report/Bounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
constexpr const char *rowFormat =
    "{0,6}  {1}  {2,-13} {3,-8} {4,12} {5,10} {6,10} {7,12} {8,9} {9,12} {10,9}  {11}\n";
constexpr const char *measuredFormat =
    "{0,12}  {1,12} {2,12} {3,10} {4,10} {5,12} {6,10} {7,12} {8,10}  {9}\n";

/// GB/s of \p bytes in \p time; 0 if nothing limits it, or there is no path.
double algorithmRate(Bytes bytes, SimTime time) {
  if (time <= SimTime() || time == SimTime::max())
    return 0;
  return double(bytes.count()) * 1e3 / double(time.picoseconds());
}

double busRate(const Collective &collective, Bytes bytes, SimTime time) {
  auto [numerator, denominator] = busFactor(collective);
  return algorithmRate(bytes, time) * double(numerator) / double(denominator);
}

std::string rateText(double rate) { return rate == 0 ? "-" : formatv("{0:F2}", rate).str(); }

std::string timeText(const std::optional<SimTime> &time) {
  if (time == SimTime::max())
    return "no path";
  return !time || *time == SimTime() ? "-" : microsecondsText(*time);
}

const char *switchText(const std::optional<bool> &operate) {
  return !operate ? "-" : *operate ? "operate" : "forward";
}

std::string shareText(SimTime bound, SimTime time) {
  return formatv("{0:F1} %", 100 * double(bound.picoseconds()) /
                                 double(std::max<int64_t>(time.picoseconds(), 1)));
}

std::string percent(uint32_t perMillion) {
  return trimmed(formatv("{0:F4}", double(perMillion) / 10'000).str());
}

/// What the bounds assume, one sentence a line.
std::vector<std::string> assumptionLines(const PeakTable &table) {
  const PeakAssumptions &of = table.assumptions;
  std::vector<std::string> lines;
  lines.push_back(of.protocol.empty()
                      ? "payload: the whole rate of a link, as the target has no protocols"
                      : formatv("payload: {0} % of the rate of a link, that of {1}",
                                percent(of.payload), of.protocol)
                            .str());
  lines.push_back(of.isDuplex ? "duplex: both directions of a link have its rate at once"
                              : "duplex: links have the rates of the target, which differ by "
                                "direction");
  if (of.switches) {
    const char *does = of.switches->multicasts && of.switches->adds ? "multicast and add"
                       : of.switches->adds                          ? "add"
                                                                    : "multicast";
    std::string payload;
    if (of.switches->efficiency != 1'000'000)
      payload = formatv("; the bounds do not contain the payload of such operations, {0} % of the "
                        "rate of a link",
                        percent(of.switches->efficiency));
    lines.push_back(
        formatv("switches: where they operate they {0}, as the target says{1}", does, payload));
  } else if (of.hasSwitches) {
    lines.push_back("switches: assumed to forward only, as the target has no object 'switch'");
  }
  if (std::string relays = relayText(of.relays); !relays.empty())
    lines.push_back("relays: " + printable(relays) + "; --relay=ranks excludes such routes");
  if (table.network == "ideal")
    lines.push_back("links: no limit, as they have no contention under the network ideal");
  return lines;
}

void printRow(const PeakTable &table, const PeakRow &row, const std::string &place, size_t witness,
              raw_ostream &os) {
  auto bus = [&](SimTime time) { return busRate(row.collective, table.bytes, time); };
  auto busOf = [&](const std::optional<SimTime> &time) { return rateText(time ? bus(*time) : 0); };
  SimTime time = row.bound.time();
  os << formatv(rowFormat, row.collective.ranks(), place,
                collectiveName(row.collective.kind()).data(), switchText(row.switchesOperate),
                timeText(time), rateText(algorithmRate(table.bytes, time)), rateText(bus(time)),
                timeText(row.ring), busOf(row.ring), timeText(row.trees), busOf(row.trees),
                formatv("{0} [{1}]", boundName(row.bound.binds), witness).str());
}

void printMeasured(const MeasuredPeak &measured, raw_ostream &os) {
  os << formatv("\n{0} over {1} ranks, measured by {2} in {3}\n\n",
                collectiveName(measured.collective.kind()).data(), measured.collective.ranks(),
                measured.program, printable(measured.file));
  os << formatv(measuredFormat, "bytes", "buffers", "time", "alg", "bus", "peak", "of peak", "ring",
                "of ring", "binds");
  for (const MeasuredTime &row : measured.rows)
    os << formatv(measuredFormat, row.bytes.count(), row.inPlace ? "in-place" : "out-of-place",
                  microsecondsText(row.time), rateText(algorithmRate(row.bytes, row.time)),
                  rateText(busRate(measured.collective, row.bytes, row.time)),
                  timeText(row.bound.time()), shareText(row.bound.time(), row.time),
                  timeText(row.ring), row.ring ? shareText(*row.ring, row.time) : "-",
                  boundName(row.bound.binds));
}

ordered_json timeOrNull(const std::optional<SimTime> &time) {
  return time && *time != SimTime::max() ? ordered_json(toNanoseconds(*time))
                                         : ordered_json(nullptr);
}

ordered_json rowJson(const PeakTable &table, const PeakRow &row) {
  auto bus = [&](const std::optional<SimTime> &time) {
    return time ? ordered_json(busRate(row.collective, table.bytes, *time)) : ordered_json(nullptr);
  };
  SimTime time = row.bound.time();
  return {{"ranks", row.collective.ranks()},
          {"place", row.place},
          {"collective", std::string(collectiveName(row.collective.kind()))},
          {"switches", switchText(row.switchesOperate)},
          {"bound_ns", timeOrNull(time)},
          {"algbw_gbs", algorithmRate(table.bytes, time)},
          {"busbw_gbs", busRate(row.collective, table.bytes, time)},
          {"ring_ns", timeOrNull(row.ring)},
          {"ring_busbw_gbs", bus(row.ring)},
          {"trees_ns", timeOrNull(row.trees)},
          {"trees_busbw_gbs", bus(row.trees)},
          {"binds", boundName(row.bound.binds).str()},
          {"witness", row.bound.witness}};
}

ordered_json measuredJson(const MeasuredPeak &measured) {
  ordered_json rows = ordered_json::array();
  for (const MeasuredTime &row : measured.rows) {
    auto share = [&](SimTime bound) {
      return double(bound.picoseconds()) / double(std::max<int64_t>(row.time.picoseconds(), 1));
    };
    rows.push_back(
        {{"bytes", row.bytes.count()},
         {"in_place", row.inPlace},
         {"time_ns", toNanoseconds(row.time)},
         {"algbw_gbs", algorithmRate(row.bytes, row.time)},
         {"busbw_gbs", busRate(measured.collective, row.bytes, row.time)},
         {"bound_ns", toNanoseconds(row.bound.time())},
         {"bound_share", share(row.bound.time())},
         {"ring_ns", timeOrNull(row.ring)},
         {"ring_share", row.ring ? ordered_json(share(*row.ring)) : ordered_json(nullptr)},
         {"binds", boundName(row.bound.binds).str()}});
  }
  return {{"file", measured.file},
          {"program", measured.program},
          {"collective", std::string(collectiveName(measured.collective.kind()))},
          {"ranks", measured.collective.ranks()},
          {"results", std::move(rows)}};
}
} // namespace

void cclc::printPeak(const PeakTable &table, raw_ostream &os) {
  os << formatv("peak of {0} at {1} bytes, network {2}; times in us, rates in GB/s\n\n",
                printable(table.target), table.bytes.count(), table.network);
  size_t width = 2;
  for (const PeakRow &row : table.rows)
    width = std::max(width, row.place.size());
  auto placed = [&](std::string text) {
    text.resize(width, ' ');
    return text;
  };
  os << formatv(rowFormat, "ranks", placed("on"), "collective", "switches", "time", "alg", "bus",
                "ring", "bus", "trees", "bus", "binds");
  std::vector<std::string> witnesses;
  for (const PeakRow &row : table.rows) {
    auto at = llvm::find(witnesses, row.bound.witness);
    size_t number = at - witnesses.begin();
    if (at == witnesses.end())
      witnesses.push_back(row.bound.witness);
    printRow(table, row, placed(row.place), number + 1, os);
  }
  os << '\n';
  for (auto [number, witness] : llvm::enumerate(witnesses))
    os << formatv("[{0}] {1}\n", number + 1, witness.empty() ? "nothing" : printable(witness));
  os << '\n';
  for (const std::string &line : assumptionLines(table))
    os << line << '\n';
  if (table.measured)
    printMeasured(*table.measured, os);
}

void cclc::writePeakJson(const PeakTable &table, raw_ostream &os) {
  const PeakAssumptions &of = table.assumptions;
  ordered_json document;
  document["version"] = 1;
  document["target"] = table.target;
  document["network"] = table.network;
  document["bytes"] = table.bytes.count();
  document["assumptions"] = {
      {"payload", double(of.payload) / 1e6},
      {"protocol", of.protocol.empty() ? ordered_json(nullptr) : ordered_json(of.protocol)},
      {"duplex", of.isDuplex},
      {"switches_multicast", of.switches && of.switches->multicasts},
      {"switches_add", of.switches && of.switches->adds},
      {"relays", of.relays}};
  document["results"] = ordered_json::array();
  for (const PeakRow &row : table.rows)
    document["results"].push_back(rowJson(table, row));
  document["measured"] = table.measured ? measuredJson(*table.measured) : ordered_json(nullptr);
  os << jsonText(document) << '\n';
}
