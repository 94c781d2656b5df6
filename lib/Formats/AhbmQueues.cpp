//===- AhbmQueues.cpp - The queues of an algorithm module -----------------===//
//
// A queue joins two ranks and contains one connection each way. A program that declares neighbours
// names the directions of its queues at both ends. For other programs they are chosen here: each
// rank has four directions in a group, and two ranks take as many queues as they have connections
// one way. As the two ends of a queue may have any directions, every rank with at most four queues
// in a group has enough. Opposite directions are preferred, so that a ring is one of E and W.
//
//===----------------------------------------------------------------------===//

#include "AhbmQueues.h"

#include "cclc/IR/StepNames.h"
#include "cclc/Limits/PlanQueues.h"
#include "cclc/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace cclc;
using namespace cclc::kernbench;
using llvm::formatv;

/// The directions of the queues of a group, in the order of their use.
static constexpr size_t directionsOfGroup = 4;
static constexpr Direction groupDirections[numQueueGroups][directionsOfGroup] = {
    {Direction::IntraE, Direction::IntraW, Direction::IntraS, Direction::IntraN},
    {Direction::E, Direction::W, Direction::S, Direction::N},
    {Direction::GlobalE, Direction::GlobalW, Direction::GlobalS, Direction::GlobalN}};

namespace {
/// Connections from one rank to another, by channel.
using Bundle = std::map<ChannelId, ConnectionId>;

class QueueFinder {
public:
  QueueFinder(const ExecPlan &plan, const Machine &machine, const ConnectionTable &connections,
              DiagnosticEngine &diags)
      : plan(plan), info(plan.info()), machine(machine), connections(connections), diags(diags) {}

  FailureOr<Queues> run();

private:
  /// The two ends of a queue.
  struct Ends {
    Direction first, second;
  };

  bool namesQueues() const;
  LogicalResult nameQueues(RankId from, RankId to, const Bundle &bundle);
  LogicalResult checkNumbers(const QueueGroups &groups, RankId rank);
  Ends choose(QueueGroup group, RankId first, RankId second) const;
  void add(RankId first, RankId second, Ends ends, const Bundle &there, const Bundle &back,
           size_t number);
  void assignQueues(const QueueGroups &groups);

  const ExecPlan &plan;
  const ProgramInfo &info;
  const Machine &machine;
  const ConnectionTable &connections;
  DiagnosticEngine &diags;
  std::map<std::pair<RankId, RankId>, Bundle> bundles;
  std::map<std::pair<RankId, Direction>, RankId> taken;
  Queues queues;
};
} // namespace

/// Whether the table of neighbours has a queue in every direction. A direction that leads to
/// several neighbours, such as `child`, is not a queue.
bool QueueFinder::namesQueues() const {
  auto isSame = [](const Neighbour &a, const Neighbour &b) {
    return a.rank == b.rank && a.direction == b.direction;
  };
  return !info.neighbours.empty() &&
         std::adjacent_find(info.neighbours.begin(), info.neighbours.end(), isSame) ==
             info.neighbours.end();
}

/// The first step of \p connection that sends.
static StepId firstSend(const ExecPlan &plan, const Connection &connection) {
  StepId step(plan.threadblocks()[connection.senderTb].firstStep);
  while (!traits(plan.steps()[step.index()].op).sends)
    step = StepId(step.index() + 1);
  return step;
}

/// The connections of two ranks, in the order of their channels, use the directions of the table of
/// neighbours in its order.
LogicalResult QueueFinder::nameQueues(RankId from, RankId to, const Bundle &bundle) {
  std::vector<Direction> directions;
  for (const Neighbour &row : info.neighbours)
    if (row.rank == from && row.peer == to)
      directions.push_back(row.direction);
  const StepId step = firstSend(plan, connections.connections()[bundle.begin()->second.index()]);
  if (directions.empty())
    return illegal(diags,
                   formatv("{0} sends to r{1}, which is not a neighbour of r{2}: the program "
                           "declares the queues by its neighbours; declare this one, or none",
                           stepName(plan, step), to.index(), from.index()),
                   stepLocation(plan, step));
  if (bundle.size() > directions.size())
    return illegal(diags,
                   formatv("r{0} sends to r{1} on {2}, but has {3} in this direction ({4}); "
                           "compile with --max-channels {5}",
                           from.index(), to.index(), counted(bundle.size(), "channel"),
                           counted(directions.size(), "queue"), directionName(directions.front()),
                           directions.size()),
                   stepLocation(plan, step));
  for (auto [direction, member] : llvm::zip(directions, bundle))
    queues.ofConnection[member.second.index()] = {direction, opposite(direction)};
  return success();
}

/// Fails if \p rank needs more queues in a group than it has directions, or than the machine has.
LogicalResult QueueFinder::checkNumbers(const QueueGroups &groups, RankId rank) {
  const QueuePeers peers = queuePeersOf(plan, groups, rank);
  for (size_t g = 0; g < numQueueGroups; ++g) {
    const uint32_t most = machine.directionQueues.number[g].value_or(directionsOfGroup);
    QueueNeed need{
        rank, static_cast<QueueGroup>(g), {}, 0, std::min<uint32_t>(most, directionsOfGroup)};
    for (const auto &[_, peer] : peers[g]) {
      need.ofPeers.push_back(peer.queues());
      need.total += peer.queues();
    }
    if (need.total > need.limit)
      return illegal(diags,
                     formatv("r{0} at {1} needs {2} {3} queues for {4}, but a kernel "
                             "addresses {5} by their directions; {6}",
                             rank.index(), endpointName(machine, groups.endpointOf(rank)),
                             need.total, queueGroupName(need.group),
                             counted(need.ofPeers.size(), "peer"), need.limit, need.remedy(info)));
  }
  return success();
}

/// Free directions of both ranks: opposite ones if there are any.
QueueFinder::Ends QueueFinder::choose(QueueGroup group, RankId first, RankId second) const {
  ArrayRef<Direction> all = groupDirections[static_cast<size_t>(group)];
  auto isFree = [&](RankId rank) {
    return
        [&taken = taken, rank](Direction direction) { return !taken.contains({rank, direction}); };
  };
  auto bothFree = [&](Direction direction) {
    return isFree(first)(direction) && isFree(second)(opposite(direction));
  };
  if (auto found = llvm::find_if(all, bothFree); found != all.end())
    return {*found, opposite(*found)};
  return {*llvm::find_if(all, isFree(first)), *llvm::find_if(all, isFree(second))};
}

/// Adds a queue with the connections \p number of both ways.
void QueueFinder::add(RankId first, RankId second, Ends ends, const Bundle &there,
                      const Bundle &back, size_t number) {
  taken.emplace(std::pair(first, ends.first), second);
  taken.emplace(std::pair(second, ends.second), first);
  queues.ends.push_back({{first, ends.first, second}, ends.second});
  queues.ends.push_back({{second, ends.second, first}, ends.first});
  if (number < there.size())
    queues.ofConnection[std::next(there.begin(), number)->second.index()] = {ends.first,
                                                                             ends.second};
  if (number < back.size())
    queues.ofConnection[std::next(back.begin(), number)->second.index()] = {ends.second,
                                                                            ends.first};
}

void QueueFinder::assignQueues(const QueueGroups &groups) {
  for (const auto &[ranks, bundle] : bundles) {
    auto [first, second] = ranks;
    const Bundle &back = bundles.at({second, first});
    for (size_t k = 0; first < second && k < std::max(bundle.size(), back.size()); ++k)
      add(first, second, choose(groups.of(first, second), first, second), bundle, back, k);
  }
  llvm::sort(queues.ends, [](const QueueEnd &a, const QueueEnd &b) { return a.at < b.at; });
}

FailureOr<Queues> QueueFinder::run() {
  queues.ofConnection.assign(connections.size(), Queue{Direction::E, Direction::W});
  for (uint32_t c = 0; c < connections.size(); ++c) {
    const Threadblock &tb = plan.threadblocks()[connections.connections()[c].senderTb];
    bundles[{tb.rank, *tb.sendPeer}].emplace(tb.channel, ConnectionId(c));
    bundles[{*tb.sendPeer, tb.rank}]; // maybe no connection back
  }
  if (namesQueues()) {
    for (const auto &[ranks, bundle] : bundles)
      if (!bundle.empty() && failed(nameQueues(ranks.first, ranks.second, bundle)))
        return failure();
    for (const Neighbour &row : info.neighbours)
      queues.ends.push_back({row, std::nullopt});
    return std::move(queues);
  }
  const QueueGroups groups(info, machine);
  for (uint32_t r = 0; r < plan.ranks(); ++r)
    if (failed(checkNumbers(groups, RankId(r))))
      return failure();
  assignQueues(groups);
  return std::move(queues);
}

FailureOr<Queues> kernbench::findQueues(const ExecPlan &plan, const Machine &machine,
                                        const ConnectionTable &connections,
                                        DiagnosticEngine &diags) {
  return QueueFinder(plan, machine, connections, diags).run();
}
