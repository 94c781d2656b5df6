//===- PlanJsonWalker.h - Validating JSON events against the schema -*- C++ -*-===//
//
// nlohmann's parser calls back for every key and value; a stack of frames tracks the position in
// the schema (PlanJsonSchema.h). Anything that the schema does not contain is an error at its line
// and column. The hooks interpret the values.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONWALKER_H
#define CCL_LIB_FORMATS_PLANJSONWALKER_H

#include "PlanJsonSchema.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/TextCursor.h"

#include <nlohmann/json.hpp>

namespace cclc::json {

/// An open object or array.
struct Frame {
  In in;
  Key key = Key::None;          ///< key of the next value
  const Field *field = nullptr; ///< of that key
  uint64_t keysSeen = 0;        ///< a bit mask by Key
  unsigned index = 0;           ///< number of elements of an array so far

  bool has(Key seen) const { return keysSeen >> unsigned(seen) & 1; }
};

class SchemaWalker : public nlohmann::json_sax<nlohmann::json> {
public:
  SchemaWalker(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : position(text), fileName(fileName), diags(diags) {}

  TextPosition position; ///< how far the parser has read

  /// The frame of the object or array that contains the current value.
  Frame &top() { return stack.back(); }

  // All of these return false after an error, which ends the parsing.
  bool error(const llvm::Twine &text);
  bool require(std::initializer_list<Key> keys);
  bool limited(uint64_t value, uint64_t limit) { return value <= limit || tooLarge(value, limit); }
  template <class T> bool store(T &place, uint64_t value, uint64_t limit) {
    if (!limited(value, limit))
      return false;
    place = value;
    return true;
  }

  /// Line and column of the last token.
  Location here() { return {fileName.str(), position.line(), position.column()}; }

  // --- nlohmann::json_sax ----------------------------------------------------------

  bool null() override { return mismatch("null"); }
  bool boolean(bool value) override {
    return expectKind(Kind::Bool, "true or false") && onBool(value) && done();
  }
  // The parser has read one character beyond the end of a number.
  bool number_integer(number_integer_t) override {
    --position.seen;
    return mismatch("a negative number");
  }
  bool number_unsigned(number_unsigned_t n) override {
    --position.seen;
    return expectKind(Kind::Number, "a number") && onNumber(n) && done();
  }
  bool number_float(number_float_t, const string_t &) override {
    --position.seen;
    return mismatch("a number that is not whole");
  }
  bool string(string_t &text) override {
    return expectKind(Kind::String, "a string") && onString(text) && done();
  }
  bool binary(binary_t &) override { return mismatch("binary data"); }
  bool key(string_t &name) override;
  bool start_object(std::size_t) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::json::exception &error) override;

protected:
  // --- Events that the schema admits ----------------------------------------------
  virtual bool onBool(bool value) = 0;
  virtual bool onNumber(uint64_t value) = 0;
  virtual bool onString(StringRef text) = 0;
  /// The name of a parameter, whose value follows.
  virtual bool onParameter(StringRef name) = 0;
  /// At the beginning of an object or array, top() is its parent. At the end of an object, top() is
  /// the object itself; at the end of an array, its parent.
  virtual bool beginObject(In object) = 0;
  virtual bool endObject(In object) = 0;
  virtual bool beginArray(In array) = 0;
  virtual void endArray(In array) = 0;

private:
  std::optional<Kind> wanted();
  bool expectKind(Kind kind, const char *found);
  bool mismatch(const char *found);
  bool tooLarge(uint64_t value, uint64_t limit);
  std::string what();
  /// Called when a value is complete.
  bool done() {
    ++top().index;
    top().field = nullptr;
    top().key = Key::None;
    return true;
  }

  StringRef fileName;
  DiagnosticEngine &diags;
  std::vector<Frame> stack;
};

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONWALKER_H
