//===- YamlText.cpp - Files of YAML ---------------------------------------===//
//
// Values are converted without recursion deeper than mostLevels, as the nodes of LLVM's parser are
// parsed when they are visited.
//
//===----------------------------------------------------------------------===//

#include "YamlText.h"

#include "llvm/ADT/StringExtras.h"

using namespace cclc;
namespace yaml = llvm::yaml;

namespace {
constexpr unsigned mostLevels = 32;

/// Whether \p node, which may be null after an error, has been converted.
bool convert(yaml::Node *node, unsigned level, nlohmann::ordered_json &value,
             const YamlSource &source, DiagnosticEngine &diags) {
  SmallVector<char, 32> space;
  if (!node)
    return false;
  if (level > mostLevels) {
    diags.error(source.placeOf(*node), "has too many levels");
    return false;
  }
  if (auto *scalar = llvm::dyn_cast<yaml::ScalarNode>(node)) {
    value = scalar->getValue(space).str();
  } else if (auto *block = llvm::dyn_cast<yaml::BlockScalarNode>(node)) {
    value = block->getValue().str();
  } else if (auto *list = llvm::dyn_cast<yaml::SequenceNode>(node)) {
    value = nlohmann::ordered_json::array();
    for (yaml::Node &element : *list)
      if (!convert(&element, level + 1, value.emplace_back(), source, diags))
        return false;
  } else if (auto *map = llvm::dyn_cast<yaml::MappingNode>(node)) {
    value = nlohmann::ordered_json::object();
    for (yaml::KeyValueNode &pair : *map) {
      auto *key = llvm::dyn_cast_or_null<yaml::ScalarNode>(pair.getKey());
      if (!key) {
        diags.error(source.placeOf(*node), "has a key that is not a word");
        return false;
      }
      std::string name = key->getValue(space).str();
      if (!convert(pair.getValue(), level + 1, value[name], source, diags))
        return false;
    }
  } else if (!llvm::isa<yaml::NullNode>(node)) {
    diags.error(source.placeOf(*node), "has a reference to another value, which is not supported");
    return false;
  }
  return true;
}
} // namespace

YamlSource::YamlSource(StringRef file, DiagnosticEngine &diags) : file(file.str()), diags(diags) {
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &found, void *context) {
        auto &source = *static_cast<YamlSource *>(context);
        // Messages begin in lower case and have no full stop.
        std::string what = found.getMessage().rtrim(".!").str();
        if (!what.empty())
          what[0] = llvm::toLower(what[0]);
        source.diags.error({source.file, unsigned(std::max(found.getLineNo(), 0)),
                            unsigned(found.getColumnNo() + 1)},
                           what);
      },
      this);
}

Location YamlSource::placeOf(const yaml::Node &node) const {
  llvm::SMLoc start = node.getSourceRange().Start;
  if (!sources.FindBufferContainingLoc(start))
    return {file};
  auto [line, column] = sources.getLineAndColumn(start);
  return {file, line, column};
}

FailureOr<nlohmann::ordered_json> cclc::parseYaml(StringRef text, StringRef file,
                                                  DiagnosticEngine &diags) {
  YamlSource source(file, diags);
  yaml::Stream stream(text, source.manager());
  auto document = stream.begin();
  nlohmann::ordered_json value;
  bool read = document != stream.end() && convert(document->getRoot(), 0, value, source, diags) &&
              !stream.failed();
  if (!read && !diags.hasErrors())
    diags.error({file.str()}, "is not valid YAML");
  return diags.hasErrors() ? FailureOr<nlohmann::ordered_json>(failure()) : std::move(value);
}
