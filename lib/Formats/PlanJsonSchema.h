//===- PlanJsonSchema.h - The schema of JSON plans --------------*- C++ -*-===//
//
// The schema as data: `schema` lists every object with its keys, `arrays` every array with the
// kinds of its elements. Anything else is an error. docs/PlanFormat.md describes the meaning.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_FORMATS_PLANJSONSCHEMA_H
#define CCL_LIB_FORMATS_PLANJSONSCHEMA_H

#include "cclc/Support/LLVM.h"

#include "llvm/Support/ErrorHandling.h"

#include <array>
#include <cstdint>

namespace cclc::json {

/// The object or array of the schema that a frame of the stack represents.
enum class In : uint8_t {
  Nothing,
  // Objects.
  Plan,
  Collective,
  Parameters,
  Level,
  Communicator,
  Call,
  Phase,
  Rank,
  Threadblock,
  Step,
  // Arrays.
  Expect,
  ExpectRow,
  Contributions,
  Contribution,
  Placements,
  TargetSettings,
  Geometry,
  Endpoints,
  Neighbours,
  Neighbour,
  Communicators,
  Groups,
  Group,
  Calls,
  Phases,
  Files,
  Locations,
  Location,
  Ranks,
  Threadblocks,
  Steps,
  Source,
  Destination,
  Wait,
};

enum class Kind : uint8_t { Number, String, NumberOrString, StringOrObject, Bool, Object, Array };

enum class Key : uint8_t {
  None,
  Format,
  Version,
  Name,
  Collective,
  Placements,
  Protocol,
  Instances,
  Slots,
  MinBytes,
  MaxBytes,
  Target,
  TargetHash,
  TargetSettings,
  TargetMachine,
  Parameters,
  Geometry,
  Endpoints,
  Neighbours,
  Communicators,
  Calls,
  Phases,
  Files,
  Locations,
  Ranks,
  CollKind,
  CollRanks,
  CollChunks,
  CollRoot,
  CollInput,
  CollOutput,
  CollExpect,
  Parameter,
  LevelName,
  LevelKind,
  LevelWidth,
  LevelHeight,
  CommName,
  CommGroups,
  CallName,
  CallGeneration,
  CallLoc,
  PhaseName,
  PhaseCall,
  PhaseCommunicator,
  PhaseStage,
  PhaseGeneration,
  Rank,
  Scratch,
  Threadblocks,
  Tb,
  Send,
  Recv,
  Channel,
  Steps,
  Op,
  Src,
  Dst,
  Cnt,
  Wait,
  Pub,
  Phase,
  Loc,
  Then,
};

struct Field {
  In object;
  const char *name;
  Key key;
  Kind kind;
  In child = In::Nothing; ///< the schema of an object or array value
};

inline constexpr Field schema[] = {
    {In::Plan, "format", Key::Format, Kind::String},
    {In::Plan, "version", Key::Version, Kind::Number},
    {In::Plan, "name", Key::Name, Kind::String},
    {In::Plan, "collective", Key::Collective, Kind::Object, In::Collective},
    {In::Plan, "placements", Key::Placements, Kind::Array, In::Placements},
    {In::Plan, "protocol", Key::Protocol, Kind::String},
    {In::Plan, "instances", Key::Instances, Kind::Number},
    {In::Plan, "slots", Key::Slots, Kind::NumberOrString},
    {In::Plan, "min_bytes", Key::MinBytes, Kind::Number},
    {In::Plan, "max_bytes", Key::MaxBytes, Kind::Number},
    {In::Plan, "target", Key::Target, Kind::String},
    {In::Plan, "target_hash", Key::TargetHash, Kind::String},
    {In::Plan, "target_settings", Key::TargetSettings, Kind::Array, In::TargetSettings},
    {In::Plan, "target_machine", Key::TargetMachine, Kind::String},
    {In::Plan, "parameters", Key::Parameters, Kind::Object, In::Parameters},
    {In::Plan, "geometry", Key::Geometry, Kind::Array, In::Geometry},
    {In::Plan, "endpoints", Key::Endpoints, Kind::Array, In::Endpoints},
    {In::Plan, "neighbours", Key::Neighbours, Kind::Array, In::Neighbours},
    {In::Plan, "communicators", Key::Communicators, Kind::Array, In::Communicators},
    {In::Plan, "calls", Key::Calls, Kind::Array, In::Calls},
    {In::Plan, "phases", Key::Phases, Kind::Array, In::Phases},
    {In::Plan, "files", Key::Files, Kind::Array, In::Files},
    {In::Plan, "locations", Key::Locations, Kind::Array, In::Locations},
    {In::Plan, "ranks", Key::Ranks, Kind::Array, In::Ranks},
    {In::Collective, "kind", Key::CollKind, Kind::String},
    {In::Collective, "ranks", Key::CollRanks, Kind::Number},
    {In::Collective, "chunks", Key::CollChunks, Kind::Number},
    {In::Collective, "root", Key::CollRoot, Kind::Number},
    {In::Collective, "input", Key::CollInput, Kind::Number},
    {In::Collective, "output", Key::CollOutput, Kind::Number},
    {In::Collective, "expect", Key::CollExpect, Kind::Array, In::Expect},
    {In::Level, "level", Key::LevelName, Kind::String},
    {In::Level, "kind", Key::LevelKind, Kind::String},
    {In::Level, "width", Key::LevelWidth, Kind::Number},
    {In::Level, "height", Key::LevelHeight, Kind::Number},
    {In::Communicator, "communicator", Key::CommName, Kind::String},
    {In::Communicator, "groups", Key::CommGroups, Kind::Array, In::Groups},
    {In::Call, "collective", Key::CallName, Kind::String},
    {In::Call, "generation", Key::CallGeneration, Kind::Number},
    {In::Call, "loc", Key::CallLoc, Kind::Number},
    {In::Phase, "phase", Key::PhaseName, Kind::String},
    {In::Phase, "call", Key::PhaseCall, Kind::Number},
    {In::Phase, "communicator", Key::PhaseCommunicator, Kind::Number},
    {In::Phase, "stage", Key::PhaseStage, Kind::Number},
    {In::Phase, "generation", Key::PhaseGeneration, Kind::Number},
    {In::Rank, "rank", Key::Rank, Kind::Number},
    {In::Rank, "scratch", Key::Scratch, Kind::Number},
    {In::Rank, "threadblocks", Key::Threadblocks, Kind::Array, In::Threadblocks},
    {In::Threadblock, "tb", Key::Tb, Kind::Number},
    {In::Threadblock, "send", Key::Send, Kind::Number},
    {In::Threadblock, "recv", Key::Recv, Kind::Number},
    {In::Threadblock, "channel", Key::Channel, Kind::Number},
    {In::Threadblock, "steps", Key::Steps, Kind::Array, In::Steps},
    {In::Step, "op", Key::Op, Kind::String},
    {In::Step, "src", Key::Src, Kind::Array, In::Source},
    {In::Step, "dst", Key::Dst, Kind::Array, In::Destination},
    {In::Step, "cnt", Key::Cnt, Kind::Number},
    {In::Step, "wait", Key::Wait, Kind::Array, In::Wait},
    {In::Step, "pub", Key::Pub, Kind::Bool},
    {In::Step, "phase", Key::Phase, Kind::Number},
    {In::Step, "loc", Key::Loc, Kind::Number},
    {In::Step, "then", Key::Then, Kind::Number},
};

/// Objects and arrays are counted by In.
inline constexpr size_t numIn = size_t(In::Wait) + 1;

/// The fields [first, end) of an object, which are contiguous in `schema`.
struct FieldRange {
  uint8_t first = 0, end = 0;
};
inline constexpr std::array<FieldRange, numIn> fieldRanges = [] {
  std::array<FieldRange, numIn> ranges{};
  for (size_t f = 0; f < std::size(schema); ++f) {
    FieldRange &range = ranges[size_t(schema[f].object)];
    if (range.end == 0)
      range.first = f;
    range.end = f + 1;
  }
  return ranges;
}();
static_assert(
    [] {
      size_t fields = 0;
      for (FieldRange range : fieldRanges)
        fields += range.end - range.first;
      return fields == std::size(schema);
    }(),
    "the fields of an object stand together");

inline ArrayRef<Field> fieldsOf(In object) {
  FieldRange range = fieldRanges[size_t(object)];
  return {schema + range.first, schema + range.end};
}

/// The elements of an array, with a kind for each position; the last kind repeats if the array is
/// open-ended.
struct ArrayShape {
  In array;
  unsigned minimum, maximum; ///< maximum 0: open-ended
  Kind kinds[3];
  In child = In::Nothing;
};

inline constexpr ArrayShape arrays[] = {
    {In::Expect, 0, 0, {Kind::Array}, In::ExpectRow},
    {In::ExpectRow, 3, 3, {Kind::Number, Kind::Number, Kind::Array}, In::Contributions},
    {In::Contributions, 1, 0, {Kind::Array}, In::Contribution},
    {In::Contribution, 2, 2, {Kind::Number, Kind::Number}},
    {In::Placements, 1, 2, {Kind::String, Kind::String}},
    {In::TargetSettings, 0, 0, {Kind::String}},
    {In::Geometry, 0, 0, {Kind::Object}, In::Level},
    {In::Endpoints, 0, 0, {Kind::Number}},
    {In::Neighbours, 0, 0, {Kind::Array}, In::Neighbour},
    {In::Neighbour, 3, 3, {Kind::Number, Kind::String, Kind::Number}},
    {In::Communicators, 0, 0, {Kind::Object}, In::Communicator},
    {In::Groups, 0, 0, {Kind::Array}, In::Group},
    {In::Group, 1, 0, {Kind::Number}},
    {In::Calls, 0, 0, {Kind::Object}, In::Call},
    {In::Phases, 0, 0, {Kind::StringOrObject}, In::Phase},
    {In::Files, 0, 0, {Kind::String}},
    {In::Locations, 0, 0, {Kind::Array}, In::Location},
    {In::Location, 2, 3, {Kind::Number, Kind::Number, Kind::Number}},
    {In::Ranks, 0, 0, {Kind::Object}, In::Rank},
    {In::Threadblocks, 0, 0, {Kind::Object}, In::Threadblock},
    {In::Steps, 0, 0, {Kind::Object}, In::Step},
    {In::Source, 2, 2, {Kind::String, Kind::Number}},
    {In::Destination, 2, 2, {Kind::String, Kind::Number}},
    {In::Wait, 2, 2, {Kind::Number, Kind::Number}},
};

inline constexpr std::array<const ArrayShape *, numIn> shapes = [] {
  std::array<const ArrayShape *, numIn> byArray{};
  for (const ArrayShape &shape : arrays)
    byArray[size_t(shape.array)] = &shape;
  return byArray;
}();

/// Null for an object.
inline const ArrayShape *shapeOf(In in) { return shapes[size_t(in)]; }

inline const char *describe(Kind kind) {
  switch (kind) {
  case Kind::Number:
    return "a whole number";
  case Kind::String:
    return "a string";
  case Kind::NumberOrString:
    return "a whole number or a string";
  case Kind::StringOrObject:
    return "a string or an object";
  case Kind::Bool:
    return "true or false";
  case Kind::Object:
    return "an object";
  case Kind::Array:
    return "an array";
  }
  llvm_unreachable("unknown kind");
}

} // namespace cclc::json

#endif // CCL_LIB_FORMATS_PLANJSONSCHEMA_H
