//===- MachineGroups.cpp - The parts of a machine -------------------------===//
//
// A switch has an interval of endpoints below it. If the intervals of a tier divide the endpoints
// into blocks of one size, these are groups as well.
//
//===----------------------------------------------------------------------===//

#include "cclc/Views/MachineView/MachineGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

using namespace cclc;
using llvm::formatv;

namespace {
class Grouper {
public:
  explicit Grouper(const Machine &machine) : machine(machine) {}

  MachineGroups run() {
    joined.resize(machine.nodes().size());
    for (const Link &link : machine.links()) {
      joined[link.from.index()].push_back(link.to.index());
      joined[link.to.index()].push_back(link.from.index());
    }
    findTiers();
    findSpans();
    addGroups();
    nameBySwitches();
    return std::move(result);
  }

private:
  struct Level {
    std::string name;   ///< empty for blocks
    uint32_t endpoints; ///< of a member
  };
  /// The endpoints below a node.
  struct Span {
    uint32_t first, last;
  };

  /// The tiers whose switches divide the endpoints into blocks of one size; the last may be
  /// smaller. Switches with links inside their tier are no tree.
  std::vector<Level> subtrees() const {
    struct Tier {
      Level level;
      std::set<uint32_t> blocks;
      bool isRegular = true;
    };
    uint32_t n = machine.numEndpoints();
    std::map<uint32_t, Tier> tiers;
    for (uint32_t node = 0; node < spans.size(); ++node)
      if (const std::optional<Span> &span = spans[node]; span && result.tiers[node] > 0) {
        uint32_t count = span->last - span->first + 1;
        // The part of the name before the number.
        StringRef name = StringRef(machine.nodes()[node].name).rtrim("0123456789").rtrim('.');
        Tier &tier = tiers[result.tiers[node]];
        if (tier.blocks.empty())
          tier.level = {name.str(), count};
        uint32_t size = tier.level.endpoints;
        tier.isRegular &=
            span->first % size == 0 && span->last + 1 == std::min(span->first + size, n);
        tier.blocks.insert(span->first / size);
      }
    for (const Link &link : machine.links())
      if (uint32_t tier = result.tiers[link.from.index()]; tier == result.tiers[link.to.index()])
        tiers.erase(tier);
    std::vector<Level> levels;
    for (auto &[number, tier] : tiers)
      if (tier.isRegular && tier.blocks.size() == ceilDiv(n, tier.level.endpoints))
        levels.push_back(std::move(tier.level));
    return levels;
  }

  /// The members of the levels of the geometry and of the tiers of switches, the largest first.
  std::vector<Level> namedLevels() const {
    uint32_t n = machine.numEndpoints();
    std::vector<Level> levels;
    uint64_t size = n;
    for (const GridLevel &level : machine.geometry().levels) {
      size /= std::max<uint64_t>(level.size(), 1);
      levels.push_back({level.name, uint32_t(size)});
    }
    // Of two with the same size, the level of the geometry is first.
    auto isLarger = [](const Level &a, const Level &b) { return a.endpoints > b.endpoints; };
    for (Level &tier : subtrees())
      levels.insert(llvm::upper_bound(levels, tier, isLarger), std::move(tier));
    return levels;
  }

  /// The levels of groups, outermost first, with blocks.
  std::vector<Level> levels() const {
    std::vector<Level> levels;
    uint64_t around = machine.numEndpoints();
    auto divide = [&](uint64_t each) {
      uint64_t members = ceilDiv(around, each);
      while (members > MachineGroups::mostSiblings) {
        // About as many blocks as members of a block.
        uint64_t block = std::bit_ceil(uint64_t(std::sqrt(double(members - 1)) + 1));
        block = std::max(block, members / MachineGroups::mostSiblings);
        levels.push_back({"", uint32_t(block * each)});
        members = block;
      }
    };
    for (Level &level : namedLevels()) {
      bool isInner = level.endpoints > 1 && level.endpoints < around;
      // A block of the whole machine may be incomplete, others are divided without a rest.
      if (!isInner || (around < machine.numEndpoints() && around % level.endpoints != 0))
        continue;
      divide(level.endpoints);
      around = level.endpoints;
      levels.push_back(std::move(level));
    }
    divide(1);
    return levels;
  }

  void addGroups() {
    struct Interval {
      OptionalIndex group;
      uint32_t first, end;
    };
    std::vector<Interval> outer = {{{}, 0, machine.numEndpoints()}};
    uint32_t depth = 0;
    for (const Level &level : levels()) {
      std::vector<Interval> inner;
      for (const Interval &around : outer)
        for (uint32_t first = around.first; first < around.end; first += level.endpoints) {
          uint32_t count = std::min(level.endpoints, around.end - first);
          OptionalIndex group = around.group;
          if (count > 1) {
            group = uint32_t(result.groups.size());
            result.groups.push_back({"", false, around.group, depth, first, count});
            nameGroup(result.groups.back(), level);
          }
          inner.push_back({group, first, first + count});
        }
      outer = std::move(inner);
      ++depth;
    }
    result.ofNode.resize(machine.nodes().size());
    for (const Interval &innermost : outer)
      for (uint32_t e = innermost.first; e < innermost.end; ++e)
        result.ofNode[nodeOf(e)] = innermost.group;
    for (uint32_t node = 0; node < spans.size(); ++node)
      if (result.tiers[node] > 0 && spans[node])
        result.ofNode[node] = around(result.ofNode[nodeOf(spans[node]->first)], spans[node]->last);
  }

  /// The components before a dot that the names of all endpoints of the group share, if no others
  /// do; or a number of the level; or the first and the last member.
  void nameGroup(MachineGroups::Group &group, const Level &level) const {
    uint32_t first = group.first, last = first + group.count - 1;
    auto name = [&](uint32_t e) { return StringRef(machine.nodes()[nodeOf(e)].name); };
    // Whole components of both names.
    auto common = [](StringRef a, StringRef b) {
      size_t length = 0;
      for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
        if (a[i] == '.')
          length = i + 1;
      return a.take_front(length);
    };
    StringRef prefix = common(name(first), name(last));
    bool isOwn = !prefix.empty() && (first == 0 || !name(first - 1).starts_with(prefix)) &&
                 (last + 1 == machine.numEndpoints() || !name(last + 1).starts_with(prefix));
    auto member = [&](uint32_t e) {
      StringRef rest = name(e).drop_front(prefix.size());
      return name(e).take_front(prefix.size() + rest.split('.').first.size());
    };
    group.isNumbered = !isOwn && !level.name.empty();
    if (level.name.empty())
      group.name = formatv("{0} to {1}", member(first), member(last));
    else
      group.name = isOwn ? prefix.drop_back().str()
                         : formatv("{0} {1}", level.name, first / level.endpoints).str();
  }

  /// Nodes without a path to an endpoint have tier 0.
  void findTiers() {
    std::vector<bool> known(machine.nodes().size());
    std::vector<uint32_t> queue;
    result.tiers.resize(machine.nodes().size());
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e) {
      queue.push_back(nodeOf(e));
      known[nodeOf(e)] = true;
    }
    for (size_t next = 0; next < queue.size(); ++next)
      for (uint32_t other : joined[queue[next]])
        if (!known[other]) {
          known[other] = true;
          result.tiers[other] = result.tiers[queue[next]] + 1;
          queue.push_back(other);
        }
    // Hosts between endpoints and the switches of tier 1 have no tier in the file.
    std::optional<uint32_t> hosts;
    for (size_t n = 0; n < known.size(); ++n)
      if (uint32_t tier = machine.nodes()[n].tier.value_or(0); tier > 0 && known[n])
        hosts = std::min(hosts.value_or(~0u), std::max(result.tiers[n], tier) - tier);
    for (size_t n = 0; n < known.size(); ++n)
      if (std::optional<uint32_t> tier = machine.nodes()[n].tier)
        result.tiers[n] = *tier + (*tier > 0 ? hosts.value_or(0) : 0);
  }

  /// Tier by tier.
  void findSpans() {
    spans.resize(machine.nodes().size());
    for (uint32_t e = 0; e < machine.numEndpoints(); ++e)
      spans[nodeOf(e)] = {e, e};
    std::vector<uint32_t> order(machine.nodes().size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](uint32_t a, uint32_t b) {
      return std::pair(result.tiers[a], a) < std::pair(result.tiers[b], b);
    });
    for (uint32_t node : order)
      for (uint32_t other : joined[node])
        if (std::optional<Span> &span = spans[node], &below = spans[other];
            result.tiers[other] < result.tiers[node] && below)
          span = span ? Span{std::min(span->first, below->first), std::max(span->last, below->last)}
                      : *below;
  }

  /// A member of a level has the name of its highest switch, if there is one such switch.
  void nameBySwitches() {
    std::vector<std::optional<uint32_t>> highest(result.groups.size());
    std::vector<uint32_t> number(result.groups.size());
    for (uint32_t n = 0; n < result.ofNode.size(); ++n)
      if (OptionalIndex group = result.ofNode[n]; group && result.tiers[n] > 0) {
        std::optional<uint32_t> &known = highest[*group];
        if (known && result.tiers[*known] > result.tiers[n])
          continue;
        number[*group] = known && result.tiers[*known] == result.tiers[n] ? number[*group] + 1 : 1;
        known = n;
      }
    for (uint32_t g = 0; g < number.size(); ++g)
      if (number[g] == 1 && result.groups[g].isNumbered)
        result.groups[g].name = machine.nodes()[*highest[g]].name;
  }

  /// The smallest group from \p group outwards that contains endpoint \p last.
  OptionalIndex around(OptionalIndex group, uint32_t last) const {
    while (group && result.groups[*group].first + result.groups[*group].count <= last)
      group = result.groups[*group].parent;
    return group;
  }

  uint32_t nodeOf(uint32_t endpoint) const {
    return machine.endpointNode(EndpointId(endpoint)).index();
  }

  const Machine &machine;
  MachineGroups result;
  std::vector<std::vector<uint32_t>> joined; ///< neighbours by node
  std::vector<std::optional<Span>> spans;    ///< by node
};
} // namespace

MachineGroups cclc::findGroups(const Machine &machine) { return Grouper(machine).run(); }
