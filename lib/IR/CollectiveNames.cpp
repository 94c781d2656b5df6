#include "cclc/IR/CollectiveNames.h"

#include "cclc/Support/Spelling.h"

using namespace cclc;

std::vector<std::string> cclc::collectiveNames() {
  std::vector<std::string> names;
  for (unsigned kind = 0; kind < unsigned(CollectiveKind::Custom); ++kind)
    names.emplace_back(collectiveName(static_cast<CollectiveKind>(kind)));
  return names;
}

FailureOr<CollectiveKind> cclc::parseCollective(StringRef name, DiagnosticEngine &diags) {
  std::optional<CollectiveKind> kind = parseCollective(std::string_view(name));
  if (kind && *kind != CollectiveKind::Custom)
    return *kind;
  return diags.error({}, unknownWord("collective", name, collectiveNames()));
}
