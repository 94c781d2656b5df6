//===- Json.h - Strict access to target files -------------------*- C++ -*-===//

#ifndef CCL_LIB_TARGET_JSON_H
#define CCL_LIB_TARGET_JSON_H

#include "KeyPlaces.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Units.h"

#include "JsonText.h"

#include <memory>
#include <set>

namespace cclc {

/// One object of a target file. finish() reports keys that were not read as unknown. All
/// values are in SI units: seconds, metres, bytes, bytes per second. Keys that are read are
/// recorded with their value or default.
class JsonObject {
public:
  /// The whole target; \p resolved becomes the object with all keys.
  JsonObject(const nlohmann::json *value, KeyPlaces &places, nlohmann::ordered_json &resolved,
             DiagnosticEngine &diags)
      : value(value), places(places), resolved(resolved), diags(diags),
        oddKeys(std::make_shared<std::set<std::string>>()) {}

  /// A key whose value is null counts as missing.
  bool has(const char *key) const {
    return value && value->contains(key) && !(*value)[key].is_null();
  }

  /// Whether a key that may be missing is present. A missing one is not recorded.
  bool isGiven(const char *key) {
    known.insert(key);
    return has(key);
  }

  /// Each accessor sets \p place if the key is present, and reports an invalid value. A missing key
  /// is an error only for the `required` accessors. Those of texts return whether \p place is set.
  bool text(const char *key, std::string &place);
  bool requireText(const char *key, std::string &place);
  void number(const char *key, uint32_t &place, uint32_t low, uint32_t high);
  void number(const char *key, std::optional<uint32_t> &place, uint32_t low, uint32_t high);
  /// An array of whole numbers. A missing key keeps the default, which is recorded.
  void numbers(const char *key, std::vector<uint32_t> &place, uint32_t low, uint32_t high);
  void requireNumber(const char *key, uint32_t &place, uint32_t low, uint32_t high);
  void bytes(const char *key, Bytes &place);
  void bytes(const char *key, std::optional<Bytes> &place);
  /// Metres times seconds per metre, rounded to picoseconds.
  void length(const char *key, double secondsPerMetre, SimTime &place);
  /// Any real number that is not negative.
  void real(const char *key, double &place);
  /// Seconds, rounded to picoseconds.
  void time(const char *key, SimTime &place);
  /// Bytes per second; 0 means unlimited.
  void rate(const char *key, Bandwidth &place);
  void onOff(const char *key, bool &place);
  /// One of \p words; its index goes to \p place.
  void choice(const char *key, ArrayRef<const char *> words, uint32_t &place);

  /// The object under \p key; an empty one if it is missing.
  JsonObject object(const char *key);
  /// The object under \p key; none, which is recorded, if it is missing.
  std::optional<JsonObject> optionalObject(const char *key);
  /// The elements of an array; another type is reported.
  std::vector<JsonObject> objects(const char *key);

  /// Records the resolved value of a key.
  void resolve(const char *key, nlohmann::ordered_json to);
  /// Reports the first key that was not read.
  void finish();
  /// Sets the path of the object in messages to \p newPath.
  void showAs(std::string newPath) { path = std::move(newPath); }
  /// \p key is empty for an error of the object itself.
  void error(const char *key, const llvm::Twine &what);
  void warning(const char *key, const llvm::Twine &what);
  /// Whether there are errors, in any object of the target.
  bool hasErrors() const { return diags.hasErrors(); }

private:
  /// \p value is null for a missing object, whose keys keep their defaults.
  JsonObject(const JsonObject &parent, const nlohmann::json *value, std::string path,
             std::string pointer)
      : value(value), path(std::move(path)), pointer(std::move(pointer)), places(parent.places),
        resolved(parent.resolved), diags(parent.diags), oddKeys(parent.oddKeys) {}

  /// The value under \p key. Records it, or \p otherwise if it is missing, as the resolved value.
  const nlohmann::json *find(const char *key, nlohmann::ordered_json otherwise);
  std::optional<double> real(const char *key, const char *what, double limit, double otherwise);
  /// Warns of a value that is possible, but not in the unit of the key. Once for each name of a
  /// key, since a file has many links.
  void warnOfOdd(const char *key, const llvm::Twine &what);
  std::string keyPath(StringRef key) const;
  /// The location of \p key, or of the object that should have it.
  Location placeOf(StringRef key) const;

  const nlohmann::json *value;
  std::string path;    ///< the path in messages
  std::string pointer; ///< the pointer into the resolved document
  KeyPlaces &places;
  nlohmann::ordered_json &resolved;
  DiagnosticEngine &diags;
  std::set<std::string> known;
  std::shared_ptr<std::set<std::string>> oddKeys; ///< those of the whole target
};

} // namespace cclc

#endif // CCL_LIB_TARGET_JSON_H
