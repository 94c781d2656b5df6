//===- PortfolioFile.cpp - The file of a portfolio ------------------------===//
//
// Keys that a reader does not use are ignored: a portfolio may have more of them than this version.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PortfolioFile.h"

#include "JsonFields.h"

#include "cclc/Formats/PlanFile.h"
#include "cclc/Support/Text.h"
#include "cclc/Target/Runtime.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace cclc;
using llvm::formatv;
using nlohmann::ordered_json;

static constexpr uint64_t portfolioVersion = 1;

namespace {
std::optional<double> numberIfGiven(const JsonValue &object, const char *key) {
  if (!isGiven(object, key))
    return std::nullopt;
  return object[key].get<double>();
}

std::optional<uint64_t> orderOf(const JsonValue &object) {
  if (!isGiven(object, "reduction_order"))
    return std::nullopt;
  uint64_t hash;
  std::string text = object["reduction_order"];
  if (StringRef(text).getAsInteger(16, hash))
    throw Unreadable{formatv("'reduction_order' must be a hexadecimal number, not '{0}'", text)};
  return hash;
}

PortfolioGap gapOf(const JsonValue &object) {
  return {.collective = collectiveOf(object),
          .ranks = countOf<uint32_t>(object, "ranks"),
          .runtime = object.value("runtime", ""),
          .minBytes = countOf<uint64_t>(object, "min_bytes"),
          .maxBytes = countOf<uint64_t>(object, "max_bytes"),
          .reason = object.value("reason", ""),
          .isOfLibrary = object.value("library", false)};
}

PortfolioFileRow rowOf(const JsonValue &object, const std::string &folder) {
  PortfolioFileRow row{.collective = collectiveOf(object),
                       .ranks = countOf<uint32_t>(object, "ranks"),
                       .ranksPerNode = countIfGiven<uint32_t>(object, "ranks_per_node"),
                       .minBytes = countOf<uint64_t>(object, "min_bytes"),
                       .maxBytes = countIfGiven<uint64_t>(object, "max_bytes"),
                       .plan = folder + "/" + object.at("plan").get<std::string>(),
                       .runtime = object.value("runtime", ""),
                       .protocol = object.value("protocol", ""),
                       .command = object.value("command", ""),
                       .multiple = countIfGiven<uint64_t>(object, "multiple").value_or(1),
                       .threadblocks = countIfGiven<uint32_t>(object, "threadblocks"),
                       .channels = countIfGiven<uint32_t>(object, "channels"),
                       .reductionOrder = orderOf(object)};
  if (isGiven(object, "in_place"))
    row.isInPlace = object["in_place"].get<bool>();
  if (!isGiven(object, "points"))
    return row;
  for (const JsonValue &point : object["points"])
    row.points.push_back({countOf<uint64_t>(point, "bytes"), point.at("time_ns").get<double>(),
                          numberIfGiven(point, "bound_share"), point.value("binds", ""),
                          numberIfGiven(point, "measured_ns"), numberIfGiven(point, "library_ns"),
                          numberIfGiven(point, "before_ns"), numberIfGiven(point, "unchanged_ns")});
  return row;
}

PortfolioFailure lostPartsOf(const JsonValue &object, const std::string &folder) {
  PortfolioFailure failure{.collective = collectiveOf(object),
                           .runtime = object.value("runtime", ""),
                           .without = object.at("without").get<std::string>(),
                           .parts = object.at("parts").get<std::vector<std::string>>(),
                           .lost = object.value("lost", "")};
  for (const JsonValue &row : object.value("rows", JsonValue::array()))
    failure.rows.push_back(rowOf(row, folder));
  return failure;
}

template <class T> void setIfGiven(ordered_json &object, const char *key, const T &value) {
  if (value)
    object[key] = *value;
}

ordered_json toJson(const PortfolioFileRow &row) {
  ordered_json object = {{"collective", std::string(collectiveName(row.collective))},
                         {"ranks", row.ranks}};
  setIfGiven(object, "ranks_per_node", row.ranksPerNode);
  setIfGiven(object, "in_place", row.isInPlace);
  object["min_bytes"] = row.minBytes;
  object["max_bytes"] = row.maxBytes ? ordered_json(*row.maxBytes) : ordered_json(nullptr);
  object["plan"] = row.plan;
  if (!row.runtime.empty())
    object["runtime"] = row.runtime;
  object["protocol"] = row.protocol;
  object["command"] = row.command;
  if (row.multiple != 1)
    object["multiple"] = row.multiple;
  setIfGiven(object, "threadblocks", row.threadblocks);
  setIfGiven(object, "channels", row.channels);
  object["points"] = ordered_json::array();
  if (row.reductionOrder)
    object["reduction_order"] = formatv("{0:x-16}", *row.reductionOrder).str();
  for (const PortfolioPoint &point : row.points) {
    ordered_json json = {
        {"bytes", point.bytes},
        {"time_ns", point.nanoseconds},
        {"bound_share", point.boundShare ? ordered_json(*point.boundShare) : ordered_json()}};
    if (!point.binds.empty())
      json["binds"] = point.binds;
    setIfGiven(json, "measured_ns", point.measuredNanoseconds);
    setIfGiven(json, "library_ns", point.libraryNanoseconds);
    setIfGiven(json, "before_ns", point.beforeNanoseconds);
    setIfGiven(json, "unchanged_ns", point.unchangedNanoseconds);
    object["points"].push_back(std::move(json));
  }
  return object;
}

ordered_json toJson(const PortfolioGap &gap) {
  ordered_json object = {{"collective", std::string(collectiveName(gap.collective))},
                         {"ranks", gap.ranks},
                         {"runtime", gap.runtime},
                         {"min_bytes", gap.minBytes},
                         {"max_bytes", gap.maxBytes},
                         {"reason", gap.reason}};
  if (gap.isOfLibrary)
    object["library"] = true;
  return object;
}

ordered_json toJson(const PortfolioFailure &failure) {
  ordered_json object = {{"collective", std::string(collectiveName(failure.collective))},
                         {"runtime", failure.runtime},
                         {"without", failure.without},
                         {"parts", failure.parts}};
  if (!failure.lost.empty())
    object["lost"] = failure.lost;
  for (const PortfolioFileRow &row : failure.rows)
    object["rows"].push_back(toJson(row));
  return object;
}
} // namespace

std::string PortfolioGap::text() const {
  std::string sizes = formatv(minBytes == maxBytes ? "{0}" : "{0} to {1}", minBytes, maxBytes);
  const std::string server = isOfLibrary ? "the library" : "no plan of " + runtime;
  return formatv("{0} serves {1} bytes of {2} over {3}{4}", server, sizes,
                 collectiveName(collective), counted(ranks, "rank"),
                 reason.empty() ? "" : ": " + reason);
}

bool PortfolioFileRow::hasSteps() const {
  const Runtime *known = findRuntime(runtime);
  return runtime.empty() || (known && known->executesSteps());
}

FailureOr<PortfolioFile> cclc::readPortfolio(const std::string &folder, DiagnosticEngine &diags) {
  const std::string path = folder + "/portfolio.json";
  auto buffer = openPlanFile(path, diags);
  if (failed(buffer))
    return failure();
  return readPortfolio((*buffer)->getBuffer(), folder, path, diags);
}

void cclc::writePortfolioFile(const PortfolioFile &file, raw_ostream &os) {
  ordered_json document = {{"version", portfolioVersion}, {"target", file.target},
                           {"settings", file.settings},   {"network", file.network},
                           {"dtype", file.type},          {"rows", ordered_json::array()}};
  if (file.isPartial)
    document["partial"] = true;
  for (const PortfolioFileRow &row : file.rows)
    document["rows"].push_back(toJson(row));
  for (const PortfolioGap &gap : file.gaps)
    document["gaps"].push_back(toJson(gap));
  for (const PortfolioFailure &failure : file.failures)
    document["failures"].push_back(toJson(failure));
  if (!file.files.empty())
    document["files"] = file.files;
  os << jsonText(document) << '\n';
}

FailureOr<PortfolioFile> cclc::readPortfolio(StringRef text, const std::string &folder,
                                             const std::string &path, DiagnosticEngine &diags) {
  PortfolioFile file;
  auto read = [&](const JsonValue &document, std::string &where) {
    if (countIfGiven<uint64_t>(document, "version").value_or(portfolioVersion) > portfolioVersion)
      throw Unreadable{formatv("the portfolio has version {0}; this cclc reads up to version {1}",
                               document["version"].get<uint64_t>(), portfolioVersion)};
    for (const JsonValue &row : document.at("rows")) {
      where = formatv("rows[{0}]: ", file.rows.size());
      file.rows.push_back(rowOf(row, folder));
    }
    for (const JsonValue &gap : document.value("gaps", JsonValue::array())) {
      where = formatv("gaps[{0}]: ", file.gaps.size());
      file.gaps.push_back(gapOf(gap));
    }
    for (const JsonValue &failure : document.value("failures", JsonValue::array())) {
      where = formatv("failures[{0}]: ", file.failures.size());
      file.failures.push_back(lostPartsOf(failure, folder));
    }
    where.clear();
    file.target = document.value("target", "");
    file.settings = document.value("settings", std::vector<std::string>());
    file.isPartial = document.value("partial", false);
    file.network = document.value("network", "");
    file.type = document.value("dtype", "");
    file.files = document.value("files", std::vector<std::string>());
  };
  if (failed(readFields(text, path, diags, read)))
    return failure();
  return file;
}
