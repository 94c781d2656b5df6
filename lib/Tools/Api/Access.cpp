//===- Access.cpp - Values of the libraries for the interface -------------===//
//
// Diagnostics, failures and names are converted here, so that no header of the interface has a
// type of the libraries.
//
//===----------------------------------------------------------------------===//

#include "Access.h"

#include "cclc/Sim/Data/TypeNames.h"
#include "cclc/Support/Spelling.h"
#include "cclc/Support/Watch.h"

using namespace cclc;
using namespace cclc::api;

static Place placeOf(const Location &loc) { return {loc.file, loc.line, loc.column}; }

std::vector<Message> api::messagesOf(const DiagnosticEngine &diags) {
  std::vector<Message> messages;
  const DiagnosticEngine distinct = diags.withoutRepeats();
  for (const Diagnostic &each : distinct.all()) {
    Message message{static_cast<api::Severity>(each.severity), placeOf(each.loc), each.text, {}};
    for (const Diagnostic::Note &note : each.notes)
      message.notes.push_back({placeOf(note.loc), note.text});
    messages.push_back(std::move(message));
  }
  return messages;
}

LogicalResult api::checkSteps(const Plan &plan, const char *what, DiagnosticEngine &diags) {
  if (!PlanAccess::content(plan)->mscclpp())
    return success();
  return diags.error({}, std::string(what) + " applies to plans of steps, not to those of MSCCL++: "
                                             "convert the plan");
}

api::Failure api::failureOf(cclc::Failure kind) {
  switch (kind) {
  case cclc::Failure::Unusable:
    return api::Failure::Unusable;
  case cclc::Failure::Wrong:
  case cclc::Failure::Unfit:
    return api::Failure::Wrong;
  case cclc::Failure::Defect:
    return api::Failure::Internal;
  }
  llvm_unreachable("unknown failure");
}

std::function<void(StringRef)> api::stagesOf(const Progress &progress,
                                             const std::optional<Cancellation> &cancellation) {
  if (!progress && !cancellation)
    return {};
  return [progress, cancellation](StringRef stage) {
    Watch::look();
    if (progress)
      progress(std::string_view(stage));
    if (cancellation && cancellation->isRequested())
      throw Cancelled();
  };
}

FailureOr<TargetRequest> api::requestOf(const Target &target, const std::string &folder,
                                        DiagnosticEngine &diags) {
  TargetRequest request{target.name, folder, {}, std::nullopt};
  if (failed(parseOverrides(target.settings, request.overrides, diags)))
    return failure();
  return request;
}

FailureOr<Machine> api::machineFor(const ProgramInfo &plan, const Target &target,
                                   const std::string &folder, DiagnosticEngine &diags) {
  FailureOr<TargetRequest> request = requestOf(target, folder, diags);
  if (failed(request))
    return failure();
  return target.name.empty() ? loadTargetOf(plan, folder, request->overrides, diags)
                             : loadTargetFor(&plan, std::move(*request), diags);
}

FailureOr<DataType> api::typeOf(const std::string &name, DiagnosticEngine &diags) {
  if (std::optional<DataType> type = parseDataType(name))
    return *type;
  return diags.error({}, unknownWord("element type", name, dataTypeNames()));
}

FailureOr<ReduceOp> api::operatorOf(const std::string &name, DiagnosticEngine &diags) {
  if (std::optional<ReduceOp> op = parseReduceOp(name))
    return *op;
  return diags.error({}, unknownWord("operator", name, reduceOpNames()));
}

std::optional<Slots> api::slotsOf(std::optional<uint32_t> number) {
  if (!number)
    return std::nullopt;
  return *number == unlimitedSlots ? Slots::unlimited() : Slots(*number);
}
