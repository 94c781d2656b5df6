//===- YamlText.h - Files of YAML -------------------------------*- C++ -*-===//
//
// LLVM's parser of YAML reports errors by a callback, and places by pointers into the text.
//
//===----------------------------------------------------------------------===//

#ifndef CCL_LIB_TARGET_IMPORT_YAMLTEXT_H
#define CCL_LIB_TARGET_IMPORT_YAMLTEXT_H

#include "JsonText.h"

#include "cclc/Support/Diagnostics.h"

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

namespace cclc {

/// The errors and the places of a file that is being parsed.
class YamlSource {
public:
  YamlSource(StringRef file, DiagnosticEngine &diags);
  YamlSource(const YamlSource &) = delete;
  llvm::SourceMgr &manager() { return sources; }
  /// Where a node is. One that the parser makes up after an error is nowhere in the text.
  Location placeOf(const llvm::yaml::Node &node) const;

private:
  std::string file;
  DiagnosticEngine &diags;
  llvm::SourceMgr sources;
};

/// The value of \p text: objects, arrays, and scalars as strings.
FailureOr<nlohmann::ordered_json> parseYaml(StringRef text, StringRef file,
                                            DiagnosticEngine &diags);

} // namespace cclc

#endif // CCL_LIB_TARGET_IMPORT_YAMLTEXT_H
