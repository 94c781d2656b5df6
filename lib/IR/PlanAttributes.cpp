//===- PlanAttributes.cpp - Attribute values as text ----------------------===//
//
// All forms and messages use the same spelling of a value: decimal numbers, names of
// enumerators, and "inf" for unlimited slots.
//
//===----------------------------------------------------------------------===//

#include "cclc/IR/PlanAttributes.h"

#include "cclc/IR/ChunkProgram.h"
#include "cclc/IR/InstrProgram.h"

#include "llvm/ADT/STLExtras.h"

using namespace cclc;

std::string HeaderAttribute::text(uint64_t value) const {
  switch (kind) {
  case Kind::Number:
    break;
  case Kind::Protocol:
    return protocolName(Protocol(value)).str();
  case Kind::Slots:
    if (value == 0)
      return Slots::unlimited().str();
    break;
  }
  return std::to_string(value);
}

HeaderAttribute::Value HeaderAttribute::parse(StringRef text) const {
  if (kind == Kind::Protocol) {
    std::optional<Protocol> protocol = parseProtocol(text);
    return protocol ? Value(uint64_t(*protocol)) : std::nullopt;
  }
  if (kind == Kind::Slots && text == Slots::unlimited().str())
    return 0;
  uint64_t number;
  if (text.getAsInteger(10, number) || number < least || number > most)
    return std::nullopt;
  return number;
}

static unsigned versionForHeader(const ProgramInfo &info) {
  if (!info.options.empty())
    return 7;
  unsigned version = info.rotations.empty() ? 3 : 4;
  for (const HeaderAttribute &attribute : headerAttributes)
    if (attribute.since > version && attribute.get(info) != attribute.otherwise)
      version = attribute.since;
  return version;
}

bool cclc::marksSwitchOperations(const ProgramInfo &info) {
  return llvm::any_of(info.directives, [](const Directive &d) { return d.inSwitch != 0; });
}

/// A pass may have removed the last operation with a directive.
unsigned cclc::versionFor(const ChunkProgram &program) {
  auto isMarked = [&](const ChunkOp &op) {
    return program.info().directives[op.directive].inSwitch != 0;
  };
  unsigned version = versionForHeader(program.info());
  return llvm::any_of(program.ops(), isMarked) ? std::max(version, 6u) : version;
}

unsigned cclc::versionFor(const InstrProgram &program) {
  auto isMarked = [&](const Instr &instr) {
    return program.info().directives[instr.directive].inSwitch != 0 ||
           program.info().directives[instr.sendDirective].inSwitch != 0;
  };
  unsigned version = versionForHeader(program.info());
  return llvm::any_of(program.instrs(), isMarked) ? std::max(version, 6u) : version;
}

unsigned cclc::versionFor(const ExecPlan &plan) {
  unsigned version = std::max(plan.usesSwitches() ? 6u : 0u, versionForHeader(plan.info()));
  for (const StepAttribute &attribute : stepAttributes)
    if (attribute.since > version && llvm::any_of(plan.steps(), attribute.get))
      version = attribute.since;
  return version;
}
