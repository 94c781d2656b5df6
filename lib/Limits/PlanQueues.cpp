//===- PlanQueues.cpp - Queues of a PE, counted by peer -------------------===//
//
// The group of a peer is that of its direction in the neighbour table, otherwise that of the
// outermost level at which both PEs differ. The queues of a peer are those of the way with more
// connections.
//
// Implements rule 47.
//
//===----------------------------------------------------------------------===//

#include "cclc/Limits/PlanQueues.h"

#include "cclc/Limits/PlanCheck.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace cclc;
using llvm::formatv;

Rule cclc::queueRule(QueueGroup group) {
  constexpr Rule rules[numQueueGroups] = {Rule::IntraQueues, Rule::CubeQueues, Rule::GlobalQueues};
  return rules[static_cast<size_t>(group)];
}

/// The group that has a queue for \p direction; none for parent and child.
static std::optional<QueueGroup> queueGroupOf(Direction direction) {
  if (direction < Direction::N)
    return QueueGroup::Intra;
  if (direction < Direction::GlobalN)
    return QueueGroup::Cube;
  if (direction < Direction::Parent)
    return QueueGroup::Global;
  return std::nullopt;
}

/// The group of the outermost level at which two PEs differ.
static QueueGroup queueGroupBetween(const Machine &machine, EndpointId a, EndpointId b) {
  const std::vector<GridLevel> &levels = machine.geometry().levels;
  assert(levels.size() == numQueueGroups);
  uint32_t pes = levels[2].size(), cubes = levels[1].size();
  if (a.index() / pes == b.index() / pes)
    return QueueGroup::Intra;
  return a.index() / (pes * cubes) == b.index() / (pes * cubes) ? QueueGroup::Cube
                                                                : QueueGroup::Global;
}

QueueGroups::QueueGroups(const ProgramInfo &info, const Machine &machine) : machine(machine) {
  auto exists = [&](uint32_t endpoint) { return endpoint < machine.numEndpoints(); };
  if (llvm::all_of(info.placementOnTarget, exists))
    placement = info.placementOnTarget;
  for (const Neighbour &row : info.neighbours)
    if (std::optional<QueueGroup> group = queueGroupOf(row.direction))
      named.try_emplace({row.rank, row.peer}, *group);
}

EndpointId QueueGroups::endpointOf(RankId rank) const {
  return EndpointId(placement.empty() ? rank.index() : placement[rank.index()]);
}

QueueGroup QueueGroups::of(RankId rank, RankId peer, EndpointId at, EndpointId peerAt) const {
  auto row = named.find({rank, peer});
  return row != named.end() ? row->second : queueGroupBetween(machine, at, peerAt);
}

QueuePeers cclc::queuePeersOf(const ExecPlan &plan, const QueueGroups &groups, RankId rank) {
  QueuePeers peers;
  uint32_t t = plan.firstThreadblock(rank);
  for (const Threadblock &tb : plan.threadblocks(rank)) {
    auto of = [&](RankId peer) -> QueuePeer & {
      return peers[static_cast<size_t>(groups.of(rank, peer))][peer];
    };
    Peers to = plan.sendPeers(tb), from = plan.recvPeers(tb);
    for (size_t i = 0; i < to.size(); ++i)
      of(to[i]).out.emplace(tb.channel, t);
    for (size_t i = 0; i < from.size(); ++i)
      of(from[i]).in.emplace(tb.channel, t);
    ++t;
  }
  return peers;
}

bool cclc::limitsQueues(const Machine &machine) {
  // The queues of protocols are buffers in memory, which are limited by its size only.
  return machine.directionQueues.areLimited() && !machine.hasProtocols();
}

PlanQueues::PlanQueues(const ExecPlan &plan, const Machine &machine)
    : machine(machine), info(plan.info()), groups(info, machine) {
  for (uint32_t r = 0; limitsQueues(machine) && r < plan.ranks(); ++r)
    addRank(plan, RankId(r));
}

void PlanQueues::addRank(const ExecPlan &plan, RankId rank) {
  QueuePeers peers = queuePeersOf(plan, groups, rank);
  for (size_t g = 0; g < numQueueGroups; ++g) {
    std::optional<uint32_t> limit = machine.directionQueues.number[g];
    if (!limit || peers[g].empty())
      continue;
    QueueNeed need{rank, static_cast<QueueGroup>(g), {}, 0, *limit};
    for (const auto &[_, peer] : peers[g]) {
      need.ofPeers.push_back(peer.queues());
      need.total += peer.queues();
    }
    needs.push_back(std::move(need));
  }
}

uint32_t PlanQueues::needed(RankId rank, QueueGroup group) const {
  auto before = [](const QueueNeed &need, std::pair<RankId, QueueGroup> key) {
    return std::pair(need.rank, need.group) < key;
  };
  auto need = std::lower_bound(needs.begin(), needs.end(), std::pair(rank, group), before);
  bool found = need != needs.end() && need->rank == rank && need->group == group;
  return found ? need->total : 0;
}

/// "r0 at sip0.cube0.pe0 for 7 peers".
std::string PlanQueues::where(const QueueNeed &need) const {
  return formatv("r{0} at {1} for {2} {3}", need.rank.index(),
                 endpointName(machine, groups.endpointOf(need.rank)), need.ofPeers.size(),
                 need.ofPeers.size() == 1 ? "peer" : "peers");
}

/// The number of queues if there are at most \p channels connections each way with a peer.
static uint64_t queuesWith(const QueueNeed &need, uint32_t channels) {
  uint64_t queues = 0;
  for (uint32_t ofPeer : need.ofPeers)
    queues += std::min(ofPeer, channels);
  return queues;
}

std::string QueueNeed::remedy(const ProgramInfo &info) const {
  uint32_t channels = 0;
  while (queuesWith(*this, channels + 1) <= limit)
    ++channels;
  if (channels == 0)
    return formatv("{0} {1}", limit, limit == 1 ? "peer fits" : "peers fit");
  std::string option = formatv("cclc --max-channels {0}", channels);
  if (info.instances > 1)
    option = "cclc --instances";
  else if (llvm::any_of(info.directives, [](auto &each) { return each.channel.has_value(); }))
    option = "the program names its channels"; // so that a limit of channels changes nothing
  return formatv("{0} {1} ({2})", channels, channels == 1 ? "channel fits" : "channels fit",
                 option);
}

LogicalResult PlanQueues::check(DiagnosticEngine &diags) const {
  if (machine.directionQueues.multiplex)
    return success();
  const Constraints constraints = constraintsOf(machine);
  for (const QueueNeed &need : needs) {
    std::optional<Breach> breach =
        constraints.check(queueRule(need.group), need.total, [&] { return where(need); });
    if (!breach)
      continue;
    breach->remedy = need.remedy(info) + ", or connections share queues (--multiplex-queues)";
    return diags.error({}, breach->message());
  }
  return success();
}

std::vector<QueueNeed> PlanQueues::busiest() const {
  std::vector<QueueNeed> result;
  for (size_t g = 0; g < numQueueGroups; ++g) {
    const QueueNeed *most = nullptr;
    for (const QueueNeed &need : needs)
      if (need.group == static_cast<QueueGroup>(g) && (!most || need.total > most->total))
        most = &need;
    if (most)
      result.push_back(*most);
  }
  return result;
}
