//===- Failures.cpp - A row for each class of failures --------------------===//
//
// The row has the number of parts and the first of them; the JSON names all. The keys of the JSON
// are part of the contract of the tool: docs/CommandGuide/ccl-bound.md.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/Report/Failures.h"

#include "JsonText.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Printable.h"
#include "cclc/Views/Report/Bounds.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

namespace {
bool hasPlan(const SizeBound &bound) { return bound.time() != SimTime::max(); }

/// "+11.1 %", or "-" if nothing limits the collective.
std::string changeText(const SizeBound &before, const SizeBound &after) {
  if (before.time() == SimTime() || !hasPlan(after))
    return "-";
  double from = double(before.time().picoseconds()), to = double(after.time().picoseconds());
  return formatv("{0}{1:F1} %", to < from ? "" : "+", 100 * (to - from) / from);
}

std::string causeText(const FailureRow &row) {
  if (!hasPlan(row.bound))
    return row.bound.witness;
  if (row.bound.time() == SimTime())
    return "-";
  std::string text = formatv("{0}: {1}", boundName(row.bound.binds), row.bound.witness);
  std::string relays = relayText(row.relays);
  return relays.empty() ? text : text + "; " + relays;
}
} // namespace

void cclc::printFailures(const FailureTable &table, raw_ostream &os) {
  os << formatv(
      "{0} over {1} ranks on {2} without one {3}, at {4} bytes, network {5}; times in us\n\n",
      collectiveName(table.collective.kind()).data(), table.collective.ranks(),
      printable(table.target),
      table.without == PartKind::Nic ? "NIC" : partNames[size_t(table.without)],
      table.bytes.count(), table.network);
  size_t width = 7;
  for (const FailureRow &row : table.rows)
    width = std::max(width, printable(row.parts.front()).size());
  auto padded = [&](std::string name) {
    name.resize(std::max(width, name.size()), ' ');
    return name;
  };
  constexpr const char *format = "{0,6} {1,12} {2,12} {3,9}  {4}  {5}\n";
  os << formatv(format, "parts", "before", "after", "change", padded("without"), "binds");
  for (const FailureRow &row : table.rows)
    os << formatv(format, row.parts.size(), microsecondsText(table.before.time()),
                  hasPlan(row.bound) ? microsecondsText(row.bound.time()) : "no plan",
                  changeText(table.before, row.bound), padded(printable(row.parts.front())),
                  printable(causeText(row)));
  bool hasRelays =
      llvm::any_of(table.rows, [](const FailureRow &row) { return !row.relays.empty(); });
  if (hasRelays)
    os << "\n--relay=ranks excludes routes that pass endpoints without a rank\n";
}

void cclc::writeFailuresJson(const FailureTable &table, raw_ostream &os) {
  ordered_json document;
  document["version"] = 1;
  document["target"] = table.target;
  document["network"] = table.network;
  document["collective"] = std::string(collectiveName(table.collective.kind()));
  document["ranks"] = table.collective.ranks();
  if (table.collective.isRooted())
    document["root"] = table.collective.root().index();
  document["without"] = partNames[size_t(table.without)];
  document["relay"] = table.relays ? "any" : "ranks";
  document["bytes"] = table.bytes.count();
  document["before_ns"] = toNanoseconds(table.before.time());
  document["binds"] = boundName(table.before.binds).str();
  document["witness"] = table.before.witness;
  document["results"] = ordered_json::array();
  for (const FailureRow &row : table.rows) {
    bool plan = hasPlan(row.bound);
    document["results"].push_back(
        {{"parts", row.parts},
         {"after_ns", plan ? ordered_json(toNanoseconds(row.bound.time())) : ordered_json(nullptr)},
         {"binds", plan ? ordered_json(boundName(row.bound.binds).str()) : ordered_json(nullptr)},
         {"witness", row.bound.witness},
         {"relays", row.relays}});
  }
  os << jsonText(document) << '\n';
}
