//===- Bounds.cpp - A row for each size, then the witness -----------------===//
//
// The keys of the JSON are part of the contract of the tool: docs/CommandGuide/ccl-bound.md.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Bounds.h"

#include "JsonText.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
std::string orDash(SimTime time) { return time == SimTime() ? "-" : microsecondsText(time); }

ordered_json orNull(const std::optional<SimTime> &time) {
  return time ? ordered_json(toNanoseconds(*time)) : ordered_json(nullptr);
}

/// How far a bound without an exhaustive search may be from the best algorithm.
std::string tightness(const LinkBound &bound) {
  const std::optional<double> &gap = bound.paths.gap;
  if (!gap)
    return "not tight: the cuts of groups, halves and single ranks were compared, not all cuts";
  constexpr Bytes large(uint64_t(1) << 40); // so that rounding does not matter
  double paths = *gap * double(bound.pathTime(large).picoseconds());
  double permille = 1000 * (paths / double(bound.time(large).picoseconds()) - 1);
  return formatv("ideal paths through ranks and switches take at most {0:f1} % longer than the "
                 "throughput bound",
                 (std::max(std::ceil(permille - 1e-6), 0.0) + 0.0) / 10);
}

/// Whether the ranks reduce, and there are switches that could do it for them.
bool mightAddInSwitches(const BoundTable &table) {
  return table.machine->nodes().size() > table.machine->numEndpoints() &&
         reduces(table.collective.kind());
}

bool switchesAdd(const BoundTable &table) {
  return table.machine->switches && table.machine->switches->adds;
}

std::string shortList(ArrayRef<std::string> names) {
  constexpr size_t most = 8;
  std::string text = llvm::join(names.take_front(most), ", ");
  return names.size() > most ? formatv("{0} and {1} more", text, names.size() - most).str() : text;
}

void printNotes(const BoundTable &table, raw_ostream &os) {
  const CollectiveBound &bounds = table.bounds;
  if (!table.rows.empty() && !table.rows.back().bound.witness.empty())
    os << formatv("\nat {0} bytes, {1} binds: {2}\n", table.rows.back().bytes.count(),
                  boundName(table.rows.back().bound.binds),
                  printable(table.rows.back().bound.witness));
  const Machine &machine = *table.machine;
  if (table.slotSize && !table.rows.empty() && table.rows.back().bound.memory != SimTime())
    os << formatv("memory bound of slots of {0} bytes, those of the {1}{2}\n",
                  table.slotSize->count(), table.plan ? "plan" : "target",
                  !table.plan && machine.hasSlotsOfPlans() && !machine.hasSlotSettings()
                      ? "; plans may choose others"
                      : "");
  bool isCut = !table.rows.empty() &&
               StringRef(table.rows.back().bound.witness).starts_with(bounds.cutText());
  if (!bounds.cutText().empty() && !isCut)
    os << formatv("tightest cut: {0}\n", printable(bounds.cutText()));
  if (std::string relays = relayText(bounds.relays()); !relays.empty())
    os << printable(relays) << "; --relay=ranks excludes such routes\n";
  if (mightAddInSwitches(table))
    os << (switchesAdd(table) ? "switches add, as the target says\n"
                              : "switches are assumed not to add\n");
  if (bounds.isPartial())
    os << "partial: the time limit has ended the search, and bounds may be missing, or larger "
          "without it\n";
  if (table.network == "ideal")
    os << "no link bound: links have no contention under the network ideal\n";
  else if (!bounds.graph().isRouted())
    os << "the links of all routes were too many to collect: the cut is one of all links\n";
  else if (!bounds.link().cut.exact)
    os << tightness(bounds.link()) << '\n';
  if (table.rows.empty() || !table.rows.back().bound.twoPhases)
    return;
  os << formatv("reduce-scatter and all-gather in sequence: {0} us\n",
                microsecondsText(*table.rows.back().bound.twoPhases));
}
} // namespace

std::string cclc::relayText(ArrayRef<std::string> relays) {
  if (relays.empty())
    return "";
  return formatv("routes pass {0}, which {1}", shortList(relays),
                 relays.size() == 1 ? "is no rank" : "are no ranks");
}

void cclc::printBounds(const BoundTable &table, raw_ostream &os) {
  os << formatv("{0} over {1} ranks on {2}, network {3}",
                collectiveName(table.collective.kind()).data(), table.collective.ranks(),
                printable(table.machine->stamp.title()), table.network);
  if (table.plan)
    os << ", plan " << printable(*table.plan);
  os << "; times in us\n\n";
  os << formatv("{0,12} {1,12} {2,12} {3,10} {4,12} {5,12} {6,12} {7,12}  {8}", "bytes",
                "throughput", "volume", "latency", "engine", "memory", "protocol", "bound",
                "binds");
  if (table.plan)
    os << formatv("{0,12} {1,8}", "time", "share");
  os << '\n';
  for (const BoundRow &row : table.rows) {
    const SizeBound &bound = row.bound;
    os << formatv("{0,12} {1,12} {2,12} {3,10} {4,12} {5,12} {6,12} {7,12}  {8}", row.bytes.count(),
                  orDash(bound.throughput), orDash(bound.volume), orDash(bound.latency),
                  orDash(bound.engine), orDash(bound.memory), orDash(bound.protocol),
                  microsecondsText(bound.time()), boundName(bound.binds));
    if (row.planTime)
      os << std::string(11 - std::min<size_t>(boundName(bound.binds).size(), 11), ' ')
         << formatv("{0,12} {1,6} %", microsecondsText(*row.planTime),
                    formatv("{0:F1}", 100 * bound.shareOf(*row.planTime)).str());
    os << '\n';
  }
  printNotes(table, os);
}

void cclc::writeBoundsJson(const BoundTable &table, raw_ostream &os) {
  const CollectiveBound &bounds = table.bounds;
  const RatioCut &cut = bounds.link().cut;
  ordered_json document;
  document["version"] = 1;
  document["target"] = table.machine->stamp.title();
  document["network"] = table.network;
  document["collective"] = std::string(collectiveName(table.collective.kind()));
  document["ranks"] = table.collective.ranks();
  if (table.collective.isRooted())
    document["root"] = table.collective.root().index();
  if (table.plan)
    document["plan"] = *table.plan;
  document["slot_size"] = nullptr;
  if (table.slotSize)
    document["slot_size"] = table.slotSize->count();
  if (mightAddInSwitches(table))
    document["switches_add"] = switchesAdd(table);
  if (std::vector<std::string> relays = bounds.relays(); !relays.empty())
    document["relays"] = relays;
  if (bounds.isPartial())
    document["partial"] = true;
  document["tight"] = bounds.link().isTight && bounds.isExact();
  document["rounds"] = bounds.rounds();
  document["cut"] = nullptr;
  if (!bounds.cutText().empty())
    document["cut"] = {{"witness", bounds.cutText()},
                       {"capacity_gbs", double(cut.capacity->bytesPerSecond()) / 1e9},
                       {"buffers", double(cut.weight) / double(bounds.link().parts)},
                       {"links", bounds.cutLinks()}};
  document["paths"] = nullptr;
  if (const PathBound &paths = bounds.link().paths; !paths.lengths.empty()) {
    document["paths"] = {{"needed", double(paths.needed) / double(bounds.link().parts)},
                         {"offered_gbs", double(paths.offered) / 1e9},
                         {"gap", paths.gap ? ordered_json(*paths.gap) : ordered_json(nullptr)},
                         {"lengths", ordered_json::object()}};
    for (const auto &[link, length] : bounds.pathLengths())
      document["paths"]["lengths"][link] = length;
  }
  document["results"] = ordered_json::array();
  for (const BoundRow &row : table.rows) {
    const SizeBound &bound = row.bound;
    ordered_json result = {{"bytes", row.bytes.count()},
                           {"throughput_ns", toNanoseconds(bound.throughput)},
                           {"volume_ns", toNanoseconds(bound.volume)},
                           {"rs_ag_ns", orNull(bound.twoPhases)},
                           {"latency_ns", toNanoseconds(bound.latency)},
                           {"engine_ns", toNanoseconds(bound.engine)},
                           {"memory_ns", toNanoseconds(bound.memory)},
                           {"protocol_ns", toNanoseconds(bound.protocol)},
                           {"bound_ns", toNanoseconds(bound.time())},
                           {"binds", boundName(bound.binds).str()},
                           {"witness", bound.witness}};
    if (row.planTime) {
      result["time_ns"] = toNanoseconds(*row.planTime);
      result["bound_share"] = bound.shareOf(*row.planTime);
    }
    document["results"].push_back(std::move(result));
  }
  os << jsonText(document) << '\n';
}
