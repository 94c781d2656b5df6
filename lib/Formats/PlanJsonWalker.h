//===- PlanJsonWalker.h - Validating JSON events against the schema -*- C++ -*-===//
//
// nlohmann's parser calls back for every key and value; a stack of frames tracks the position in
// the schema (PlanJsonSchema.h). Anything that the schema does not contain is an error at its line
// and column. The functions of the schema interpret the values.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONWALKER_H
#define CCL_LIB_FORMATS_PLANJSONWALKER_H

#include "PlanJsonSchema.h"

#include "cclc/Support/TextCursor.h"

#include <nlohmann/json.hpp>

namespace cclc::json {

class SchemaWalker : public nlohmann::json_sax<nlohmann::json> {
public:
  SchemaWalker(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : position(text), fileName(fileName), diags(diags) {}

  TextPosition position; ///< how far the parser has read

  // All of these return false after an error, which ends the parsing.
  bool error(const llvm::Twine &text);
  /// Keys of the current object must be present.
  bool require(std::initializer_list<StringRef> keys);
  bool requireAll();
  bool limited(uint64_t value, uint64_t limit) { return value <= limit || tooLarge(value, limit); }
  template <class T> bool store(T &place, uint64_t value, uint64_t limit) {
    if (!limited(value, limit))
      return false;
    place = T(value);
    return true;
  }

  /// The schema of the current value.
  const Value &current() { return *wanted(); }
  /// The number of elements of the current array so far.
  unsigned index() const { return stack.back().index; }
  /// Line and column of the last token.
  Location here() { return {fileName.str(), position.line(), position.column()}; }

  // --- nlohmann::json_sax ----------------------------------------------------------

  bool null() override { return mismatch("null"); }
  bool boolean(bool value) override { return take(&Value::flag, value, "true or false"); }
  // The parser has read one character beyond the end of a number.
  bool number_integer(number_integer_t) override {
    --position.seen;
    return mismatch("a negative number");
  }
  bool number_unsigned(number_unsigned_t n) override {
    --position.seen;
    return take(&Value::number, n, "a number");
  }
  bool number_float(number_float_t, const string_t &) override {
    --position.seen;
    return mismatch("a number that is not whole");
  }
  bool string(string_t &text) override { return take(&Value::text, text, "a string"); }
  bool binary(binary_t &) override { return mismatch("binary data"); }
  bool key(string_t &name) override;
  bool start_object(std::size_t) override { return start(/*isArray=*/false); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start(/*isArray=*/true); }
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::json::exception &error) override;

private:
  /// An open object or array.
  struct Frame {
    const Type *type;
    const Value *value = nullptr; ///< the next value of an object
    uint32_t keysSeen = 0;        ///< a bit mask by index of the value
    unsigned index = 0;           ///< number of elements of an array so far
  };

  PlanJsonReader &reader();
  /// The schema of the next value; null if an array is full.
  const Value *wanted();
  bool mismatch(const char *found);
  bool tooLarge(uint64_t value, uint64_t limit);
  std::string what();
  bool start(bool isArray);
  bool end();
  /// Called when a value is complete.
  bool done() {
    ++stack.back().index;
    return true;
  }
  template <class Function, class T>
  bool take(Function Value::*function, const T &value, const char *found) {
    const Value *want = stack.empty() ? nullptr : wanted();
    if (!want || !(want->*function))
      return mismatch(found);
    return (want->*function)(reader(), value) && done();
  }

  StringRef fileName;
  DiagnosticEngine &diags;
  std::vector<Frame> stack;
};

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONWALKER_H
