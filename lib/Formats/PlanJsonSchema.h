//===- PlanJsonSchema.h - The schema of JSON plans --------------*- C++ -*-===//
//
// The schema as data: a Type per object and array, with a Value per key or element, which has the
// functions that read it. PlanJsonHeader.cpp has the types of the header, PlanJsonReader.cpp those
// of ranks, threadblocks and steps. A plan contains nothing else. docs/PlanFormat.md is the
// reference.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONSCHEMA_H
#define CCL_LIB_FORMATS_PLANJSONSCHEMA_H

#include "cclc/IR/PlanAttributes.h"

namespace cclc::json {

class PlanJsonReader;
struct Type;

using Reader = PlanJsonReader;
using TakeNumber = bool (*)(Reader &, uint64_t);
using TakeText = bool (*)(Reader &, StringRef);
using TakeFlag = bool (*)(Reader &, bool);
using Hook = bool (*)(Reader &);

/// The value of a key or an element of an array: a child, or of a type that there is a function
/// for. The functions store the value; they return false after an error.
struct Value {
  StringRef key = {}; ///< empty for an element
  TakeNumber number = nullptr;
  TakeText text = nullptr;
  TakeFlag flag = nullptr;
  const Type *child = nullptr;
  const HeaderAttribute *ofHeader = nullptr;
  const StepAttribute *ofStep = nullptr;
};

constexpr Value number(StringRef key, TakeNumber take) { return {.key = key, .number = take}; }
constexpr Value number(TakeNumber take) { return number({}, take); }
constexpr Value text(StringRef key, TakeText take) { return {.key = key, .text = take}; }
constexpr Value text(TakeText take) { return text({}, take); }
constexpr Value child(StringRef key, const Type &type) { return {.key = key, .child = &type}; }
constexpr Value child(const Type &type) { return child({}, type); }

/// An object or array.
struct Type {
  enum class Kind : uint8_t {
    Object,
    Map,   ///< an object with any keys
    Tuple, ///< an array with a Value for each place
    List,  ///< an array of any length
  } kind;
  ArrayRef<Value> values;
  Hook begin = nullptr; ///< called in the parent
  Hook end = nullptr;   ///< called in the object or array itself
  unsigned least = 0;   ///< the minimum number of elements of an array
  Value element = {};   ///< of a map or list
  /// The name of an object whose last key must be the last in files; otherwise null.
  const char *closedBy = nullptr;
  TakeText key = nullptr; ///< reads a key of a map

  bool isArray() const { return kind == Kind::Tuple || kind == Kind::List; }
};

constexpr Type object(ArrayRef<Value> values, Hook begin, Hook end,
                      const char *closedBy = nullptr) {
  return {Type::Kind::Object, values, begin, end, 0, {}, closedBy};
}
constexpr Type tuple(ArrayRef<Value> values, unsigned least, Hook begin = nullptr,
                     Hook end = nullptr) {
  return {Type::Kind::Tuple, values, begin, end, least};
}
constexpr Type map(TakeText key, Value element) {
  return {.kind = Type::Kind::Map, .values = {}, .element = element, .key = key};
}
constexpr Type list(Value element, unsigned least = 0, Hook begin = nullptr, Hook end = nullptr) {
  return {Type::Kind::List, {}, begin, end, least, element};
}

/// The type of a file.
extern const Type planType;
/// The type of its last value.
extern const Type ranksType;

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONSCHEMA_H
