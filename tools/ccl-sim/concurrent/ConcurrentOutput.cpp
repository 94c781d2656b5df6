//===- ConcurrentOutput.cpp - Plans at once as text and JSON --------------===//
//
// A row per plan, then the links that carry messages of several plans, the busiest first; the text
// has the first five. The plans that use a link are those that use it when they run alone.
//
//===----------------------------------------------------------------------===//

#include "ConcurrentOutput.h"
#include "JsonText.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Views/Report/RunSettings.h"
#include "cclc/Views/Report/Summary.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
struct SharedLink {
  LinkId link;
  std::vector<uint32_t> plans;
};

/// The links with messages, the busiest first.
std::vector<SharedLink> usedLinks(const ConcurrentReport &report) {
  std::vector<SharedLink> links;
  for (uint32_t l = 0; l < report.links.size(); ++l)
    links.push_back({LinkId(l), {}});
  for (uint32_t p = 0; p < report.plans.size(); ++p)
    for (const SizeResult::UsedLink &used : report.plans[p].alone.links)
      links[used.link.index()].plans.push_back(p);
  auto busy = [&](const SharedLink &link) { return report.links[link.link.index()].busy; };
  llvm::erase_if(links, [&](const SharedLink &link) {
    return report.links[link.link.index()].bytes == Bytes();
  });
  std::sort(links.begin(), links.end(), [&](const SharedLink &a, const SharedLink &b) {
    return busy(a) != busy(b) ? busy(a) > busy(b) : a.link < b.link;
  });
  return links;
}

/// \p part over \p whole in thousandths, rounded.
int64_t ratio(SimTime part, SimTime whole) {
  if (whole == SimTime())
    return 1000;
  return int64_t((Wide(part.picoseconds()) * 2000 + whole.picoseconds()) /
                 (2 * Wide(whole.picoseconds())));
}
} // namespace

/// Prints the busiest links that carry messages of several plans.
static void printSharedLinks(const ConcurrentReport &report, raw_ostream &os) {
  std::vector<SharedLink> links = usedLinks(report);
  llvm::erase_if(links, [](const SharedLink &link) { return link.plans.size() < 2; });
  if (links.empty()) {
    os << "no link carries messages of several plans\n";
    return;
  }
  os << formatv("\n{0} {1} messages of several plans\n", links.size(),
                links.size() == 1 ? "link carries" : "links carry");
  constexpr size_t shown = 5;
  for (const SharedLink &link : ArrayRef(links).take_front(shown)) {
    SmallVector<std::string, 4> names;
    for (uint32_t p : link.plans)
      names.push_back(printable(report.plans[p].title));
    const LinkUse &use = report.links[link.link.index()];
    int64_t tenths = ratio(use.busy, report.end);
    os << formatv("  {0,4}.{1} % {2,14} bytes  {3}: {4}\n", tenths / 10, tenths % 10,
                  use.bytes.count(), printable(report.machine.linkName(link.link)),
                  llvm::join(names, ", "));
  }
}

void cclc::printConcurrent(const ConcurrentReport &report, raw_ostream &os) {
  os << formatv("{0} {1} at once on {2}, network {3}, {4} {5}{6}\n\n", report.plans.size(),
                report.plans.size() == 1 ? "plan" : "plans",
                printable(report.machine.stamp.title()), report.network, dataTypeName(report.type),
                reduceOpName(report.op), report.conditions.phrase());
  os << formatv("{0,14} {1,12} {2,14} {3,14} {4,9} {5,8}  plan\n", "start [ns]", "bytes",
                "alone [ns]", "together [ns]", "slowdown", "data");
  for (const ConcurrentRow &row : report.plans) {
    const std::optional<bool> &right = row.together.dataOk;
    os << formatv("{0,14} {1,12} {2,14} {3,14} {4,9} {5,8}  {6} on {7}\n",
                  nanosecondsText(row.start), row.together.bytes.count(),
                  nanosecondsText(row.alone.time), nanosecondsText(row.together.time),
                  thousandths(ratio(row.together.time, row.alone.time)),
                  !right   ? "-"
                  : *right ? "right"
                           : "WRONG",
                  printable(row.title), endpointsText(row.bound));
  }
  os << '\n';
  for (const ConcurrentRow &row : report.plans)
    if (report.repeat > 1)
      os << formatv("of {0} runs of {1} the first took {2} ns, each further one {3} ns\n",
                    report.repeat, printable(row.title), nanosecondsText(row.together.firstRun),
                    nanosecondsText(row.together.furtherRun));
  os << formatv("the last plan ends at {0} ns\n", nanosecondsText(report.end));
  printSharedLinks(report, os);
  for (const ConcurrentRow &row : report.plans)
    if (!row.together.criticalPath.empty())
      printPath(row.together, row.bound.shown,
                formatv("critical path of {0}{1}", printable(row.title),
                        row.start + row.together.criticalPath.back().end == report.end
                            ? ", which ends last"
                            : "")
                    .str(),
                row.start, os);
}

static double gbs(uint64_t rate) { return double(rate) / 1e9; }

static ordered_json causesJson(const CauseTimes &causes) {
  ordered_json object;
  for (unsigned c = 0; c < numCauses; ++c)
    object[causeName(static_cast<Cause>(c)).str()] = toNanoseconds(causes[c]);
  return object;
}

static ordered_json toJson(const ConcurrentRow &row) {
  const SizeResult &together = row.together;
  const ProgramInfo &info = row.bound.shown.info();
  ordered_json json;
  json["plan"] = row.file;
  json["program"] = info.name;
  json["collective"] = std::string(collectiveName(info.collective.kind()));
  json["ranks"] = row.bound.shown.ranks();
  json["first_rank"] = row.firstRank;
  json["endpoints"] = ordered_json::array();
  for (EndpointId endpoint : row.bound.endpointOf)
    json["endpoints"].push_back(endpoint.index());
  const Slots &slots = row.bound.slots;
  json["slots"] = slots.isUnlimited() ? ordered_json("inf") : ordered_json(slots.limit());
  json["start_ns"] = toNanoseconds(row.start);
  json["bytes"] = together.bytes.count();
  json["time_ns"] = toNanoseconds(together.time);
  json["alone_ns"] = toNanoseconds(row.alone.time);
  json["slowdown"] = double(ratio(together.time, row.alone.time)) / 1000;
  json["algbw_gbs"] = gbs(together.algorithmBandwidth);
  json["busbw_gbs"] = gbs(together.busBandwidth);
  json["messages"] = together.messages;
  json["steps"] = together.steps;
  json["pieces"] = together.pieces;
  json["first_run_ns"] = toNanoseconds(together.firstRun);
  json["further_run_ns"] = toNanoseconds(together.furtherRun);
  json["data_ok"] = together.dataOk ? ordered_json(*together.dataOk) : ordered_json(nullptr);
  json["causes_ns"] = causesJson(together.causes);
  json["alone_causes_ns"] = causesJson(row.alone.causes);
  if (!together.criticalPath.empty()) {
    std::string path;
    llvm::raw_string_ostream stream(path);
    writePathJson(together, row.bound.shown, stream);
    json["critical_path"] = parseOrderedJson(stream.str());
  }
  return json;
}

void cclc::writeConcurrentJson(const ConcurrentReport &report, raw_ostream &os) {
  ordered_json document;
  document["format"] = "ccl-concurrent-report";
  document["version"] = 1;
  document["target"] = report.machine.stamp.name;
  document["target_settings"] = report.machine.stamp.settings;
  document["target_hash"] = report.machine.stamp.hash;
  document["network"] = report.network;
  document["dtype"] = dataTypeName(report.type).str();
  document["op"] = reduceOpName(report.op).str();
  document["repeat"] = report.repeat;
  document["skew"] = report.conditions.skew;
  document["end_ns"] = toNanoseconds(report.end);
  document["results"] = ordered_json::array();
  for (const ConcurrentRow &row : report.plans)
    document["results"].push_back(toJson(row));
  document["links"] = ordered_json::array();
  for (const SharedLink &link : usedLinks(report)) {
    const LinkUse &use = report.links[link.link.index()];
    document["links"].push_back({{"link", report.machine.linkName(link.link)},
                                 {"bytes", use.bytes.count()},
                                 {"busy_ns", toNanoseconds(use.busy)},
                                 {"longest_wait_ns", toNanoseconds(use.longestWait)},
                                 {"results", link.plans}});
  }
  os << jsonText(document) << '\n';
}
