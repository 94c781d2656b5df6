//===- PlanJsonWalker.h - Validating JSON events against the schema -*- C++ -*-===//
//
// A stack of frames tracks the position of the events in the schema (PlanJsonSchema.h). Anything
// that the schema does not contain is an error at its line and column. The functions of the schema
// interpret the values.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONWALKER_H
#define CCL_LIB_FORMATS_PLANJSONWALKER_H

#include "PlanJsonSchema.h"

#include "cclc/Support/Diagnostics.h"
#include "cclc/Support/Json/JsonEvents.h"

namespace cclc::json {

class SchemaWalker : public JsonEvents {
public:
  SchemaWalker(StringRef text, StringRef fileName, DiagnosticEngine &diags)
      : JsonEvents(text), fileName(fileName), diags(diags) {}

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

  // --- JsonEvents ----------------------------------------------------------------------

  bool null() override { return mismatch("null"); }
  bool boolean(bool value) override { return take(&Value::flag, value, "true or false"); }
  bool number(uint64_t n) override { return take(&Value::number, n, "a number"); }
  bool negativeNumber() override { return mismatch("a negative number"); }
  bool fraction() override { return mismatch("a number that is not whole"); }
  bool string(std::string &text) override { return take(&Value::text, text, "a string"); }
  bool key(std::string &name) override;
  bool startObject() override { return start(/*isArray=*/false); }
  bool endObject() override { return end(); }
  bool startArray() override { return start(/*isArray=*/true); }
  bool endArray() override;
  void syntaxError(StringRef message) override;

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
