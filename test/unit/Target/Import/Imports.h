//===- Imports.h - Imported targets as lines of text ------------*- C++ -*-===//

#ifndef CCL_TEST_UNIT_TARGET_IMPORT_IMPORTS_H
#define CCL_TEST_UNIT_TARGET_IMPORT_IMPORTS_H

#include "../../../support/Lines.h"

#include "cclc/Target/Import/Import.h"

#include <nlohmann/json.hpp>

#include <string>

namespace cclc::test {

/// The links of the target of \p text, as "gpu0 - gpu1 100", in GB/s, or "failed"; \p messages are
/// the diagnostics, one per line.
inline std::string linksOf(const std::string &text, const ImportOptions &options,
                           std::string &messages) {
  DiagnosticEngine diags;
  FailureOr<std::string> target = importMachine({"file", text}, options, diags);
  messages.clear();
  for (const Diagnostic &found : diags.all())
    messages += found.textWithNotes() + "\n";
  if (failed(target))
    return "failed";
  std::string lines;
  const nlohmann::json read = nlohmann::json::parse(*target);
  for (const auto &link : read.value("links", nlohmann::json::array())) {
    std::string rate = "no limit";
    if (link.contains("bandwidth"))
      rate = std::to_string(link["bandwidth"].get<uint64_t>() / 1'000'000'000);
    lines +=
        link["from"].get<std::string>() + " - " + link["to"].get<std::string>() + " " + rate + "\n";
  }
  return lines;
}

inline std::string linksOf(const std::string &text, const ImportOptions &options = {}) {
  std::string messages;
  return linksOf(text, options, messages);
}

} // namespace cclc::test

#endif // CCL_TEST_UNIT_TARGET_IMPORT_IMPORTS_H
