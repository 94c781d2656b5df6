//===- Json.cpp - Typed access to target files ----------------------------===//
//
// Each accessor records its key as known, writes the resolved value (given or default) to a
// second document and checks type and range. finish() reports the first key that no accessor
// has read, with the nearest known key. Physical values are rounded to integers once, here.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "cclc/Support/Decimal.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace cclc;
using llvm::formatv;

/// Values of another unit are beyond these: seconds from here on, and bytes per second below.
static constexpr SimTime longTime = SimTime::nanoseconds(100'000'000);
static constexpr double lowRate = 1e6;

/// "50", "0.5", "12.5".
static std::string shortText(double value) { return trimmed(formatv("{0:f3}", value).str()); }

std::string JsonObject::keyPath(StringRef key) const {
  return path + (path.empty() || key.empty() ? "" : ".") + key.str();
}

Location JsonObject::placeOf(StringRef key) const {
  return places.find(key.empty() ? pointer : pointer + "/" + key.str());
}

void JsonObject::error(const char *key, const llvm::Twine &what) {
  diags.error(placeOf(key), "'" + keyPath(key) + "' " + what);
}

void JsonObject::warning(const char *key, const llvm::Twine &what) {
  diags.warning(placeOf(key), "'" + keyPath(key) + "' " + what);
}

void JsonObject::warnOfOdd(const char *key, const llvm::Twine &what) {
  if (oddKeys->insert(key).second)
    warning(key, what);
}

/// A number of seconds that rounds to \p time.
static double inSeconds(SimTime time) { return double(time.picoseconds()) / 1e12; }

void JsonObject::resolve(const char *key, nlohmann::ordered_json to) {
  // Write integral values as integers, independent of their notation in the file.
  if (to.is_number_float() && to == std::floor(to.get<double>()) && to <= 1e15)
    to = to.get<int64_t>();
  resolved[nlohmann::ordered_json::json_pointer(pointer + "/" + key)] = std::move(to);
}

const nlohmann::json *JsonObject::find(const char *key, nlohmann::ordered_json otherwise) {
  known.insert(key);
  const nlohmann::json *found = has(key) ? &(*value)[key] : nullptr;
  bool plain = found && found->is_primitive() && otherwise.is_primitive();
  resolve(key, plain ? nlohmann::ordered_json(*found) : std::move(otherwise));
  return found;
}

bool JsonObject::text(const char *key, std::string &place) {
  const nlohmann::json *found = find(key, place);
  if (!found)
    return false;
  if (!found->is_string()) {
    error(key, "takes a string");
    return false;
  }
  place = found->get<std::string>();
  return true;
}

bool JsonObject::requireText(const char *key, std::string &place) {
  if (!has(key))
    error(key, "is missing");
  return text(key, place);
}

void JsonObject::requireNumber(const char *key, uint32_t &place, uint32_t low, uint32_t high) {
  if (!has(key))
    error(key, "is missing");
  number(key, place, low, high);
}

void JsonObject::number(const char *key, uint32_t &place, uint32_t low, uint32_t high) {
  const nlohmann::json *found = find(key, place);
  if (!found)
    return;
  if (!found->is_number_unsigned() || found->get<uint64_t>() < low || found->get<uint64_t>() > high)
    return error(key, formatv("takes a whole number from {0} to {1}", low, high));
  place = found->get<uint32_t>();
}

void JsonObject::number(const char *key, std::optional<uint32_t> &place, uint32_t low,
                        uint32_t high) {
  if (!has(key)) {
    find(key, place ? nlohmann::ordered_json(*place) : nullptr);
    return;
  }
  uint32_t n = low;
  number(key, n, low, high);
  place = n;
}

void JsonObject::numbers(const char *key, std::vector<uint32_t> &place, uint32_t low,
                         uint32_t high) {
  const nlohmann::json *found = find(key, place);
  if (!found)
    return;
  std::vector<uint32_t> read;
  for (const nlohmann::json &element : *found)
    if (element.is_number_unsigned() && element.get<uint64_t>() >= low &&
        element.get<uint64_t>() <= high)
      read.push_back(element.get<uint32_t>());
  if (!found->is_array() || read.size() != found->size())
    return error(key, formatv("takes an array of whole numbers from {0} to {1}", low, high));
  place = std::move(read);
  resolve(key, place);
}

std::optional<double> JsonObject::real(const char *key, const char *what, double limit,
                                       double otherwise) {
  const nlohmann::json *found = find(key, otherwise);
  if (!found)
    return std::nullopt;
  if (found->is_number()) {
    double number = found->get<double>();
    if (std::isfinite(number) && number >= 0 && number <= limit)
      return number;
  }
  error(key, formatv("takes {0}", what));
  return std::nullopt;
}

void JsonObject::bytes(const char *key, Bytes &place) {
  const nlohmann::json *found = find(key, place.count());
  if (!found)
    return;
  if (!found->is_number_unsigned())
    return error(key, "takes a whole number of bytes");
  place = Bytes(found->get<uint64_t>());
}

void JsonObject::bytes(const char *key, std::optional<Bytes> &place) {
  if (!has(key)) {
    find(key, place ? nlohmann::ordered_json(place->count()) : nullptr);
    return;
  }
  Bytes n;
  bytes(key, n);
  place = n;
}

void JsonObject::time(const char *key, SimTime &place) {
  if (std::optional<double> seconds =
          real(key, "a time in seconds, at most 1000", 1000, inSeconds(place)))
    place = SimTime(std::llround(*seconds * 1e12));
  if (place >= longTime && has(key))
    warnOfOdd(key, formatv("is {0} s: times are in seconds, so that 1 us is 1e-6",
                           shortText(inSeconds(place))));
}

void JsonObject::length(const char *key, double secondsPerMetre, SimTime &place) {
  if (std::optional<double> metres =
          real(key, "a length in metres, at most 1e6", 1e6,
               secondsPerMetre > 0 ? inSeconds(place) / secondsPerMetre : 0))
    place = SimTime(std::llround(*metres * secondsPerMetre * 1e12));
}

void JsonObject::real(const char *key, double &place) {
  if (std::optional<double> number = real(key, "a number that is not negative", 1e18, place))
    place = *number;
}

void JsonObject::rate(const char *key, Bandwidth &place) {
  constexpr const char *what = "a rate in bytes per second, 0 for no limit";
  if (std::optional<double> rate = real(key, what, 1e18, double(place.bytesPerSecond()))) {
    place = Bandwidth(std::llround(*rate));
    // A rate that rounds to 0 must not become unlimited.
    if (*rate > 0 && place.isUnlimited())
      error(key, llvm::Twine("takes ") + what);
    else if (*rate > 0 && *rate < lowRate && has(key))
      warnOfOdd(key,
                formatv("is {0} bytes per second: rates are in bytes per second, so that 1 GB/s "
                        "is 1e9",
                        shortText(*rate)));
  }
}

void JsonObject::onOff(const char *key, bool &place) {
  uint32_t on = place;
  choice(key, {"off", "on"}, on);
  place = on;
}

void JsonObject::choice(const char *key, ArrayRef<const char *> words, uint32_t &place) {
  std::string word = words[place];
  if (!has(key)) {
    find(key, word);
    return;
  }
  const nlohmann::json *given = find(key, word);
  if (!given->is_string())
    return error(key, mustBeOneOf(words, given->is_primitive() ? jsonText(*given, -1) : "a list"));
  word = given->get<std::string>();
  for (uint32_t i = 0; i < words.size(); ++i)
    if (word == words[i]) {
      place = i;
      return;
    }
  error(key, mustBeOneOf(words, word) +
                 didYouMean(word, std::vector<std::string>(words.begin(), words.end())));
}

JsonObject JsonObject::object(const char *key) {
  const nlohmann::json *found = find(key, nlohmann::ordered_json::object());
  if (found && !found->is_object()) {
    error(key, "takes an object");
    found = nullptr;
  }
  return JsonObject(*this, found, keyPath(key), pointer + "/" + key);
}

std::optional<JsonObject> JsonObject::optionalObject(const char *key) {
  bool given = has(key);
  JsonObject found = object(key);
  if (given)
    return found;
  resolve(key, nullptr);
  return std::nullopt;
}

std::vector<JsonObject> JsonObject::objects(const char *key) {
  std::vector<JsonObject> result;
  const nlohmann::json *found = find(key, nlohmann::ordered_json::array());
  if (!found)
    return result;
  if (!found->is_array()) {
    error(key, "takes an array");
    return result;
  }
  for (size_t i = 0; i < found->size(); ++i) {
    std::string at = formatv("{0}[{1}]", keyPath(key), i);
    if (!(*found)[i].is_object())
      diags.error(placeOf(formatv("{0}/{1}", key, i).str()), "'" + at + "' takes an object");
    else
      result.push_back(
          JsonObject(*this, &(*found)[i], at, formatv("{0}/{1}/{2}", pointer, key, i)));
  }
  return result;
}

void JsonObject::finish() {
  if (!value)
    return;
  for (const auto &item : value->items())
    if (!known.count(item.key()) && !StringRef(item.key()).starts_with("//")) {
      constexpr size_t few = 12;
      std::vector<std::string> candidates(known.begin(), known.end());
      std::string hint = didYouMean(item.key(), candidates);
      if (hint.empty() && candidates.size() > 1 && candidates.size() <= few)
        hint = "; the keys are " + llvm::join(candidates, ", ");
      diags.error(placeOf(item.key()), "'" + keyPath(item.key()) + "' is not a known key" + hint);
      return;
    }
}
