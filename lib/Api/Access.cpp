#include "Access.h"

using namespace cclc;
using namespace cclc::api;

static Place placeOf(const Location &loc) { return {loc.file, loc.line, loc.column}; }

std::vector<Message> api::messagesOf(const DiagnosticEngine &diags) {
  std::vector<Message> messages;
  for (const Diagnostic &each : diags.all()) {
    Message message{static_cast<api::Severity>(each.severity), placeOf(each.loc), each.text, {}};
    for (const Diagnostic::Note &note : each.notes)
      message.notes.push_back({placeOf(note.loc), note.text});
    messages.push_back(std::move(message));
  }
  return messages;
}

Failure api::failureOf(ExitCode code) {
  return code == ExitCode::Wrong      ? Failure::Wrong
         : code == ExitCode::Unusable ? Failure::Unusable
                                      : Failure::Internal;
}

FailureOr<TargetRequest> api::requestOf(const Target &target, const std::string &folder,
                                        DiagnosticEngine &diags) {
  TargetRequest request{target.name, folder, {}, std::nullopt};
  if (failed(parseOverrides(target.settings, request.overrides, diags)))
    return failure();
  return request;
}

FailureOr<DataType> api::typeOf(const std::string &name, DiagnosticEngine &diags) {
  if (std::optional<DataType> type = parseDataType(name))
    return *type;
  return diags.error({}, "unknown element type '" + name +
                             "'; the types are f16, bf16, f32, f64, i8, i32, i64, u8");
}

FailureOr<CollectiveKind> api::collectiveOf(const std::string &name, DiagnosticEngine &diags) {
  std::optional<CollectiveKind> kind = parseCollective(name);
  if (kind && *kind != CollectiveKind::Custom)
    return *kind;
  return diags.error({}, "unknown collective '" + name + "'");
}
