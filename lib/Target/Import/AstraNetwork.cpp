//===- AstraNetwork.cpp - Network files of ASTRA-sim ----------------------===//
//
// The analytical network of ASTRA-sim (Won et al., "ASTRA-sim 2.0", ISPASS 2023) is a product of
// dimensions, as is the shape `composed` of a target. Its file has four lists with an entry for
// each dimension: `topology`, `npus_count`, `bandwidth` in GB/s and `latency` in ns, both of a link
// in one direction. LLVM's YAML parser reads the file; its size is limited, because the parser is
// recursive.
//
//===----------------------------------------------------------------------===//

#include "AstraSystem.h"
#include "Readers.h"
#include "YamlText.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <cmath>
#include <map>

using namespace cclc;
using llvm::formatv;
namespace yaml = llvm::yaml;

namespace {
constexpr size_t mostBytes = 1 << 16, mostBrackets = 1000;
/// The most members of a machine, as in targets.
constexpr uint64_t maxEndpoints = 1 << 16;
constexpr std::array topologies = {"Ring", "FullyConnected", "Switch"};
constexpr std::array kinds = {"ring", "fully_connected", "switch"};
constexpr std::array keys = {"topology", "npus_count", "bandwidth", "latency"};

struct Entry {
  std::string text;
  Location at;
};
struct List {
  std::vector<Entry> entries;
  Location at;
};

class Reader {
public:
  Reader(StringRef text, StringRef file, DiagnosticEngine &diags)
      : text(text), file(file), diags(diags), source(file, diags) {}

  /// The lists by key.
  FailureOr<std::map<std::string, List>> read() {
    if (text.size() > mostBytes || text.count('[') + text.count('{') > mostBrackets)
      return diags.error({file.str()}, "is too large for a network file");
    yaml::Stream stream(text, source.manager());
    auto document = stream.begin();
    yaml::Node *root = document == stream.end() ? nullptr : document->getRoot();
    auto *map = llvm::dyn_cast_or_null<yaml::MappingNode>(root);
    if (!map)
      return diags.error({file.str()}, "is not a network file: it has no keys");
    std::map<std::string, List> lists;
    for (yaml::KeyValueNode &pair : *map)
      if (failed(readKey(pair, lists)))
        return failure();
    if (stream.failed() || diags.hasErrors())
      return failure();
    for (StringRef key : keys)
      if (!lists.count(key.str()))
        return diags.error({file.str()}, "'" + key + "' is missing");
    return lists;
  }

private:
  LogicalResult readKey(yaml::KeyValueNode &pair, std::map<std::string, List> &lists) {
    SmallVector<char, 32> space;
    auto *name = llvm::dyn_cast_or_null<yaml::ScalarNode>(pair.getKey());
    if (!name)
      return diags.error({file.str()}, "a key is not a word");
    std::string key = name->getValue(space).str();
    Location at = source.placeOf(*name);
    if (!llvm::is_contained(keys, StringRef(key))) {
      diags.warning(at, "'" + key + "' is ignored: a target has no such value");
      pair.skip();
      return success();
    }
    auto *values = llvm::dyn_cast_or_null<yaml::SequenceNode>(pair.getValue());
    if (!values)
      return diags.error(at, "'" + key + "' takes a list with a value for each dimension");
    auto [entry, isNew] = lists.try_emplace(key);
    if (!isNew)
      return diags.error(at, "'" + key + "' is a duplicate");
    entry->second.at = at;
    for (yaml::Node &value : *values) {
      auto *scalar = llvm::dyn_cast<yaml::ScalarNode>(&value);
      if (!scalar)
        return diags.error(source.placeOf(value), "'" + key + "' takes a list of single values");
      entry->second.entries.push_back({scalar->getValue(space).str(), source.placeOf(value)});
    }
    return success();
  }

  StringRef text, file;
  DiagnosticEngine &diags;
  YamlSource source;
};

/// A number from \p low to \p high, which \p range describes.
FailureOr<double> numberOf(const Entry &entry, StringRef key, double low, double high,
                           StringRef range, DiagnosticEngine &diags) {
  double value;
  if (StringRef(entry.text).getAsDouble(value) || !(value >= low && value <= high))
    return diags.error(entry.at, formatv("'{0}' takes {1}, not '{2}'", key, range, entry.text));
  return value;
}

FailureOr<nlohmann::ordered_json> dimensionOf(std::map<std::string, List> &lists, size_t d,
                                              DiagnosticEngine &diags) {
  const Entry &topology = lists["topology"].entries[d];
  auto kind = llvm::find(topologies, StringRef(topology.text));
  if (kind == topologies.end())
    return diags.error(topology.at, "'topology' " + mustBeOneOf(topologies, topology.text));
  const Entry &count = lists["npus_count"].entries[d];
  uint32_t size;
  if (StringRef(count.text).getAsInteger(10, size) || size < 1 || size > maxEndpoints)
    return diags.error(count.at, formatv("'npus_count' takes a whole number from 1 to {0}, not "
                                         "'{1}'",
                                         maxEndpoints, count.text));
  auto rate = numberOf(lists["bandwidth"].entries[d], "bandwidth", 1e-6, 1e6,
                       "GB/s from 0.000001 to 1000000", diags);
  auto latency = numberOf(lists["latency"].entries[d], "latency", 0, 1e9,
                          "nanoseconds from 0 to 1000000000", diags);
  if (failed(rate) || failed(latency))
    return failure();
  return nlohmann::ordered_json{{"kind", kinds[kind - topologies.begin()]},
                                {"size", size},
                                {"bandwidth", uint64_t(std::llround(*rate * 1e9))},
                                {"propagation", *latency / 1e9}};
}
} // namespace

bool cclc::isAstraNetwork(StringRef text) {
  return llvm::any_of(llvm::split(text, '\n'), [](StringRef line) {
    return llvm::any_of(keys, [&](StringRef key) { return line.starts_with((key + ":").str()); });
  });
}

FailureOr<std::string> cclc::importAstraNetwork(const ForeignFile &file,
                                                const ImportOptions &options,
                                                DiagnosticEngine &diags) {
  auto lists = Reader(file.text, file.name, diags).read();
  if (failed(lists))
    return failure();
  size_t dimensions = (*lists)["topology"].entries.size();
  for (StringRef key : keys)
    if (const List &list = (*lists)[key.str()]; list.entries.size() != dimensions)
      return diags.error(list.at, formatv("'{0}' has {1}, but 'topology' has {2}", key,
                                          counted(list.entries.size(), "value"), dimensions));
  nlohmann::ordered_json target;
  target["name"] = options.name;
  target["family"] = "graph";
  target["description"] = "imported from a network file of ASTRA-sim";
  target["shape"] = "composed";
  target["dimensions"] = nlohmann::ordered_json::array();
  uint64_t endpoints = 1;
  for (size_t d = 0; d < dimensions; ++d) {
    FailureOr<nlohmann::ordered_json> dimension = dimensionOf(*lists, d, diags);
    if (failed(dimension))
      return failure();
    endpoints *= (*dimension)["size"].get<uint64_t>();
    if (endpoints > maxEndpoints)
      return diags.error((*lists)["npus_count"].at,
                         formatv("'npus_count' results in more than {0} ranks", maxEndpoints));
    target["dimensions"].push_back(std::move(*dimension));
  }
  if (dimensions == 0)
    return diags.error((*lists)["topology"].at, "'topology' has no dimension");
  if (options.system && failed(addAstraSystem(*options.system, target, diags)))
    return failure();
  return jsonText(target) + "\n";
}
