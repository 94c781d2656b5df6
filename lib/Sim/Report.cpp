#include "cclc/Sim/Report.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace cclc;
using llvm::formatv;

namespace {
/// Bus bandwidth over algorithm bandwidth, as a fraction.
std::pair<uint64_t, uint64_t> busFactor(const Collective &collective) {
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

uint64_t rate(uint64_t bytes, SimTime time) {
  if (time <= SimTime())
    return 0;
  return static_cast<uint64_t>(Wide(bytes) * 1'000'000'000'000 / time.picoseconds());
}

/// A number of thousandths: "1678.040".
std::string thousandths(uint64_t n) {
  char text[32];
  std::snprintf(text, sizeof(text), "%llu.%03llu", (unsigned long long)(n / 1000),
                (unsigned long long)(n % 1000));
  return text;
}

std::string gigabytes(uint64_t bytesPerSecond) { return thousandths(bytesPerSecond / 1'000'000); }
std::string nanoseconds(SimTime time) { return thousandths(time.picoseconds()); }

std::string sizeText(uint64_t bytes) {
  constexpr std::pair<uint64_t, const char *> units[] = {
      {1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}};
  for (auto [unit, letter] : units)
    if (bytes >= unit && bytes % unit == 0)
      return std::to_string(bytes / unit) + letter;
  return std::to_string(bytes);
}

/// Tenths of a percent.
uint64_t share(SimTime part, SimTime whole) {
  if (whole <= SimTime())
    return 0;
  return static_cast<uint64_t>((Wide(part.picoseconds()) * 2000 + whole.picoseconds()) /
                               (2 * Wide(whole.picoseconds())));
}

SimTime total(const CauseTimes &causes) {
  SimTime sum;
  for (SimTime time : causes)
    sum += time;
  return sum;
}
} // namespace

SizeReport cclc::makeSizeReport(const BoundPlan &plan, const Sizing &sizing,
                                const SimResult &result, uint32_t repeat) {
  SizeReport report{};
  report.bytes = sizing.requested;
  report.pieces = sizing.pieces;
  report.time = SimTime(result.time.picoseconds() / repeat);
  report.algorithmBandwidth = rate(sizing.requested.count(), report.time);
  auto [numerator, denominator] = busFactor(plan.plan.info().collective);
  report.busBandwidth = report.algorithmBandwidth * numerator / denominator;
  report.messages = result.messages / repeat;
  report.steps = result.steps / repeat;
  for (const CauseTimes &causes : result.causes)
    for (unsigned c = 0; c < numCauses; ++c)
      report.causes[c] += causes[c];
  for (SimTime &time : report.causes)
    time = SimTime(time.picoseconds() / repeat);
  for (uint32_t l = 0; l < result.links.size(); ++l)
    if (result.links[l].bytes > Bytes())
      report.busiest.push_back({LinkId(l), Bytes(result.links[l].bytes.count() / repeat),
                                SimTime(result.links[l].busy.picoseconds() / repeat)});
  std::sort(report.busiest.begin(), report.busiest.end(), [](const auto &a, const auto &b) {
    return a.busy != b.busy ? a.busy > b.busy : a.link < b.link;
  });
  if (report.busiest.size() > 5)
    report.busiest.erase(report.busiest.begin() + 5, report.busiest.end());
  return report;
}

void cclc::printSummary(const SimReport &report, const Machine &machine, raw_ostream &os) {
  os << report.plan << ": " << report.collective << " over " << report.ranks << " ranks on "
     << report.target << ", network " << report.network << ", " << report.slots.phrase() << ", "
     << dataTypeName(report.type) << ' ' << reduceOpName(report.op) << "\n\n";
  os << formatv("{0,10} {1,14} {2,12} {3,12} {4,10} {5,8}", "bytes", "time [ns]", "alg [GB/s]",
                "bus [GB/s]", "messages", "data")
     << '\n';
  for (const SizeReport &size : report.sizes)
    os << formatv("{0,10} {1,14} {2,12} {3,12} {4,10} {5,8}", sizeText(size.bytes.count()),
                  nanoseconds(size.time), gigabytes(size.algorithmBandwidth),
                  gigabytes(size.busBandwidth), size.messages,
                  !size.dataOk   ? "-"
                  : *size.dataOk ? "right"
                                 : "WRONG")
       << '\n';
  if (report.sizes.empty())
    return;
  const SizeReport &last = report.sizes.back();
  os << "\nat " << sizeText(last.bytes.count()) << ", " << last.pieces
     << (last.pieces == 1 ? " piece" : " pieces") << " a chunk, threadblocks spend\n";
  for (unsigned c = 0; c < numCauses; ++c) {
    uint64_t tenths = share(last.causes[c], total(last.causes));
    os << formatv("  {0,-12}{1,4}.{2} %\n", causeName(static_cast<Cause>(c)), tenths / 10,
                  tenths % 10);
  }
  os << "\nbusiest links\n";
  for (const SizeReport::BusyLink &link : last.busiest) {
    uint64_t tenths = share(link.busy, last.time);
    os << formatv("  {0,4}.{1} %  {2,12} bytes  {3}\n", tenths / 10, tenths % 10,
                  link.bytes.count(), machine.linkName(link.link));
  }
}

void cclc::writeJson(const SimReport &report, const Machine &machine, raw_ostream &os) {
  using nlohmann::ordered_json;
  // Picoseconds as nanoseconds and bytes per second as gigabytes: exact decimals up to 2^53.
  auto ns = [](SimTime time) { return double(time.picoseconds()) / 1000; };
  auto gbs = [](uint64_t rate) { return double(rate) / 1e9; };
  ordered_json document;
  document["format"] = "ccl-sim-report";
  document["version"] = 1;
  document["plan"] = report.plan;
  document["collective"] = report.collective;
  document["ranks"] = report.ranks;
  document["target"] = report.target;
  document["network"] = report.network;
  document["slots"] =
      report.slots.isUnlimited() ? ordered_json("inf") : ordered_json(report.slots.limit());
  document["dtype"] = dataTypeName(report.type).str();
  document["op"] = reduceOpName(report.op).str();
  document["results"] = ordered_json::array();
  for (const SizeReport &size : report.sizes) {
    ordered_json row;
    row["bytes"] = size.bytes.count();
    row["time_ns"] = ns(size.time);
    row["algbw_gbs"] = gbs(size.algorithmBandwidth);
    row["busbw_gbs"] = gbs(size.busBandwidth);
    row["messages"] = size.messages;
    row["steps"] = size.steps;
    row["pieces"] = size.pieces;
    row["data_ok"] = size.dataOk ? ordered_json(*size.dataOk) : ordered_json(nullptr);
    ordered_json causes;
    for (unsigned c = 0; c < numCauses; ++c)
      causes[causeName(static_cast<Cause>(c)).str()] = ns(size.causes[c]);
    row["causes_ns"] = std::move(causes);
    row["links"] = ordered_json::array();
    for (const SizeReport::BusyLink &link : size.busiest)
      row["links"].push_back({{"link", machine.linkName(link.link)},
                              {"bytes", link.bytes.count()},
                              {"busy_ns", ns(link.busy)}});
    document["results"].push_back(std::move(row));
  }
  os << document.dump(2) << '\n';
}
