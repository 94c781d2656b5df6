//===- PlanJsonWalker.cpp - A parser driven by the schema -----------------===//
//
// A pushdown automaton over the events: a frame for each open object or array, with the keys seen
// so far and the number of elements. Each value is compared with the schema at this position, so
// that the functions of the schema receive values of the right kind only.
//
//===----------------------------------------------------------------------===//

#include "PlanJsonReader.h"

#include "cclc/Support/Text.h"

#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using namespace cclc::json;
using llvm::formatv;

PlanJsonReader &SchemaWalker::reader() { return static_cast<PlanJsonReader &>(*this); }

// --- Errors --------------------------------------------------------------------------

bool SchemaWalker::error(const llvm::Twine &text) {
  diags.error(here(), text);
  return false;
}

std::string SchemaWalker::what() {
  const Type &type = *stack.back().type;
  if (type.kind == Type::Kind::Object)
    return formatv("'{0}'", wanted()->key);
  return type.kind == Type::Kind::Map ? "a parameter" : "this element";
}

static const char *describe(const Value &value) {
  if (value.number)
    return value.text ? "a whole number or a string" : "a whole number";
  if (value.text)
    return value.child ? "a string or an object" : "a string";
  if (value.flag)
    return "true or false";
  return value.child->isArray() ? "an array" : "an object";
}

bool SchemaWalker::mismatch(const char *found) {
  if (stack.empty())
    return error(llvm::Twine("a plan is a JSON object, not ") + found);
  const Value *want = wanted();
  if (!want)
    return error("too many elements");
  return error(what() + " takes " + describe(*want) + ", not " + found);
}

bool SchemaWalker::tooLarge(uint64_t value, uint64_t limit) {
  return error(what() + ": " + llvm::Twine(value) + " exceeds the limit of " + llvm::Twine(limit));
}

bool SchemaWalker::require(std::initializer_list<StringRef> keys) {
  const Frame &frame = stack.back();
  for (StringRef key : keys) {
    auto value = llvm::find_if(frame.type->values, [&](const Value &v) { return key == v.key; });
    if (!(frame.keysSeen >> (value - frame.type->values.begin()) & 1))
      return error("'" + key + "' is missing");
  }
  return true;
}

bool SchemaWalker::requireAll() {
  for (const Value &value : stack.back().type->values)
    if (!require({value.key}))
      return false;
  return true;
}

void SchemaWalker::syntaxError(StringRef message) { diags.error(here(), message); }

// --- The schema ----------------------------------------------------------------------

const Value *SchemaWalker::wanted() {
  const Frame &frame = stack.back();
  switch (frame.type->kind) {
  case Type::Kind::Object:
    return frame.value;
  case Type::Kind::Tuple:
    return frame.index < frame.type->values.size() ? &frame.type->values[frame.index] : nullptr;
  case Type::Kind::Map:
  case Type::Kind::List:
    return &frame.type->element;
  }
  llvm_unreachable("unknown kind");
}

bool SchemaWalker::key(std::string &name) {
  Frame &frame = stack.back();
  const Type &type = *frame.type;
  if (type.kind == Type::Kind::Map)
    return type.key(reader(), name);
  for (const Value &value : type.values) {
    if (value.key != name)
      continue;
    uint32_t bit = uint32_t(1) << (&value - type.values.data());
    if (frame.keysSeen & bit)
      return error(llvm::Twine("duplicate key '") + name + "'");
    if (type.closedBy && frame.keysSeen >> (type.values.size() - 1) & 1)
      return error(llvm::Twine("'") + type.values.back().key + "' must be the last key of " +
                   type.closedBy);
    frame.keysSeen |= bit;
    frame.value = &value;
    return true;
  }
  if (stack.size() == 1 && (name == "family" || name == "base" || name == "description"))
    return error("key '" + name + "' of a target: a plan was expected (--target takes targets)");
  return error(llvm::Twine("unknown key '") + name + "'");
}

bool SchemaWalker::start(bool isArray) {
  if (stack.empty() && !isArray) {
    stack.push_back({&planType});
    return true;
  }
  const Value *want = stack.empty() ? nullptr : wanted();
  if (!want || !want->child || want->child->isArray() != isArray)
    return mismatch(isArray ? "an array" : "an object");
  if (want->child->begin && !want->child->begin(reader()))
    return false;
  stack.push_back({want->child});
  return true;
}

bool SchemaWalker::end() {
  const Type &type = *stack.back().type;
  if (type.end && !type.end(reader()))
    return false;
  stack.pop_back();
  return stack.empty() || done();
}

bool SchemaWalker::endArray() {
  const Frame &frame = stack.back();
  if (frame.index < frame.type->least)
    return error(formatv("expected {0} elements, found {1}", frame.type->least, frame.index));
  return end();
}
