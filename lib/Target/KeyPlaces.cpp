//===- KeyPlaces.cpp - Source locations of JSON keys ----------------------===//
//
// Values of JSON have no locations, so the text is read once more as events. Keys are named by JSON
// pointers (RFC 6901, without escapes). add() reports syntax errors and duplicate keys; the walk
// that records all locations is made only after an error.
//
//===----------------------------------------------------------------------===//

#include "KeyPlaces.h"

#include "cclc/Support/Json/JsonEvents.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace cclc;

/// Pointers of keys are as long as keys are deep. No object of a target is deeper than six levels.
static constexpr size_t deepest = 64;

namespace {
/// A callback for every key and every element of an array.
using Visitor =
    llvm::function_ref<void(const std::string &pointer, unsigned line, unsigned column)>;

/// Visits the keys of a JSON text.
class KeyWalker : public JsonEvents {
public:
  /// Reports syntax errors and duplicate keys to \p diags and passes the location of each key to
  /// \p visit; either may be null.
  KeyWalker(StringRef text, StringRef file, DiagnosticEngine *diags, Visitor visit)
      : JsonEvents(text), file(file), diags(diags), visit(visit) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number(uint64_t) override { return value(); }
  bool negativeNumber() override { return value(); }
  bool fraction() override { return value(); }
  bool string(std::string &) override { return value(); }
  bool startObject() override { return open(/*isArray=*/false); }
  bool startArray() override { return open(/*isArray=*/true); }
  bool endObject() override { return close(); }
  bool endArray() override { return close(); }
  void syntaxError(StringRef message) override {
    if (diags)
      diags->error({file.str(), position.line(), position.column()}, message);
  }

  bool key(std::string &name) override {
    Level &level = levels.back();
    // The parser has just read the closing quote; quotes within the key are escaped.
    const char *end = position.seen - 1, *begin = end - 1;
    while (*begin != '"' || begin[-1] == '\\')
      --begin;
    unsigned line = position.line();
    unsigned column = position.column() - (end - begin);
    if (diags && !StringRef(name).starts_with("//")) {
      auto [first, isNew] = level.keys.try_emplace(name, line, column);
      if (!isNew) {
        diags->error({file.str(), line, column}, "key '" + name + "' is a duplicate")
            .note({file.str(), first->second.first, first->second.second}, "the first one is here");
        return false;
      }
    }
    enter(name, line, column);
    return true;
  }

private:
  struct Level {
    std::string pointer; ///< pointer of the object or array
    bool isArray;
    size_t elements = 0;
    llvm::StringMap<std::pair<unsigned, unsigned>> keys = {}; ///< lines and columns
  };

  void enter(const std::string &name, unsigned line, unsigned column) {
    if (!visit)
      return;
    next = levels.back().pointer + "/" + name;
    visit(next, line, column);
  }
  bool value() {
    if (!levels.empty() && levels.back().isArray)
      enter(std::to_string(levels.back().elements++), position.line(), position.column());
    return true;
  }
  bool open(bool isArray) {
    value();
    if (levels.size() == deepest) {
      if (diags)
        diags->error({file.str(), position.line(), position.column()},
                     "more than " + llvm::Twine(deepest) + " objects and arrays inside each other");
      return false;
    }
    levels.push_back({next, isArray});
    return true;
  }
  bool close() {
    levels.pop_back();
    return true;
  }

  StringRef file;
  DiagnosticEngine *diags;
  Visitor visit;
  std::vector<Level> levels;
  std::string next; ///< pointer of the next value
};

bool walk(StringRef text, StringRef file, DiagnosticEngine *diags, Visitor visit) {
  KeyWalker walker(text, file, diags, visit);
  return readJson(text, walker);
}
} // namespace

LogicalResult KeyPlaces::add(StringRef name, StringRef text, DiagnosticEngine &diags) {
  unread.emplace_back(name, text);
  return success(walk(text, name, &diags, {}));
}

Location KeyPlaces::find(std::string pointer) {
  for (const auto &[name, text] : unread)
    walk(text, name, nullptr, [&](const std::string &at, unsigned line, unsigned column) {
      places.try_emplace(at, Location{name, line, column});
    });
  unread.clear();
  for (; !pointer.empty(); pointer.resize(pointer.rfind('/')))
    if (auto found = places.find(pointer); found != places.end())
      return found->second;
  return {file, 0, 0};
}
