//===- PlanAttributes.h - A table of the scalar fields of plans -*- C++ -*-===//
//
// One row per field that is a single value. The text, JSON and binary forms and the comparison of
// plans use these tables, in this order, so that a new field needs a member, a row, and its
// position in binary files (lib/Formats/PlanBinLayout.h).
//
//===----------------------------------------------------------------------===//

#ifndef CCL_IR_PLANATTRIBUTES_H
#define CCL_IR_PLANATTRIBUTES_H

#include "cclc/IR/ExecPlan.h"

namespace cclc {

class ChunkProgram;
class InstrProgram;

/// The newest version of the text, JSON and binary form; older versions are read as well.
inline constexpr unsigned planVersion = 7;

/// A field of the header. All values are represented as numbers.
struct HeaderAttribute {
  enum class Kind : uint8_t {
    Number,
    Protocol, ///< an enumerator; files contain its name
    Slots,    ///< 0: unlimited, "inf" in files
  };
  using Value = std::optional<uint64_t>;

  const char *key;     ///< in JSON and in comparisons
  const char *keyword; ///< in text
  const char *noun;    ///< for errors: "the number of instances"
  Kind kind = Kind::Number;
  uint64_t least = 0, most = ~uint64_t(0); ///< except 0 for unlimited slots
  const char *tooSmall = nullptr;          ///< error message for values below \p least
  Value otherwise = std::nullopt;          ///< the default
  bool plansOnly = false;                  ///< not at the chunk and instruction level
  bool inXml = false;                      ///< MSCCL XML has the same field
  unsigned since = 1;                      ///< first version
  Value (*get)(const ProgramInfo &);
  void (*set)(ProgramInfo &, uint64_t);

  /// "LL", "8" or "inf".
  std::string text(uint64_t value) const;
  Value parse(StringRef text) const;
};

inline constexpr HeaderAttribute headerAttributes[] = {
    {.key = "protocol",
     .keyword = "proto",
     .noun = "a protocol",
     .kind = HeaderAttribute::Kind::Protocol,
     .most = numProtocols - 1,
     .otherwise = 0,
     .inXml = true,
     .get = [](const ProgramInfo &info) { return HeaderAttribute::Value(uint64_t(info.protocol)); },
     .set = [](ProgramInfo &info, uint64_t value) { info.protocol = Protocol(value); }},
    {.key = "instances",
     .keyword = "instances",
     .noun = "the number of instances",
     .least = 1,
     .most = 1 << 16,
     .tooSmall = "a program has at least one instance",
     .otherwise = 1,
     .get = [](const ProgramInfo &info) { return HeaderAttribute::Value(info.instances); },
     .set = [](ProgramInfo &info, uint64_t value) { info.instances = value; }},
    {.key = "slots",
     .keyword = "slots",
     .noun = "a number of slots or inf",
     .kind = HeaderAttribute::Kind::Slots,
     .least = 1,
     .most = ~uint32_t(0),
     .tooSmall = "a connection has at least one slot",
     .plansOnly = true,
     .get = [](const ProgramInfo &info) -> HeaderAttribute::Value {
       if (!info.slots)
         return std::nullopt;
       return info.slots->isUnlimited() ? 0 : info.slots->limit();
     },
     .set = [](ProgramInfo &info,
               uint64_t value) { info.slots = value ? Slots(value) : Slots::unlimited(); }},
    {.key = "min_bytes",
     .keyword = "min",
     .noun = "a number of bytes",
     .otherwise = 0,
     .get = [](const ProgramInfo &info) { return HeaderAttribute::Value(info.minBytes); },
     .set = [](ProgramInfo &info, uint64_t value) { info.minBytes = value; }},
    {.key = "max_bytes",
     .keyword = "max",
     .noun = "a number of bytes",
     .get = [](const ProgramInfo &info) { return info.maxBytes; },
     .set = [](ProgramInfo &info, uint64_t value) { info.maxBytes = value; }},
    {.key = "slot_size",
     .keyword = "slotsize",
     .noun = "a number of bytes",
     .least = 1,
     .tooSmall = "a slot has at least one byte",
     .since = 5,
     .get = [](const ProgramInfo &info) { return info.slotBytes; },
     .set = [](ProgramInfo &info, uint64_t value) { info.slotBytes = value; }},
};

/// A field of a step other than its operation and its wait. The default, 0, is not written.
struct StepAttribute {
  StringRef key; ///< in JSON and in text
  bool isFlag;   ///< true or false; in text, present or absent
  uint32_t (*most)(const ProgramInfo &);
  uint32_t (*get)(const Step &);
  void (*set)(Step &, uint32_t);
  unsigned since = 1; ///< first version
};

inline constexpr StepAttribute stepAttributes[] = {
    {.key = "pub",
     .isFlag = true,
     .most = [](const ProgramInfo &) { return 1u; },
     .get = [](const Step &step) { return uint32_t(step.publishes); },
     .set = [](Step &step, uint32_t value) { step.publishes = value; }},
    {.key = "phase",
     .isFlag = false,
     .most = [](const ProgramInfo &info) { return uint32_t(info.phases.size() - 1); },
     .get = [](const Step &step) { return uint32_t(step.phase); },
     .set = [](Step &step, uint32_t value) { step.phase = value; }},
};

/// Whether the program marks operations as those of switches (Directive::inSwitch).
bool marksSwitchOperations(const ProgramInfo &info);

/// The version to write: the oldest one, from 3 on, that has all attributes of the plan. Files
/// without new attributes keep their bytes and can be read by older tools.
unsigned versionFor(const ExecPlan &plan);
unsigned versionFor(const ChunkProgram &program);
unsigned versionFor(const InstrProgram &program);

} // namespace cclc

#endif // CCL_IR_PLANATTRIBUTES_H
