//===- TargetHealth.cpp - GPUs and NICs of a machine and their siblings ---===//
//
// The links of a GPU lead to other GPUs, to switches of the node, or to its host and NICs; those of
// a NIC to its host or to the network. GPUs are siblings, and so are NICs, by the sum of the rates
// of each of these. Names tell what a node is: those of imported and bundled machines end in gpu
// and nic with a number. Other machines, such as lines and meshes, have ranks with different links.
//
//===----------------------------------------------------------------------===//

#include "FabricHealth.h"
#include "Siblings.h"

#include "cclc/Support/Text.h"
#include "cclc/Target/MachineParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
/// "gpu" of node0.gpu1.
StringRef kindOf(StringRef name) { return name.substr(name.rfind('.') + 1).rtrim("0123456789"); }

enum class Side : uint8_t { Gpus, Switches, Host, Network };

/// The links that are compared: of GPUs or NICs, to one side.
struct Comparison {
  bool ofNics;
  Side side;
  const char *to, *remedy;
};
constexpr const char *showsLinks = "'nvidia-smi nvlink -s' on the server shows the links";
constexpr const char *showsPcie =
    "'lspci -vv' on the server shows the speed and width of the link (LnkSta)";
constexpr Comparison comparisons[] = {
    {false, Side::Gpus, "to other GPUs", showsLinks},
    {false, Side::Switches, "to switches of its node", showsLinks},
    {false, Side::Host, "to its host and NICs", showsPcie},
    {true, Side::Host, "to its host and GPUs", showsPcie},
    {true, Side::Network, "to the network",
     "'ibstat' or 'ethtool' on the server shows the rates of the ports"}};

class Profile {
public:
  explicit Profile(const Machine &machine) : machine(machine), linksFrom(machine.nodes().size()) {
    for (uint32_t n = 0; n < machine.nodes().size(); ++n)
      nodes[nameOf(n)] = n;
    for (uint32_t l = 0; l < machine.links().size(); ++l)
      linksFrom[machine.links()[l].from.index()].emplace_back(l);
    for (const MachinePart &part : partsOf(machine, PartKind::Nic, {}))
      nics.push_back(nodeOf(part.name));
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
      if (uint32_t n = machine.endpointNode(EndpointId(e)).index(); kindOf(nameOf(n)) == "gpu")
        gpus.push_back(n);
  }

  const std::string &nameOf(uint32_t node) const { return machine.nodes()[node].name; }

  /// The links of \p node that \p comparison is about.
  std::vector<LinkId> linksOf(uint32_t node, const Comparison &comparison) const {
    std::vector<LinkId> links;
    for (LinkId id : linksFrom[node]) {
      const Link &link = machine.link(id);
      if (!link.bandwidth.isUnlimited() &&
          sideOf(link.to.index(), comparison.ofNics) == comparison.side)
        links.push_back(id);
    }
    return links;
  }
  std::vector<Part> parts(const Comparison &comparison) const {
    std::vector<Part> result;
    for (uint32_t node : comparison.ofNics ? nics : gpus) {
      Part &part = result.emplace_back(Part{nameOf(node), 0});
      for (LinkId id : linksOf(node, comparison))
        if (machine.link(id).present)
          part.value += machine.link(id).bandwidth.bytesPerSecond();
    }
    return result;
  }
  uint32_t nodeOf(StringRef name) const { return nodes.lookup(name); }

  const Machine &machine;
  std::vector<uint32_t> gpus, nics;

private:
  std::vector<std::vector<LinkId>> linksFrom; ///< by node
  llvm::StringMap<uint32_t> nodes;            ///< by name
  Side sideOf(uint32_t node, bool ofNic) const {
    StringRef kind = kindOf(nameOf(node));
    if (ofNic)
      return kind == "gpu" || kind == "cpu" || kind.starts_with("pci") ? Side::Host : Side::Network;
    if (kind == "gpu")
      return Side::Gpus;
    return kind.ends_with("switch") ? Side::Switches : Side::Host;
  }
};

class Comparer {
public:
  Comparer(const Machine &machine, const Json &target, bool hasXgmi, const Machine *reference)
      : own(machine), target(target), hasXgmi(hasXgmi) {
    if (reference)
      other.emplace(*reference);
  }

  std::vector<FindingIn<Json>> find() {
    if (other && own.gpus.size() != other->gpus.size() && !other->gpus.empty())
      add(formatv("the machine has {0}, {1} has {2}", counted(own.gpus.size(), "GPU"), name(),
                  other->gpus.size()),
          "'nvidia-smi -L' on the server lists the GPUs", {}, nullptr);
    for (const Comparison &comparison : comparisons)
      compare(comparison);
    return std::move(findings);
  }

private:
  const std::string &name() const { return other->machine.name; }

  void compare(const Comparison &comparison) {
    // Uneven numbers of xGMI links are normal.
    const bool isUneven = comparison.side == Side::Gpus && hasXgmi;
    std::vector<Part> parts = own.parts(comparison);
    std::vector<Lower> lowers = lowerThanUsual(parts);
    llvm::erase_if(lowers, [&](const Lower &lower) {
      return 2 * lower.others < parts.size() || (isUneven && lower.value > 0);
    });
    if (other) {
      const uint64_t usual = usualValue(other->parts(comparison));
      lowers.clear();
      std::map<uint64_t, std::vector<std::string>> byValue;
      for (const Part &part : parts)
        if (part.value < usual)
          byValue[part.value].push_back(part.name);
      // The import of a single server has no NICs and no links to them.
      bool models = llvm::any_of(parts, [](const Part &part) { return part.value > 0; });
      for (auto &[value, names] : byValue)
        if (models || comparison.side == Side::Switches)
          lowers.push_back({names, value, usual, 0, false});
    }
    for (const Lower &lower : lowers)
      add(formatv("{0} {1} {2}, {3} {4}", lower.subject(),
                  lower.value == 0 ? std::string("no link") : rateText(lower.value), comparison.to,
                  other ? name() + " has" : lower.othersText(), rateText(lower.usual)),
          comparison.remedy, lower.names, mendOf(lower, comparison, parts), comparison.ofNics);
  }

  /// Turns absent links on, makes the present ones faster, or adds those of a sibling.
  std::function<void(Json &)> mendOf(const Lower &lower, const Comparison &comparison,
                                     ArrayRef<Part> parts) const {
    Json changes = Json::array(), links = Json::array();
    for (const std::string &part : lower.names) {
      const uint32_t node = own.nodeOf(part);
      std::vector<LinkId> all = own.linksOf(node, comparison);
      bool anyAbsent = llvm::any_of(all, [&](LinkId id) { return !own.machine.link(id).present; });
      for (LinkId id : all) {
        const Link &link = own.machine.link(id);
        Json change{{"links", part + "<->" + own.nameOf(link.to.index())}};
        if (anyAbsent)
          change["present"] = "on";
        else
          change["bandwidth"] =
              uint64_t(double(link.bandwidth.bytesPerSecond()) * lower.usual / lower.value);
        changes.push_back(std::move(change));
      }
      if (all.empty() && !addSwitchLink(part, lower.usual, comparison, parts, links))
        return nullptr;
    }
    return [changes, links](Json &mended) {
      for (const Json &change : changes)
        mended["link_changes"].push_back(change);
      for (const Json &link : links)
        mended["links"].push_back(link);
    };
  }

  /// Adds a link of \p part to the switch of a sibling of the same node, to a list of links.
  bool addSwitchLink(StringRef part, uint64_t rate, const Comparison &comparison,
                     ArrayRef<Part> parts, Json &links) const {
    auto listed = target.find("links");
    if (comparison.side != Side::Switches || listed == target.end() || !listed->is_array())
      return false;
    StringRef prefix = part.substr(0, part.rfind('.') + 1);
    for (const Part &sibling : parts)
      if (StringRef(sibling.name).starts_with(prefix) && sibling.value > 0) {
        const Link &link =
            own.machine.link(own.linksOf(own.nodeOf(sibling.name), comparison).front());
        links.push_back({{"from", part},
                         {"to", own.nameOf(link.to.index())},
                         {"bandwidth", rate},
                         {"propagation", double(link.propagation.picoseconds()) * 1e-12}});
        return true;
      }
    return false;
  }

  void add(const std::string &text, const char *remedy, std::vector<std::string> parts,
           std::function<void(Json &)> mend, bool needsSecondNode = false) {
    findings.push_back(
        {{text, remedy, std::move(parts), {}, "", "", needsSecondNode}, std::move(mend), false});
  }

  Profile own;
  const Json &target;
  bool hasXgmi; ///< whether the target mentions these links
  std::optional<Profile> other;
  std::vector<FindingIn<Json>> findings;
};

/// "4 GPUs, 2 NICs", "4 ranks, 4 switches, 8 links".
std::string summaryOf(const Machine &machine) {
  const Profile profile(machine);
  size_t switches =
      llvm::count_if(machine.nodes(), [](const Node &node) { return node.tier.value_or(0) > 0; });
  bool areGpus = profile.gpus.size() == machine.numEndpoints();
  std::string text = counted(machine.numEndpoints(), areGpus ? "GPU" : "rank");
  for (auto [number, what] : {std::pair(profile.nics.size(), "NIC"), std::pair(switches, "switch"),
                              std::pair(partsOf(machine, PartKind::Link, {}).size(), "link")})
    if (number > 0)
      text += formatv(", {0}", number == 1 || StringRef(what) != "switch"
                                   ? counted(number, what)
                                   : formatv("{0} switches", number).str())
                  .str();
  return text;
}
} // namespace

MachineHealth cclc::examineTarget(const Machine &machine, const std::string &target,
                                  const Machine *reference) {
  const Json read = parseOrderedJson(target);
  std::vector<FindingIn<Json>> found =
      Comparer(machine, read, StringRef(target).contains("xGMI"), reference).find();
  llvm::append_range(found, findUnhealthyCables(read));
  return {target, summaryOf(machine), withTargets<Json>(found, read, [](const Json &mended, bool) {
            return jsonText(mended) + "\n";
          })};
}
