//===- PlanJsonWalker.cpp - A parser driven by the schema -----------------===//
//
// A pushdown automaton over SAX events: a frame for each open object or array, with the
// keys seen so far and the number of elements. Each value is compared with the kind that
// the schema has at this place, so hooks get values of the right kind only.
//
//===----------------------------------------------------------------------===//

#include "PlanJsonWalker.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

// --- Errors --------------------------------------------------------------------------

bool SchemaWalker::error(const llvm::Twine &text) {
  diags.error(here(), text);
  return false;
}

std::string SchemaWalker::what() {
  if (top().field)
    return formatv("'{0}'", top().field->name);
  return top().in == In::Parameters ? "a parameter" : "this element";
}

bool SchemaWalker::mismatch(const char *found) {
  if (stack.empty())
    return error(llvm::Twine("a plan is a JSON object, not ") + found);
  std::optional<Kind> kind = wanted();
  if (!kind)
    return error("too many elements");
  return error(what() + " takes " + describe(*kind) + ", not " + found);
}

bool SchemaWalker::tooLarge(uint64_t value, uint64_t limit) {
  return error(what() + ": " + llvm::Twine(value) + " exceeds the limit of " + llvm::Twine(limit));
}

bool SchemaWalker::require(std::initializer_list<Key> keys) {
  for (Key key : keys)
    if (!top().has(key))
      for (const Field &field : schema)
        if (field.key == key)
          return error(llvm::Twine("'") + field.name + "' is missing");
  return true;
}

bool SchemaWalker::parse_error(std::size_t, const std::string &,
                               const nlohmann::json::exception &exception) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...":
  // remove the position, which is reported separately.
  StringRef text = exception.what();
  size_t at = text.find(": ");
  diags.error(here(), at == StringRef::npos ? text : text.drop_front(at + 2));
  return false;
}

// --- The schema ----------------------------------------------------------------------

/// The kind of the next value; none if an array is full.
std::optional<Kind> SchemaWalker::wanted() {
  if (stack.empty())
    return Kind::Object;
  Frame &frame = top();
  if (frame.in == In::Parameters)
    return Kind::String;
  if (frame.field)
    return frame.field->kind;
  const ArrayShape *shape = shapeOf(frame.in);
  if (shape->maximum && frame.index >= shape->maximum)
    return std::nullopt;
  return shape->kinds[shape->maximum ? frame.index : 0];
}

bool SchemaWalker::expectKind(Kind kind, const char *found) {
  if (stack.empty())
    return mismatch(found);
  std::optional<Kind> want = wanted();
  bool fits = want == kind ||
              (want == Kind::NumberOrString && (kind == Kind::Number || kind == Kind::String)) ||
              (want == Kind::StringOrObject && (kind == Kind::String || kind == Kind::Object));
  return fits || mismatch(found);
}

bool SchemaWalker::key(string_t &name) {
  Frame &frame = top();
  if (frame.in == In::Parameters) {
    frame.key = Key::Parameter;
    return onParameter(name);
  }
  for (const Field &field : fieldsOf(frame.in)) {
    if (name != field.name)
      continue;
    if (frame.has(field.key))
      return error(llvm::Twine("duplicate key '") + name + "'");
    if (frame.in == In::Plan && frame.has(Key::Ranks))
      return error("'ranks' must be the last key of a plan");
    if (frame.in == In::Threadblock && frame.has(Key::Steps))
      return error("'steps' must be the last key of a threadblock");
    frame.keysSeen |= uint64_t(1) << unsigned(field.key);
    frame.key = field.key;
    frame.field = &field;
    return true;
  }
  return error(llvm::Twine("unknown key '") + name + "'");
}

bool SchemaWalker::start_object(std::size_t) {
  if (stack.empty()) {
    stack.push_back({In::Plan});
    return true;
  }
  if (!expectKind(Kind::Object, "an object"))
    return false;
  In child = top().field ? top().field->child : shapeOf(top().in)->child;
  if (!beginObject(child))
    return false;
  stack.push_back({child});
  return true;
}

bool SchemaWalker::end_object() {
  if (!endObject(top().in))
    return false;
  stack.pop_back();
  return stack.empty() || done();
}

bool SchemaWalker::start_array(std::size_t) {
  if (!expectKind(Kind::Array, "an array"))
    return false;
  In child = top().field ? top().field->child : shapeOf(top().in)->child;
  if (!beginArray(child))
    return false;
  stack.push_back({child});
  return true;
}

bool SchemaWalker::end_array() {
  const ArrayShape *shape = shapeOf(top().in);
  if (top().index < shape->minimum)
    return error(formatv("expected {0} elements, found {1}", shape->minimum, top().index));
  In ended = top().in;
  stack.pop_back();
  endArray(ended);
  return done();
}
