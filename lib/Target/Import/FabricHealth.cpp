//===- FabricHealth.cpp - Missing and slow cables of a fabric -------------===//
//
// Switches of the same tier are siblings. If at least half of them have the same number of links to
// the switches above, or below, others with fewer lack cables; so do those with fewer links than
// there are ports which more than half of them use for such links. The ports without a cable are
// those that the siblings use. A cable leads from such a port of the lower switch to the switch at
// which the same port of most siblings ends, if that switch lacks one as well; what remains is
// paired in order. The fabric of a target is read back from its tiers and the comment keys of
// ports.
//
//===----------------------------------------------------------------------===//

#include "FabricHealth.h"

#include "Siblings.h"

#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using llvm::formatv;
using Json = nlohmann::ordered_json;

namespace {
constexpr size_t mostNotes = 16, mostPorts = 8;

/// A link of a switch: its port and the node at its other end.
struct PortLink {
  uint32_t port = 0, peer = 0;
};
using Ports = std::vector<PortLink>;

/// What a switch lacks towards a higher or a lower tier.
struct Lack {
  uint32_t node = 0;
  size_t missing = 0;
  std::vector<uint32_t> ports; ///< without a cable, which siblings use
};
/// Where the ports of siblings lead: how many of them to each node.
using Votes = std::map<uint32_t, std::map<uint32_t, size_t>>;

struct MissingCable {
  Fabric::End lower, upper; ///< port 0: unknown
  bool hasLower = false, hasUpper = false;
};

class MissingCables {
public:
  explicit MissingCables(const Fabric &fabric)
      : fabric(fabric), tiers(tiersFrom(fabric, hostsOf(fabric))), used(fabric.nodes.size()) {
    std::map<std::pair<uint32_t, bool>, std::map<uint32_t, Ports>> byTier;
    for (const auto &[node, tier] : llvm::enumerate(tiers))
      if (tier.value_or(0) > 0)
        for (bool up : {false, true})
          byTier[{*tier, up}][node];
    for (const Fabric::Cable &cable : fabric.cables)
      for (bool back : {false, true}) {
        const Fabric::End &end = back ? cable.b : cable.a, &other = back ? cable.a : cable.b;
        used[end.node].insert(end.port);
        if (tiers[end.node].value_or(0) > 0 && tiers[other.node].value_or(0) > 0 &&
            tiers[end.node] != tiers[other.node])
          byTier[{*tiers[end.node], *tiers[other.node] > *tiers[end.node]}][end.node].push_back(
              {end.port, other.node});
      }
    for (const auto &[key, switches] : byTier)
      compare(switches, key);
  }

  std::string text() const {
    return formatv("has {0} of {1} links to higher switches, by the usual numbers of the tiers: "
                   "cables are missing or down",
                   present, expected);
  }
  /// The ends of the missing cables, lower switch by lower switch.
  std::vector<MissingCable> cables() const;

  std::vector<std::string> notes;

private:
  using Lacks = std::map<std::pair<uint32_t, bool>, std::vector<Lack>>;

  /// Compares the switches of a tier with the usual number.
  void compare(const std::map<uint32_t, Ports> &switches, std::pair<uint32_t, bool> key) {
    std::vector<Part> numbers;
    std::map<uint32_t, size_t> users; // of ports
    for (const auto &[node, ports] : switches) {
      numbers.push_back({"", ports.size()});
      for (const PortLink &link : ports) {
        ++votes[key][link.port][link.peer];
        ++users[link.port];
      }
    }
    size_t usual = usualValue(numbers);
    if (2 * size_t(llvm::count_if(numbers, [&](const Part &p) { return p.value == usual; })) <
        switches.size())
      usual = 0;
    std::set<uint32_t> usualPorts;
    for (const auto &[port, number] : users)
      if (port > 0 && 2 * number > switches.size())
        usualPorts.insert(port);
    usual = std::max(usual, usualPorts.size());
    for (const auto &[node, ports] : switches)
      for (const PortLink &link : ports)
        if (ports.size() == usual)
          usualPorts.insert(link.port);
    for (const auto &[node, ports] : switches) {
      if (key.second) {
        present += ports.size();
        expected += std::max(ports.size(), usual);
      }
      if (ports.size() < usual)
        add(node, ports.size(), usual, usualPorts, key);
    }
  }

  void add(uint32_t node, size_t number, size_t usual, const std::set<uint32_t> &usualPorts,
           std::pair<uint32_t, bool> key) {
    Lack &lack = lacks[key].emplace_back(Lack{node, usual - number, {}});
    std::vector<std::string> free;
    for (uint32_t port : usualPorts)
      if (port > 0 && !used[node].count(port)) {
        lack.ports.push_back(port);
        if (free.size() < mostPorts)
          free.push_back(std::to_string(port));
      }
    notes.push_back(
        formatv("'{0}' has {1} to {2} switches, the usual number of its tier is {3}{4}{5}",
                fabric.nodes[node].name, counted(number, "link"), key.second ? "higher" : "lower",
                usual, free.empty() ? "" : "; ports without a cable: ", llvm::join(free, ", ")));
  }

  /// How many siblings have a link from \p port to \p peer.
  size_t votesFor(std::pair<uint32_t, bool> key, uint32_t port, uint32_t peer) const {
    const Votes &all = votes.at(key);
    auto found = all.find(port);
    if (found == all.end())
      return 0;
    auto voted = found->second.find(peer);
    return voted == found->second.end() ? 0 : voted->second;
  }
  void pairPorts(const std::pair<uint32_t, bool> &key, Lacks &left, bool byVotes,
                 std::vector<MissingCable> &cables) const;
  static Fabric::End take(Lack &lack, std::optional<size_t> which) {
    Fabric::End end{lack.node, 0, ""};
    --lack.missing;
    if (which && *which < lack.ports.size()) {
      end.port = lack.ports[*which];
      lack.ports.erase(lack.ports.begin() + *which);
    }
    return end;
  }

  const Fabric &fabric;
  std::vector<std::optional<uint32_t>> tiers;
  std::vector<std::set<uint32_t>> used; ///< ports with a cable, by node
  /// Links to higher tiers, and how many there would be.
  size_t present = 0, expected = 0;
  std::map<std::pair<uint32_t, bool>, Votes> votes; ///< by tier and direction
  Lacks lacks;
};

/// Adds cables between switches of a tier and those above that both lack one.
void MissingCables::pairPorts(const std::pair<uint32_t, bool> &key, Lacks &left, bool byVotes,
                              std::vector<MissingCable> &cables) const {
  const std::pair<uint32_t, bool> above(key.first + 1, false);
  for (Lack &low : left[key])
    for (Lack &high : left[above])
      for (size_t p = 0; low.missing > 0 && high.missing > 0;) {
        if (byVotes && p >= low.ports.size())
          break;
        if (byVotes && votesFor(key, low.ports[p], high.node) == 0) {
          ++p;
          continue;
        }
        size_t back = 0;
        for (size_t q = 0; q < high.ports.size(); ++q)
          if (votesFor(above, high.ports[q], low.node) >
              votesFor(above, high.ports[back], low.node))
            back = q;
        cables.push_back({take(low, p), take(high, back), true, true});
      }
}

std::vector<MissingCable> MissingCables::cables() const {
  std::vector<MissingCable> result;
  Lacks left = lacks;
  for (const auto &[key, ofTier] : lacks)
    for (bool byVotes : {true, false})
      if (key.second)
        pairPorts(key, left, byVotes, result);
  for (auto &[key, ofTier] : left)
    for (Lack &lack : ofTier)
      while (lack.missing > 0) {
        MissingCable &cable = result.emplace_back();
        (key.second ? cable.lower : cable.upper) = take(lack, 0);
        (key.second ? cable.hasLower : cable.hasUpper) = true;
      }
  auto keyOf = [](const MissingCable &cable) {
    return std::tuple(!cable.hasLower, cable.lower.node, cable.lower.port, cable.upper.node,
                      cable.upper.port);
  };
  llvm::sort(result,
             [&](const MissingCable &a, const MissingCable &b) { return keyOf(a) < keyOf(b); });
  return result;
}

/// The fabric of a target, and the link of each of its cables.
class FabricOfTarget {
public:
  explicit FabricOfTarget(const Json &target) {
    auto nodes = target.find("nodes"), list = target.find("links");
    if (nodes == target.end() || list == target.end() || !nodes->is_array() || !list->is_array())
      return;
    for (const Json &node : *nodes)
      if (node.is_object() && node.contains("tier") && node.contains("name"))
        nodeOf(node["name"].get<std::string>(), false);
    for (size_t l = 0; l < list->size(); ++l) {
      const Json &link = (*list)[l];
      auto cable = link.find("// cable");
      // A rate that is no number is one that no import has written.
      if (cable != link.end() && cable->is_string() && link.contains("bandwidth") &&
          link["bandwidth"].is_number())
        addCable(link, cable->get<std::string>(), l);
    }
  }

  Fabric fabric;
  std::vector<size_t> links;      ///< of the target, by cable
  std::vector<std::string> names; ///< of the cables: "leaf1 port 18 - spine2 port 1"

private:
  uint32_t nodeOf(const std::string &name, bool isHost) {
    auto [found, isNew] = indices.try_emplace(name, fabric.nodes.size());
    if (isNew)
      fabric.nodes.push_back({name, isHost, 0});
    return found->second;
  }
  static uint32_t portOf(StringRef end) {
    uint32_t port = 0;
    return end.rsplit(" port ").second.getAsInteger(10, port) ? 0 : port;
  }
  void addCable(const Json &link, StringRef text, size_t index) {
    auto from = link["from"].get<std::string>(), to = link["to"].get<std::string>();
    auto [a, b] = text.split(", ");
    // The cables of a server begin at its NIC, whose name is not that of an end.
    if (a.starts_with(to + " ") && !a.starts_with(from + " "))
      std::swap(a, b);
    fabric.cables.push_back({{nodeOf(from, true), portOf(a), ""},
                             {nodeOf(to, true), portOf(b), ""},
                             link["bandwidth"].get<uint64_t>()});
    links.push_back(index);
    names.push_back((a + " - " + b).str());
  }
  llvm::StringMap<uint32_t> indices;
};

class CableFinder {
public:
  explicit CableFinder(const Json &target)
      : of(target), tiers(tiersFrom(of.fabric, hostsOf(of.fabric))) {}

  std::vector<FindingIn<Json>> find() {
    if (of.fabric.cables.empty())
      return {};
    std::map<uint32_t, std::vector<size_t>> byTier; // of the lower end
    for (size_t c = 0; c < of.fabric.cables.size(); ++c)
      byTier[tierOf(c)].push_back(c);
    findMissing();
    for (const auto &[tier, cables] : byTier)
      findSlow(cables);
    findHosts();
    return std::move(findings);
  }

private:
  uint32_t tierOf(size_t cable) const {
    const Fabric::Cable &c = of.fabric.cables[cable];
    return std::min(tiers[c.a.node].value_or(0), tiers[c.b.node].value_or(0));
  }
  std::string endName(const Fabric::End &end) const {
    std::string name = of.fabric.nodes[end.node].name;
    return end.port > 0 ? name + " port " + std::to_string(end.port) : name;
  }

  void findMissing() {
    const MissingCables missing(of.fabric);
    if (missing.notes.empty())
      return;
    FindingIn<Json> finding{
        {missing.text(), "'iblinkinfo' shows the state of each port", {}, {}, "", "", false},
        {},
        false};
    std::vector<Json> added;
    for (const MissingCable &cable : missing.cables()) {
      std::vector<std::string> ends;
      if (cable.hasLower)
        ends.push_back(endName(cable.lower));
      if (cable.hasUpper)
        ends.push_back(endName(cable.upper));
      finding.details.push_back(listText(ends) +
                                (ends.size() == 1 ? " has no cable" : " have no cable"));
      llvm::append_range(finding.parts, ends);
      if (std::optional<Json> link = linkOf(cable))
        added.push_back(std::move(*link));
    }
    if (!added.empty())
      finding.mend = [added](Json &target) {
        for (const Json &link : added)
          target["links"].push_back(link);
      };
    findings.push_back(std::move(finding));
  }

  /// A link like the others of the switch, for a cable of a lower switch. Without its other end, it
  /// leads to the switch above that has the fewest links of this one.
  std::optional<Json> linkOf(const MissingCable &cable) const {
    if (!cable.hasLower)
      return std::nullopt;
    std::map<uint32_t, size_t> above;
    uint64_t rate = 0;
    for (const Fabric::Cable &c : of.fabric.cables)
      for (auto [low, high] : {std::pair(c.a.node, c.b.node), std::pair(c.b.node, c.a.node)})
        if (tiers[low] == tiers[cable.lower.node] && tiers[high] && tiers[high] > tiers[low]) {
          above[high] += low == cable.lower.node;
          rate = std::max(rate, c.rate);
        }
    if (above.empty())
      return std::nullopt;
    auto fewest =
        llvm::min_element(above, [](const auto &a, const auto &b) { return a.second < b.second; });
    uint32_t upper = cable.hasUpper ? cable.upper.node : fewest->first;
    Json link{{"from", of.fabric.nodes[cable.lower.node].name},
              {"to", of.fabric.nodes[upper].name},
              {"bandwidth", rate},
              {"propagation", switchCable}};
    return link;
  }

  /// Cables with a lower rate than most of those of their tier.
  void findSlow(ArrayRef<size_t> cables) {
    std::vector<Part> parts;
    for (size_t c : cables)
      parts.push_back({of.names[c], of.fabric.cables[c].rate});
    for (const Lower &lower : lowerThanUsual(parts)) {
      if (2 * lower.others <= parts.size())
        continue;
      std::vector<size_t> slow;
      for (size_t c : cables)
        if (of.fabric.cables[c].rate == lower.value)
          slow.push_back(of.links[c]);
      findings.push_back(
          {{formatv("the {0} {1} {2}, {3} {4}", lower.names.size() == 1 ? "cable" : "cables",
                    lower.subject(), rateText(lower.value), lower.othersText(),
                    rateText(lower.usual)),
            "'iblinkinfo' shows the width and speed of each port",
            lower.names,
            {},
            "",
            "",
            false},
           [slow, rate = lower.usual](Json &target) {
             for (size_t link : slow)
               target["links"][link]["bandwidth"] = rate;
           },
           false});
    }
  }

  void findHosts() {
    std::map<uint32_t, size_t> numbers;
    for (const Fabric::Cable &cable : of.fabric.cables)
      for (uint32_t node : {cable.a.node, cable.b.node})
        if (of.fabric.nodes[node].isHost)
          ++numbers[node];
    std::vector<Part> parts;
    for (const auto &[node, number] : numbers)
      parts.push_back({of.fabric.nodes[node].name, number});
    for (const Lower &lower : lowerThanUsual(parts))
      if (2 * lower.others > parts.size())
        findings.push_back(
            {{formatv("{0} {1}, {2} {3}", lower.subject(), counted(lower.value, "cable"),
                      lower.othersText(), lower.usual),
              "'ibstat' on the host shows the state of its ports",
              lower.names,
              {},
              "",
              "",
              false},
             nullptr,
             false});
  }

  FabricOfTarget of;
  std::vector<std::optional<uint32_t>> tiers;
  std::vector<FindingIn<Json>> findings;
};
} // namespace

void cclc::warnOfMissingCables(const Fabric &fabric, const ForeignFile &file,
                               DiagnosticEngine &diags) {
  // A link of a scheduler's tree stands for all cables.
  if (llvm::none_of(fabric.cables, [](const Fabric::Cable &cable) { return cable.a.port > 0; }))
    return;
  const MissingCables missing(fabric);
  if (missing.notes.empty())
    return;
  DiagnosticEngine::InFlight warning = diags.warning({file.name}, missing.text());
  for (const std::string &note : llvm::ArrayRef(missing.notes).take_front(mostNotes))
    warning.note({file.name}, note);
  if (missing.notes.size() > mostNotes)
    warning.note({file.name}, formatv("{0} other switches have fewer links than most of their tier",
                                      missing.notes.size() - mostNotes));
}

std::vector<FindingIn<Json>> cclc::findUnhealthyCables(const Json &target) {
  return CableFinder(target).find();
}
