//===- Machine.cpp - Selection of PEs and building ------------------------===//
//
// The number of an endpoint has one mixed-radix digit for each level of the geometry, innermost
// last; a selection keeps the endpoints with digit 0 at the levels that are represented by leaders.
// finish() wraps the routing of the family if links are missing.
//
//===----------------------------------------------------------------------===//

#include "cclc/Target/MachineBuilder.h"

#include "ShortestPaths.h"

#include "cclc/Support/Grouped.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace cclc;
using llvm::formatv;

std::string Machine::linkName(LinkId id) const {
  return theNodes[link(id).from.index()].name + " -> " + linkEndName(id);
}

std::string Machine::linkEndName(LinkId id) const {
  const Link &l = link(id);
  std::string name = theNodes[l.to.index()].name;
  return l.parallel ? name + "#" + std::to_string(l.parallel) : name;
}

bool Machine::hasSlotSettings() const {
  return llvm::any_of(stamp.settings, [&](StringRef setting) {
    StringRef path = setting.split('=').first;
    return path == queueKey ||
           (path.consume_front(queueKey) && (path == ".slots" || path == ".slot_size"));
  });
}

/// Whether \p plan has the slots that it chooses on \p machine.
static bool hasOwnSlots(const ProgramInfo &plan, const Machine &machine) {
  return plan.slotBytes && machine.hasSlotsOfPlans() && !machine.hasSlotSettings();
}

Slots Machine::slotsFor(const ProgramInfo &plan) const {
  const bool isLimited = plan.slots && !plan.slots->isUnlimited();
  return isLimited && hasOwnSlots(plan, *this) ? *plan.slots : slotsFor(plan.protocol);
}

Bytes Machine::slotSizeFor(const ProgramInfo &plan) const {
  if (hasOwnSlots(plan, *this))
    return Bytes(*plan.slotBytes);
  const ProtocolModel *model = find(plan.protocol);
  return model ? model->slotSize : queue.slotSize;
}

std::vector<OptionalIndex> Machine::endpointsByNode() const {
  std::vector<OptionalIndex> all(theNodes.size());
  for (uint32_t e = 0; e < endpoints.size(); ++e)
    all[endpoints[e].index()] = e;
  return all;
}

Machine::Selection Machine::select(Mapper who) const {
  Selection selection;
  selection.geometry = theGeometry;
  std::vector<GridLevel> &levels = selection.geometry.levels;
  // If there is only one level, its members are the PEs themselves.
  auto leaveLeader = [&](size_t level) {
    levels[level].width = levels[level].height = 1;
    levels[level].kind = GridKind::Flat;
  };
  if (levels.size() > 1) {
    if (who == Mapper::LeaderOnly)
      for (size_t level = 1; level < levels.size(); ++level)
        leaveLeader(level);
    else if (who == Mapper::CubeLeaders)
      leaveLeader(levels.size() - 1);
  }
  for (uint32_t endpoint = 0; endpoint < numEndpoints(); ++endpoint) {
    // The member numbers of an endpoint, innermost first.
    uint32_t rest = endpoint;
    bool takesPart = true;
    for (size_t level = levels.size(); level-- > 0;) {
      uint32_t member = rest % theGeometry.levels[level].size();
      rest /= theGeometry.levels[level].size();
      takesPart &= member < levels[level].size();
    }
    if (takesPart)
      selection.endpoints.push_back(endpoint);
  }
  return selection;
}

void Machine::routeToMemory(EndpointId src, EndpointId owner,
                            SmallVectorImpl<LinkId> &links) const {
  if (src == owner)
    links.push_back(memories[src.index()].leavePe);
  else {
    size_t before = links.size();
    route(src, owner, links);
    if (links.size() == before)
      return;
    links.pop_back(); // the link into the PE
  }
  links.push_back(memories[owner.index()].enterMemory);
}

std::string cclc::endpointName(const Machine &machine, EndpointId endpoint) {
  std::string name;
  uint32_t rest = endpoint.index();
  ArrayRef<GridLevel> levels = machine.geometry().levels;
  for (size_t level = levels.size(); level-- > 0;) {
    name = formatv("{0}{1}{2}{3}", levels[level].name, rest % levels[level].size(),
                   name.empty() ? "" : ".", name)
               .str();
    rest /= levels[level].size();
  }
  return name;
}

void MachineBuilder::clearGraph() {
  machine.theNodes.clear();
  machine.theLinks.clear();
  machine.endpoints.clear();
  machine.memories.clear();
  machine.theGrid.reset();
}

NodeId MachineBuilder::addNode(std::string name, SimTime overhead) {
  machine.theNodes.push_back({std::move(name), overhead, false, std::nullopt});
  return NodeId(machine.theNodes.size() - 1);
}

LinkId MachineBuilder::addLink(NodeId from, NodeId to, Bandwidth bandwidth, SimTime propagation) {
  machine.theLinks.push_back(
      {from, to, bandwidth, propagation, /*present=*/true, /*reverse=*/{}, /*parallel=*/0});
  return LinkId(machine.theLinks.size() - 1);
}

LinkId MachineBuilder::addDuplex(NodeId a, NodeId b, Bandwidth bandwidth, SimTime propagation) {
  LinkId there = addLink(a, b, bandwidth, propagation);
  LinkId back = addLink(b, a, bandwidth, propagation);
  machine.theLinks[there.index()].reverse = back;
  machine.theLinks[back.index()].reverse = there;
  return there;
}

void MachineBuilder::numberParallelLinks() {
  std::vector<Link> &links = machine.theLinks;
  const size_t nodes = machine.theNodes.size();
  Grouped linksOf(nodes, links.size(), [&](uint32_t l) { return links[l].from.index(); });

  // By node: the last link to it from the current node, and one more; 0 if there is none.
  std::vector<uint32_t> last(nodes);
  for (size_t n = 0; n < nodes; ++n) {
    for (uint32_t l : linksOf[n]) {
      uint32_t &before = last[links[l].to.index()];
      if (before) {
        Link &previous = links[before - 1];
        previous.parallel = std::max(previous.parallel, 1u);
        links[l].parallel = previous.parallel + 1;
      }
      before = l + 1;
    }
    for (uint32_t l : linksOf[n])
      last[links[l].to.index()] = 0;
  }
}

Machine MachineBuilder::finish() && {
  // The rules from `shortest` on search in the graph of present links.
  bool searches = machine.rule >= RoutingRule::UpDown;
  if (!searches && llvm::any_of(machine.theLinks, [](const Link &link) { return !link.present; }))
    machine.routing = std::make_unique<DetourRouting>(std::move(machine.routing));
  return std::move(machine);
}
