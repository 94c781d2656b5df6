//===- PortfolioFile.cpp - Reading portfolios -----------------------------===//
//
// Keys that a reader does not use are ignored: a portfolio may have more of them than this version.
// Counts must be whole numbers of their range, because a conversion would change others silently.
//
//===----------------------------------------------------------------------===//

#include "cclc/Formats/PortfolioFile.h"

#include "cclc/Support/Text.h"
#include "cclc/Support/TextCursor.h"

#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

#include <limits>

using namespace cclc;
using llvm::formatv;
using JsonValue = nlohmann::json;

namespace {
/// The text of the first error; nlohmann/json throws its own.
struct Unreadable {
  std::string text;
};

template <class T> T countOf(const JsonValue &object, const char *key) {
  const JsonValue &value = object.at(key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max())
    throw Unreadable{
        formatv("'{0}' must be a whole number from 0 to {1}", key, std::numeric_limits<T>::max())};
  return T(value.get<uint64_t>());
}

bool isGiven(const JsonValue &object, const char *key) {
  return object.contains(key) && !object[key].is_null();
}

PortfolioFileRow rowOf(const JsonValue &object, const std::string &folder) {
  std::string name = object.at("collective");
  std::optional<CollectiveKind> kind = parseCollective(name);
  if (!kind)
    throw Unreadable{formatv("unknown collective '{0}'", name)};
  PortfolioFileRow row{*kind,
                       countOf<uint32_t>(object, "ranks"),
                       countOf<uint64_t>(object, "min_bytes"),
                       std::nullopt,
                       folder + "/" + object.at("plan").get<std::string>(),
                       object.value("command", ""),
                       {}};
  if (isGiven(object, "max_bytes"))
    row.maxBytes = countOf<uint64_t>(object, "max_bytes");
  if (!isGiven(object, "points"))
    return row;
  for (const JsonValue &point : object["points"]) {
    std::optional<double> share;
    if (isGiven(point, "bound_share"))
      share = point["bound_share"].get<double>();
    row.points.push_back(
        {countOf<uint64_t>(point, "bytes"), point.at("time_ns").get<double>(), share});
  }
  return row;
}
} // namespace

FailureOr<PortfolioFile> cclc::readPortfolio(StringRef text, const std::string &folder,
                                             const std::string &path, DiagnosticEngine &diags) {
  PortfolioFile file;
  TextPosition position(text);
  std::string where; ///< "rows[2]: "
  try {
    TextCursor begin{text.begin(), &position.seen}, end{text.end(), &position.seen};
    JsonValue document = JsonValue::parse(begin, end);
    for (const JsonValue &row : document.at("rows")) {
      where = formatv("rows[{0}]: ", file.rows.size());
      file.rows.push_back(rowOf(row, folder));
    }
    where.clear();
    file.target = document.value("target", "");
    file.settings = document.value("settings", std::vector<std::string>());
    file.network = document.value("network", "");
    file.type = document.value("dtype", "");
  } catch (const JsonValue::parse_error &error) {
    return diags.error({path, position.line(), position.column()}, jsonMessage(error.what()));
  } catch (const JsonValue::exception &error) {
    return diags.error({path}, where + jsonMessage(error.what()));
  } catch (const Unreadable &error) {
    return diags.error({path}, where + error.text);
  }
  return file;
}
