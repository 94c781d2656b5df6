//===- JsonWriter.cpp - A comparison as JSON ------------------------------===//
//
// Written as a stream, one difference per line, because unrelated plans have millions of
// differences.
//
//===----------------------------------------------------------------------===//

#include "cclc/Diff/DiffResult.h"

#include "JsonText.h"
#include "cclc/Support/Decimal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using namespace cclc::diff;
using nlohmann::ordered_json;

namespace {
ordered_json orNull(const std::string &text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json orNull(std::optional<uint64_t> number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

ordered_json toJson(const Location &location) {
  if (!location.isKnown())
    return nullptr;
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

ordered_json toJson(const Difference &d) {
  return {{"aspect", aspectName(d.aspect).str()},
          {"rank", d.rank ? ordered_json(d.rank->index()) : ordered_json(nullptr)},
          {"subject", d.subject},
          {"field", orNull(d.field)},
          {"old", orNull(d.before)},
          {"new", orNull(d.after)},
          {"location", toJson(d.location)}};
}

ordered_json toJson(const Figures &figures) {
  ordered_json object;
  for (unsigned f = 0; f < numFigures; ++f)
    object[figureName(static_cast<Figure>(f)).str()] = orNull(figures.values[f]);
  object["verdict"] = verdictName(figures.proof.verdict).str();
  object["reduction_hash"] = nullptr;
  if (figures.proof.reductionHash)
    object["reduction_hash"] = llvm::formatv("{0:x-16}", *figures.proof.reductionHash).str();
  return object;
}

ordered_json toJson(const CauseTimes &causes) {
  ordered_json object;
  for (unsigned c = 0; c < numCauses; ++c)
    object[causeName(static_cast<Cause>(c)).str()] = toNanoseconds(causes[c]);
  return object;
}

ordered_json toJson(const TimeDiff &time) {
  ordered_json row;
  row["bytes"] = time.bytes.count();
  row["target"] = time.target;
  row["dtype"] = dataTypeName(time.type).str();
  row["old_ns"] = toNanoseconds(time.before);
  row["new_ns"] = toNanoseconds(time.after);
  row["old_causes_ns"] = toJson(time.causesBefore);
  row["new_causes_ns"] = toJson(time.causesAfter);
  row["phases"] = ordered_json::array();
  for (const PhaseChange &change : time.phases)
    row["phases"].push_back({{"phase", orNull(change.phase)},
                             {"old_ns", toNanoseconds(change.before)},
                             {"new_ns", toNanoseconds(change.after)}});
  row["path"] = ordered_json::array();
  for (const PathChange &change : time.path)
    row["path"].push_back({{"location", toJson(change.location)},
                           {"cause", causeName(change.cause).str()},
                           {"old_ns", toNanoseconds(change.before)},
                           {"new_ns", toNanoseconds(change.after)}});
  return row;
}

ordered_json toJson(const GateResult &result) {
  auto value = [&](std::optional<uint64_t> v) {
    return v && !result.gate->figure ? ordered_json(toNanoseconds(SimTime(int64_t(*v))))
                                     : orNull(v);
  };
  ordered_json row;
  row["gate"] = result.gate->text;
  if (result.bytes)
    row["bytes"] = result.bytes->count();
  if (!result.where.empty())
    row["where"] = StringRef(result.where).ltrim().str();
  row["old"] = value(result.before);
  row["new"] = value(result.after);
  row["tripped"] = result.tripped;
  return row;
}
} // namespace

void diff::writeJson(const DiffResult &report, raw_ostream &os) {
  auto dumped = [](const ordered_json &json) { return jsonText(json, -1); };
  auto key = [&](const char *name, const ordered_json &value) {
    os << '"' << name << "\": " << dumped(value) << ",\n";
  };
  const PlanDiff &diff = report.diff;
  os << "{\n";
  key("format", "ccl-diff-report");
  key("version", 1);
  key("old", report.oldName);
  key("new", report.newName);
  if (report.converted)
    key("converted", *report.converted);
  key("equivalent", !report.differs());
  key("verdict", verdict(diff, report.strict));
  auto compared = [&](bool same) {
    return diff.ofOperations() ? ordered_json(nullptr) : ordered_json(diff.comparable && same);
  };
  key("same_transfers", compared(diff.transfers.empty()));
  key("same_reductions", compared(diff.reductions.empty()));
  key("renumbered", !diff.numbering.empty());
  key("old_figures", toJson(diff.figuresBefore));
  key("new_figures", toJson(diff.figuresAfter));
  if (report.targets.size() == 1 && report.types.size() == 1) {
    key("target", report.targets.front().name);
    key("dtype", dataTypeName(report.types.front()).str());
    key("target_settings", report.targets.front().settings);
  }
  auto rows = [&](const auto &all) {
    ordered_json array = ordered_json::array();
    for (const auto &row : all)
      array.push_back(toJson(row));
    return array;
  };
  key("times", rows(report.times));
  key("gates", rows(report.gates));
  os << "\"differences\": [";
  const char *separator = "\n";
  forEachDifference(diff, report.strict, [&](const Difference &d) {
    os << separator << dumped(toJson(d));
    separator = ",\n";
  });
  os << "]\n}\n";
}
