//===- SlurmYaml.cpp - topology.yaml of SLURM -----------------------------===//
//
// A list of topologies, of which SLURM uses the first with `cluster_default` unless a partition
// names another one (topology.yaml(5) of SLURM):
//
//   - topology: ib
//     cluster_default: true
//     tree:
//       switches:
//         - {switch: spine, children: "leaf[1-2]"}
//         - {switch: leaf1, nodes: "n[1-4]"}
//
// In place of `tree` it has `block` with `blocks`, or `flat`, in which all hosts share a switch.
//
//===----------------------------------------------------------------------===//

#include "Readers.h"
#include "SwitchTree.h"
#include "YamlText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
constexpr size_t mostYamlBytes = 1 << 22;

/// The text of \p key, or an empty one.
std::string textOf(const Json &object, const char *key) {
  auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

class TopologiesReader {
public:
  TopologiesReader(const ForeignFile &file, const ImportOptions &options, DiagnosticEngine &diags)
      : file(file), options(options), diags(diags) {}

  FailureOr<std::vector<TreeSwitch>> read() {
    if (file.text.size() > mostYamlBytes)
      return diags.error({file.name}, "is too large for a topology file of SLURM");
    FailureOr<Json> list = parseYaml(file.text, file.name, diags);
    if (failed(list))
      return failure();
    const Json *chosen = choose(*list);
    if (!chosen)
      return diags.error({file.name}, "has no topology with 'tree', 'block' or 'flat'");
    if (chosen->contains("tree"))
      return readEntries((*chosen)["tree"], "switches", "switch");
    if (!chosen->contains("block"))
      return flat();
    FailureOr<std::vector<TreeSwitch>> blocks = readEntries((*chosen)["block"], "blocks", "block");
    return failed(blocks) ? FailureOr<std::vector<TreeSwitch>>(failure())
                          : withFabric(std::move(*blocks));
  }

private:
  /// The first topology that is the default, else the first one. One without switches needs the
  /// names of the hosts.
  const Json *choose(const Json &list) {
    std::vector<const Json *> topologies;
    for (const Json &entry : list)
      if (entry.is_object() &&
          (entry.contains("tree") || entry.contains("block") ||
           (entry.contains("flat") && (!options.hosts.empty() || list.size() == 1))))
        topologies.push_back(&entry);
    const Json *chosen = topologies.empty() ? nullptr : topologies.front();
    for (const Json *entry : llvm::reverse(topologies))
      if (StringRef(textOf(*entry, "cluster_default")).equals_insensitive("true"))
        chosen = entry;
    if (list.size() > 1 && chosen)
      diags.warning({file.name}, formatv("has {0} topologies, of which '{1}' is imported",
                                         list.size(), textOf(*chosen, "topology")));
    return chosen;
  }

  FailureOr<std::vector<TreeSwitch>> flat() {
    if (options.hosts.empty())
      return diags.error({file.name}, "has a flat topology without hosts: state them by --nodes "
                                      "with a list");
    return std::vector<TreeSwitch>{{"fabric", options.hosts, {}, {file.name}}};
  }

  FailureOr<std::vector<TreeSwitch>> readEntries(const Json &kind, const char *listKey,
                                                 const char *nameKey) {
    std::vector<TreeSwitch> entries;
    if (!kind.is_object() || !kind.contains(listKey) || !kind[listKey].is_array())
      return diags.error({file.name}, formatv("has no list '{0}'", listKey));
    for (const Json &element : kind[listKey]) {
      TreeSwitch entry{element.is_object() ? textOf(element, nameKey) : "", {}, {}, {file.name}};
      if (entry.name.empty())
        return diags.error({file.name},
                           formatv("an element of '{0}' has no '{1}'", listKey, nameKey));
      for (auto [key, place] : {std::pair("nodes", &entry.hosts), {"children", &entry.switches}})
        if (std::string text = textOf(element, key); !text.empty()) {
          FailureOr<std::vector<std::string>> list = names.of(text, {file.name}, diags);
          if (failed(list))
            return failure();
          *place = std::move(*list);
        }
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  const ForeignFile &file;
  const ImportOptions &options;
  DiagnosticEngine &diags;
  TreeNames names;
};
} // namespace

bool cclc::isSlurmYaml(StringRef text) {
  return llvm::any_of(llvm::split(text, '\n'), [](StringRef line) {
    return line.ltrim().consume_front("-") && line.ltrim("- ").starts_with("topology:");
  });
}

FailureOr<Fabric> cclc::readSlurmYaml(const ForeignFile &file, const ImportOptions &options,
                                      DiagnosticEngine &diags) {
  FailureOr<std::vector<TreeSwitch>> switches = TopologiesReader(file, options, diags).read();
  return failed(switches) ? FailureOr<Fabric>(failure())
                          : fabricOf(*switches, "topology.yaml of SLURM", file, options, diags);
}
