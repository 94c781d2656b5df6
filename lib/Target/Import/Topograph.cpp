//===- Topograph.cpp - Instances of topograph -----------------------------===//
//
// The engine `graph` of topograph writes a JSON object with the list `instances`. Each has an `id`,
// and in `network_layers` the names of the switches above it, the closest one first:
//
//   {"instances": [{"id": "I21", "network_layers": ["leaf-a", "spine-a"]}]}
//
// Domains of accelerators, which are attributes, have no rates.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"
#include "SwitchTree.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
constexpr size_t mostJsonBytes = 1 << 24;

/// The switches of \p instances with what is below each.
FailureOr<std::vector<TreeSwitch>> switchesOf(const Json &instances, const ForeignFile &file,
                                              DiagnosticEngine &diags) {
  std::vector<TreeSwitch> switches;
  llvm::StringMap<size_t> indices;
  std::set<std::pair<std::string, std::string>> known; // above and below
  for (const Json &instance : instances) {
    std::vector<std::string> path; // from the instance up
    auto add = [&](const Json &name) {
      if (name.is_string())
        path.push_back(name.get<std::string>());
      return name.is_string();
    };
    bool isRight = instance.is_object() && instance.contains("id") && add(instance["id"]) &&
                   instance.contains("network_layers") && instance["network_layers"].is_array() &&
                   llvm::all_of(instance["network_layers"], add);
    if (!isRight)
      return diags.error({file.name},
                         formatv("instance {0} has no 'id' and 'network_layers', a list "
                                 "of names",
                                 &instance - &instances[0]));
    for (size_t layer = 1; layer < path.size(); ++layer) {
      auto [found, isNew] = indices.try_emplace(path[layer], switches.size());
      if (isNew)
        switches.push_back({path[layer], {}, {}, {file.name}});
      TreeSwitch &above = switches[found->second];
      if (known.insert({path[layer], path[layer - 1]}).second)
        (layer == 1 ? above.hosts : above.switches).push_back(path[layer - 1]);
    }
  }
  return switches;
}
} // namespace

bool cclc::isTopograph(StringRef text) {
  return text.ltrim().starts_with("{") && text.contains("\"instances\"");
}

FailureOr<Fabric> cclc::readTopograph(const ForeignFile &file, const ImportOptions &options,
                                      DiagnosticEngine &diags) {
  if (file.text.size() > mostJsonBytes)
    return diags.error({file.name}, "is too large for instances of topograph");
  Json document;
  try {
    document = parseOrderedJson(file.text);
  } catch (const nlohmann::json::exception &error) {
    return diags.error({file.name}, jsonMessage(error.what()));
  }
  if (!document.is_object() || !document.contains("instances") || !document["instances"].is_array())
    return diags.error({file.name}, "has no list 'instances'");
  FailureOr<std::vector<TreeSwitch>> switches = switchesOf(document["instances"], file, diags);
  return failed(switches) ? FailureOr<Fabric>(failure())
                          : fabricOf(*switches, "instances of topograph", file, options, diags);
}
