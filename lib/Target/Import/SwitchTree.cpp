//===- SwitchTree.cpp - Fabrics as trees without rates --------------------===//
//
// Schedulers know which hosts share a switch, and the switches above it. Unless its rate is stated,
// a switch has as much capacity to the switches above as to those below (a tree that does not
// block), in equal parts to each of them.
//
//===----------------------------------------------------------------------===//

#include "SwitchTree.h"

#include "cclc/Support/Decimal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace cclc;
using llvm::formatv;

namespace {
/// Names of hosts and switches in all lists, and a constant for each name.
constexpr size_t mostNameBytes = 1 << 26, bytesOfName = 32;
/// Assumed for a host, in bytes per second: an adapter of 4xNDR, or of 400 Gb/s.
constexpr uint64_t assumedHostRate = 50'000'000'000;
/// Of a link of a target.
constexpr uint64_t mostRate = 1'000'000'000'000'000'000;

class TreeBuilder {
public:
  TreeBuilder(ArrayRef<TreeSwitch> switches, const ForeignFile &file, const ImportOptions &options,
              DiagnosticEngine &diags)
      : switches(switches), file(file), options(options), diags(diags),
        hostRate(options.nodeRate.value_or(assumedHostRate)) {}

  FailureOr<Fabric> build(StringRef source) {
    fabric.source = source.str();
    if (failed(addNodes()) || failed(findParents()))
      return failure();
    if (!options.nodeRate)
      diags.warning({file.name},
                    formatv("the rate of a host is not in the file, and assumed to be {0} GB/s: "
                            "--node-bandwidth sets it",
                            gigabytesText(assumedHostRate)));
    for (size_t s = 0; s < switches.size(); ++s)
      for (const std::string &host : switches[s].hosts)
        fabric.cables.push_back(
            {{nodeOf[host], 0, ""}, {nodeOf[switches[s].name], 0, ""}, hostRate});
    return failed(addUplinks()) ? FailureOr<Fabric>(failure()) : std::move(fabric);
  }

private:
  LogicalResult addNodes() {
    for (const TreeSwitch &one : switches) {
      if (!indices.try_emplace(one.name, indices.size()).second)
        return diags.error(one.at, formatv("'{0}' is a duplicate", one.name));
      nodeOf[one.name] = fabric.nodes.size();
      fabric.nodes.push_back({one.name, false, 0});
    }
    for (const TreeSwitch &one : switches)
      for (const std::string &host : one.hosts) {
        auto [found, isNew] = nodeOf.try_emplace(host, fabric.nodes.size());
        if (isNew)
          fabric.nodes.push_back({host, true, 0});
        else if (!fabric.nodes[found->second].isHost)
          return diags.error(one.at, formatv("'{0}' is the name of a host and of a switch", host));
      }
    return success();
  }

  LogicalResult findParents() {
    parents.resize(switches.size());
    for (uint32_t s = 0; s < switches.size(); ++s)
      for (const std::string &child : switches[s].switches) {
        auto found = indices.find(child);
        if (found == indices.end())
          return diags.error(switches[s].at,
                             formatv("'{0}' has the switch '{1}', which is not in the file",
                                     switches[s].name, child));
        if (llvm::is_contained(parents[found->second], s))
          return diags.error(switches[s].at,
                             formatv("'{0}' has the switch '{1}' twice", switches[s].name, child));
        parents[found->second].push_back(s);
      }
    return success();
  }

  /// From the leaves up: the capacity to the switches above a switch follows from that below it.
  LogicalResult addUplinks() {
    std::vector<uint64_t> below(switches.size());
    std::vector<size_t> missing(switches.size());
    std::vector<uint32_t> ready;
    for (uint32_t s = 0; s < switches.size(); ++s) {
      below[s] = std::min(llvm::SaturatingMultiply<uint64_t>(switches[s].hosts.size(), hostRate),
                          mostRate);
      missing[s] = switches[s].switches.size();
      if (missing[s] == 0)
        ready.push_back(s);
    }
    bool assumes = false;
    for (size_t i = 0; i < ready.size(); ++i) {
      const uint32_t s = ready[i];
      const uint64_t rate = options.uplinkRate.value_or(below[s]);
      for (uint32_t parent : parents[s]) {
        assumes |= !options.uplinkRate;
        below[parent] = std::min(below[parent] + rate / parents[s].size(), mostRate);
        // Without hosts below there are no messages.
        if (below[s] > 0)
          fabric.cables.push_back({{nodeOf[switches[s].name], 0, ""},
                                   {nodeOf[switches[parent].name], 0, ""},
                                   std::max<uint64_t>(rate / parents[s].size(), 1)});
        if (--missing[parent] == 0)
          ready.push_back(parent);
      }
    }
    if (ready.size() < switches.size())
      for (size_t s = 0; s < switches.size(); ++s)
        if (missing[s] > 0)
          return diags.error(switches[s].at,
                             formatv("'{0}' is in a cycle of switches", switches[s].name));
    if (assumes)
      fabric.assumptions.insert(
          "a switch has the same rate to the switches above as to those below "
          "(--uplink-bandwidth sets the former)");
    return success();
  }

  ArrayRef<TreeSwitch> switches;
  const ForeignFile &file;
  const ImportOptions &options;
  DiagnosticEngine &diags;
  uint64_t hostRate;
  llvm::StringMap<uint32_t> indices; ///< of switches by name
  llvm::StringMap<uint32_t> nodeOf;  ///< of switches and hosts by name
  std::vector<std::vector<uint32_t>> parents;
  Fabric fabric;
};
} // namespace

FailureOr<std::vector<std::string>> TreeNames::of(StringRef list, const Location &at,
                                                  DiagnosticEngine &diags) {
  FailureOr<std::vector<std::string>> names = hostsOfList(list, at, diags);
  if (failed(names))
    return failure();
  for (const std::string &name : *names)
    bytes += name.size() + bytesOfName;
  if (bytes > mostNameBytes)
    return diags.error(at,
                       "is the list with which the file has too many names: import a part of it");
  return names;
}

std::vector<TreeSwitch> cclc::withFabric(std::vector<TreeSwitch> blocks) {
  TreeSwitch top{"fabric", {}, {}, blocks.front().at};
  for (const TreeSwitch &block : blocks)
    top.switches.push_back(block.name);
  blocks.push_back(std::move(top));
  return blocks;
}

FailureOr<Fabric> cclc::fabricOf(ArrayRef<TreeSwitch> switches, StringRef source,
                                 const ForeignFile &file, const ImportOptions &options,
                                 DiagnosticEngine &diags) {
  return TreeBuilder(switches, file, options, diags).build(source);
}
